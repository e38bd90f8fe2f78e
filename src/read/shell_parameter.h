// $NAME and ${NAME…} inside a word.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "read/shell_word_reader.h"

namespace sx {

class ShellParameterReader {
 public:
  ShellParameterReader(ShellWordReader& word, ShellFields& fields, bool in_quotes)
      : word_(word),
        context_(word.context_),
        cursor_(word.cursor_),
        fields_(fields),
        in_quotes_(in_quotes),
        begin_(word.cursor_.at()) {}

  void read();  // the cursor stands on the dollar

 private:
  enum class Which {
    Plain,
    All,
    Joined,
    Element,
    Unreadable
  };  // NAME, NAME[@], NAME[*], NAME[2], NAME[x]
  enum class State { Unset, Known, Unknown };

  void braces();
  void take_name();
  void take_index();
  void operation();
  void alternative(std::string_view operation);
  void cut(std::string_view operation);
  State look_up();
  State look_up_positional();
  void add_known();
  void add_count();
  void add_unknown();
  void read_inner_word();
  void assign_inner_word();
  void close_brace();

  ShellWordReader& word_;
  ShellContext& context_;
  ShellCursor& cursor_;
  ShellFields& fields_;
  bool in_quotes_;
  std::size_t begin_;
  std::string_view name_;
  Which which_ = Which::Plain;
  std::size_t index_ = 0;
  std::vector<ShellValue> values_;  // what look_up found
};

}  // namespace sx
