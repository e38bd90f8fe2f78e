// Reads one word of shell text: quotes, escapes and variables resolved, with its place.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "read/command.h"
#include "read/shell_context.h"
#include "read/shell_cursor.h"
#include "read/shell_fields.h"

namespace sx {

struct ReadWord {
  std::vector<Word> words;  // none when all of it was an empty variable
  bool bare =
      false;  // no quotes, no escapes, no variables: it may be a keyword or an operator's number
};

class ShellWordReader {
 public:
  ShellWordReader(ShellContext& context, const ShellPart& part, ShellCursor& cursor)
      : context_(context), part_(part), cursor_(cursor) {}

  ReadWord word();
  // The right side of an assignment: one value, nothing is split.
  struct Value {
    ShellValue value;
    bool literal = true;
  };
  Value value();
  // The words between ( and ), for arrays; the opening bracket has been taken.
  struct Array {
    std::vector<ShellValue> elements;
  };
  Array array();

 private:
  friend class ShellParameterReader;
  enum class Until { WordEnd, Brace, DoubleQuote };

  void parts(ShellFields& fields, Until until);
  void plain_run(ShellFields& fields, Until until);
  void backslash(ShellFields& fields, Until until);
  void single_quotes(ShellFields& fields);
  void escapes(ShellFields& fields);  // $'…'
  void double_quotes(ShellFields& fields);
  void dollar(ShellFields& fields);
  void parameter(ShellFields& fields);
  void substitution(ShellFields& fields, std::size_t opening, char closer);
  void arithmetic(ShellFields& fields);
  void too_long(bool fits);
  void note(ShellNote::Kind kind, std::size_t begin) {
    context_.note(kind, part_.span(begin, cursor_.at()));
  }

  ShellContext& context_;
  const ShellPart& part_;
  ShellCursor& cursor_;
  int depth_ = 0;          // of ${…:-${…}}
  std::size_t begin_ = 0;  // of the word
  bool quoted_ = false;    // inside double quotes
  bool literal_ = true;
  bool bare_ = true;
  bool cut_ = false;         // the note about its length was made
  bool empty_list_ = false;  // "${A[@]}" of an empty array is no word at all
};

}  // namespace sx
