// Launch rules of an engine as rows (data/engines/<engine>/constraints.tsv): when one bites, what
// is said of it, what would clear it. The rules of the catalogue speak for them, each for its rows.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/condition.h"
#include "knowledge/tables.h"

namespace sx {

// A sentence of a row; `{expression}` in it is filled with the value of that expression.
struct Sentence {
  std::string_view english, chinese;
  bool empty() const { return english.empty(); }
};

// Where the engine is when it finds out; each has its standing sentence.
enum class LaunchStage { Arguments, Configuration, Workers, Model, Loading, WarmUp, Silent };

struct ConstraintRow {
  std::string_view id;    // "eplb-needs-ep"
  std::string_view rule;  // name of the rule that speaks for it
  std::string_view severity;
  std::optional<Version> since, until;  // `until` is the last version that is so
  std::string_view when;
  // What `when` says; empty: it cannot be read.
  std::optional<Condition> condition() const { return Condition::read(when); }
  // What is underlined: "--flag", "$VARIABLE" or the name of a fact. The row can only bite where
  // the first one is in the command.
  std::vector<std::string_view> marks;
  Sentence title, label, because, otherwise, no_fix;
  LaunchStage stage = LaunchStage::Configuration;
  // Alternatives, best first, each a list of changes: "drop --a", "add --b", "set --c 4",
  // "env NAME value", "unset NAME".
  std::vector<std::string_view> fixes;
  std::string_view source;
};

// What tells whether a row bites: a launch touches a few of hundreds, and the others are not read
// any further.
struct ConstraintHead {
  std::string_view id, rule, first_mark;  // of the row's marks; empty: it has none
  std::string_view when;
  std::string_view since, until;  // cells, as few rows are asked for them
  std::size_t number = 0;         // in the table

  bool holds_in(const Version& version) const;
  // What `when` says; empty: it cannot be read.
  std::optional<Condition> condition() const { return Condition::read(when); }
};

class Constraints {
 public:
  explicit Constraints(const Table& table);

  std::vector<ConstraintRow> rows() const;  // all, in the order of rules and first marks
  // Those that a rule speaks for; rows with the same first mark stand together.
  std::span<const ConstraintHead> of_rule(std::string_view rule) const;
  ConstraintRow row(const ConstraintHead& head) const;

 private:
  Table table_;
  std::vector<ConstraintHead> heads_;  // in the order of rules and first marks
};

// Null for an engine without such a table.
const Constraints* constraints_of(std::string_view engine);

}  // namespace sx
