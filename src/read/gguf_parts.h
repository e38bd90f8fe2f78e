// Shared by the parts of the GGUF reader; only read/gguf*.cpp include it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "read/gguf.h"

namespace sx::gguf {

constexpr std::uint64_t kLongestGguf = std::uint64_t{1}
                                       << 30U;     // strings and arrays, as the engine has it
constexpr std::uint64_t kMostEntries = 1'000'000;  // keys, and tensors
constexpr std::uint64_t kMostData = std::uint64_t{1}
                                    << 50U;  // sums of lengths stay far from overflow

template <class T>
using GgufRead = std::expected<T, GgufFault>;

inline std::unexpected<GgufFault> fault(GgufFault::Kind kind, Both words, Bytes needed = {}) {
  return std::unexpected(GgufFault{kind, std::move(words), needed});
}
inline std::unexpected<GgufFault> damaged(Both words) {
  return fault(GgufFault::Kind::Damaged, std::move(words));
}

// A name of the file's in a sentence: bytes that are no text are replaced, long ones cut.
inline std::string shown(std::string_view name) {
  constexpr std::size_t kShown = 80;
  const bool long_name = name.size() > kShown;
  return valid_utf8(name.substr(0, kShown)) + (long_name ? "…" : "");
}

// Walks over the front of the file; never past it.
class Cursor {
 public:
  Cursor(std::string_view front, std::uint64_t file) : front_(front), file_(file) {}

  std::uint64_t at() const { return at_; }

  GgufRead<std::string_view> bytes(std::uint64_t count) {
    if (count <= front_.size() - at_) {
      const auto taken = front_.substr(at_, count);
      at_ += static_cast<std::size_t>(count);
      return taken;
    }
    if (count > file_ - std::min<std::uint64_t>(file_, at_))
      return fault(GgufFault::Kind::EndsInside, {"it ends inside its header", "在文件头中间结束"},
                   Bytes{static_cast<std::int64_t>(std::min(at_ + count, kMostData))});
    return fault(GgufFault::Kind::NeedMore,
                 {"its header is longer than what was read of it", "文件头比读到的部分更长"},
                 Bytes{static_cast<std::int64_t>(at_ + count)});
  }

  GgufRead<std::uint64_t> bits(std::uint64_t width) {
    SX_TRY(const std::string_view raw, bytes(width));
    std::uint64_t value = 0;
    for (std::size_t i = raw.size(); i > 0; --i)
      value = (value << 8U) | static_cast<unsigned char>(raw[i - 1]);
    return value;
  }

  GgufRead<std::uint32_t> number32() {
    SX_TRY(const std::uint64_t value, bits(4));
    return static_cast<std::uint32_t>(value);
  }

  GgufRead<std::string_view> string() {
    SX_TRY(const std::uint64_t length, bits(8));
    if (length > kLongestGguf)
      return damaged({"its header has a string of " + std::to_string(length) + " bytes",
                      "文件头中有一个长 " + std::to_string(length) + " 字节的字符串"});
    return bytes(length);
  }

 private:
  std::string_view front_;
  std::uint64_t file_;
  std::size_t at_ = 0;
};

// The first name that stands twice; empty: none does.
template <class Entry>
std::string_view doubled(const std::vector<Entry>& entries) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const Entry& entry : entries) names.push_back(entry.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  return twice == names.end() ? std::string_view{} : *twice;
}

GgufRead<std::vector<GgufKey>> read_keys(Cursor& cursor, std::uint64_t count);
// Fills tensors, data_begin and data_end of a header whose keys were read.
GgufRead<void> read_tensors(Cursor& cursor, std::uint64_t count, GgufHeader& header);

}  // namespace sx::gguf
