// The words that one written word becomes: text is collected, unquoted values are split at blanks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "read/shell_variables.h"

namespace sx {

class ShellFields {
 public:
  enum class Splitting { On, Off };  // Off: the right side of an assignment
  explicit ShellFields(Splitting splitting) : splitting_(splitting) {}

  // Text as written or in quotes: never split. False: the word is too long now and was cut.
  bool add(std::string_view text, bool complete = true);
  bool add_value(const ShellValue& value);
  // An unquoted value: its blanks end words.
  bool add_split(const ShellValue& value);
  // Quotes make a word even where they hold nothing.
  void touch() { open_ = true; }
  void next_field();

  bool open() const { return open_; }
  std::vector<ShellValue> finish();  // the fields, each at least an empty value
  ShellValue finish_value();         // all of it as one value

 private:
  Splitting splitting_;
  std::vector<ShellValue> fields_;
  ShellValue current_;
  std::size_t length_ = 0;  // of the current field
  bool open_ = false;
};

}  // namespace sx
