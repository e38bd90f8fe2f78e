// One regular expression of the tables: compiled when its first candidate line comes, bounded in
// what it may try.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sx {

// Names and what stands there; groups that took no part are left out.
using Captures = std::vector<std::pair<std::string, std::string>>;

struct Found {
  std::size_t begin = 0, end = 0;  // bytes of the text
  Captures captures;
};

class Pattern {
 public:
  Pattern() = default;
  // False: it cannot be compiled, which a test excludes for our own tables.
  bool compile(std::string_view expression);
  bool compiled() const { return code_ != nullptr; }

  // Whether the text matches; a line that takes too many steps does not.
  bool find(std::string_view text, Found& found) const;

 private:
  struct Free {
    void operator()(void* code) const;
  };
  struct FreeData {
    void operator()(void* data) const;
  };
  std::unique_ptr<void, Free> code_;
  std::unique_ptr<void, FreeData> data_;
  std::vector<std::pair<int, std::string>> names_;
};

}  // namespace sx
