// When an engine's launch rule bites, as a row of a table says it: a small expression over flags,
// variables and facts. Reading it is here; what the names stand for is decided by whoever asks.
//
//   given(--a) & tp % dcp != 0 | --page-size in (16, 32) & !$NAME & spec.method = 'eagle'
//
// From loose to tight: `|`, `&`, `!`, comparisons (= != < <= > >=, `in (…)`), + -, * / %, `??`.
// `--flag`, `--flag.key` (of a JSON flag), `$VARIABLE`, `name` and `name.key` are values; 'text'
// and numbers are themselves; `a ?? b` is b where a is not given; `given(x)` asks whether it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sx {

class Condition {
 public:
  enum class Kind : std::uint8_t {
    Number,
    Text,
    Flag,      // text is "--flag", key what follows the dot
    Variable,  // text is the name without $
    Name,      // text is the name, key what follows the dot
    Call,      // text is the function; children are its arguments
    In,        // first child in one of the others
    Or,
    And,
    Not,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Otherwise,
  };
  struct Node {
    Kind kind = Kind::Number;
    double number = 0;
    std::string_view text, key;  // of the text that was read
    std::vector<std::size_t> children;
  };

  // The text must outlive the condition. `problem` (for whoever writes rows) says what is wrong
  // where nothing comes back.
  static std::optional<Condition> read(std::string_view text, std::string* problem = nullptr);

  const Node& node(std::size_t at) const { return nodes_[at]; }
  const Node& root() const { return nodes_[root_]; }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  friend class ConditionReader;
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace sx
