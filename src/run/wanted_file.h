// What `up` hands to a daemon that it starts: a file beside those of the deployment, with its
// environments in it. One that `up` left behind when it was killed is cleared away by the next
// daemon of that name.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "run/state_folder.h"

namespace sx {

// There as long as it lives, for this user alone; locked, so that everybody sees that it is used.
class WantedFile {
 public:
  static Result<WantedFile> save(const StateFolder& folder, std::string_view text);
  ~WantedFile();
  WantedFile(WantedFile&&) noexcept = default;
  WantedFile& operator=(WantedFile&&) = delete;
  const std::string& path() const { return path_; }

 private:
  WantedFile(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  UniqueFd lock_;
};

// Those of this deployment that no `up` uses any more. For whoever has the state folder's lock.
void clear_wanted_files(const StateFolder& folder);

}  // namespace sx
