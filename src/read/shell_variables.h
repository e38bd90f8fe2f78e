// The variables of a shell text as far as they can be known without running it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace sx {

// A value is text, parts of which may not be known; those keep the text as it was written: "$TP".
struct ShellPiece {
  std::string text;
  bool complete = true;
  bool operator==(const ShellPiece&) const = default;
};
using ShellValue = std::vector<ShellPiece>;

void add_piece(ShellValue& value, std::string_view text, bool complete);
std::string text_of(const ShellValue& value);
bool is_complete(const ShellValue& value);

struct ShellVariable {
  std::vector<ShellValue> elements;  // a plain variable has one
  bool array = false;
  bool unknown = false;  // nothing is known of its value
  bool exported = false;
  Span span;             // NAME=value as written last
  bool literal = false;  // those bytes are the value and nothing else
};

// How much text all expansions together may copy; beyond it nothing is known any more.
class ShellBudget {
 public:
  bool spend(std::size_t bytes) {
    left_ = bytes < left_ ? left_ - bytes : 0;
    return left_ > 0;
  }
  bool spent() const { return left_ == 0; }

 private:
  std::size_t left_ = std::size_t{64} << 20U;
};

class ShellVariables {
 public:
  explicit ShellVariables(ShellBudget& budget) : budget_(budget) {}

  const ShellVariable* find(std::string_view name) const;  // null: set nowhere in this text
  void set(std::string_view name, ShellVariable variable);
  void append(std::string_view name, ShellVariable more);
  void unset(std::string_view name);
  void make_exported(std::string_view name);
  void export_everything(bool on) { export_everything_ = on; }
  // Exported names in the order in which they were first exported.
  const std::vector<std::string>& exported() const { return exported_; }

  // What happens inside may not happen (Branch) or is forgotten behind it (Subshell).
  enum class Scope { Branch, Subshell };
  void open(Scope scope);
  void next_branch();  // else, elif, the next pattern of a case
  void close();
  // The innermost branch is taken when this variable is empty: [ -z "$TP" ].
  void branch_if_empty(std::string name);

 private:
  using Values = std::map<std::string, ShellVariable, std::less<>>;
  using Maybe = std::optional<ShellVariable>;
  struct Touched {
    Maybe before;
    std::vector<Maybe> outcomes;  // of the branches so far
    bool in_this_branch = false;
  };
  struct Frame {
    Scope scope = Scope::Branch;
    std::map<std::string, Touched, std::less<>> touched;
    std::vector<std::string> if_empty;
  };

  void touch(std::string_view name);
  void put(std::string_view name, Maybe variable);
  Maybe current(std::string_view name) const;
  Maybe merged(const Frame& frame, const std::string& name, Touched touched);
  bool afford(const Maybe& variable);

  ShellBudget& budget_;
  Values values_;
  std::vector<Frame> frames_;
  std::vector<std::string> exported_;
  bool export_everything_ = false;
};

// $1, $2 … and "$@" are the elements of one array of this name, known once `set --` was seen.
constexpr std::string_view kPositional = "@";
inline void forget_positional(ShellVariables& variables) {
  variables.set(kPositional, {.array = true, .unknown = true});
}

}  // namespace sx
