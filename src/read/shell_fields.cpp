// Collecting fields, each at most one mebibyte long.
#include "read/shell_fields.h"

#include <algorithm>
#include <utility>

namespace sx {
namespace {

constexpr std::size_t kLongestWord = std::size_t{1} << 20U;
constexpr std::string_view kBlank = " \t\n\r";

}  // namespace

bool ShellFields::add(std::string_view text, bool complete) {
  open_ = true;
  const std::size_t room = kLongestWord - std::min(length_, kLongestWord);
  const bool fits = text.size() <= room;
  text = text.substr(0, room);
  length_ += text.size();
  add_piece(current_, text, complete && fits);
  return fits;
}

bool ShellFields::add_value(const ShellValue& value) {
  bool fits = true;
  for (const auto& piece : value) fits = add(piece.text, piece.complete) && fits;
  return fits;
}

bool ShellFields::add_split(const ShellValue& value) {
  if (splitting_ == Splitting::Off) return add_value(value);
  bool fits = true;
  for (const auto& piece : value) {
    std::string_view text = piece.text;
    if (!piece.complete) {
      fits = add(text, false) && fits;
      continue;
    }
    while (!text.empty()) {
      const auto blank = std::min(text.find_first_of(kBlank), text.size());
      if (blank > 0) fits = add(text.substr(0, blank)) && fits;
      if (blank == text.size()) break;
      if (open_) next_field();
      text.remove_prefix(std::min(text.find_first_not_of(kBlank, blank), text.size()));
    }
  }
  return fits;
}

void ShellFields::next_field() {
  if (splitting_ == Splitting::Off) {
    add(" ");
    return;
  }
  fields_.push_back(std::exchange(current_, {}));
  length_ = 0;
  open_ = false;
}

std::vector<ShellValue> ShellFields::finish() {
  if (open_) next_field();
  return std::exchange(fields_, {});
}

ShellValue ShellFields::finish_value() {
  open_ = false;
  length_ = 0;
  return std::exchange(current_, {});
}

}  // namespace sx
