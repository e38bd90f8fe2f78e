// A file that somebody else writes to: what is new in it, also after it was cut short or replaced.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sx {

class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}

  enum class News { Nothing, More, Anew };
  // Hands over what came since the last call, at most a bounded part of it. Anew: another file or
  // the same from its begin; nothing is handed over then, the next call begins with it.
  Result<News> look(const std::function<void(std::string_view bytes)>& take);
  // What stands in it at this moment is none of the news, however much it is.
  void pass_over();

 private:
  Result<void> open();
  std::string path_;
  UniqueFd file_;
  std::uint64_t inode_ = 0, device_ = 0;
  std::int64_t read_ = 0;
};

}  // namespace sx
