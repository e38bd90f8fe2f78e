// One walk over the pieces, as Python's argparse makes it.
#include "engines/argparse/parse.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "engines/argparse/model_place.h"
#include "engines/argparse/values.h"
#include "knowledge/foreign_flags.h"

namespace sx::argparse {
namespace {

// A line with more problems is no command; the rest are counted.
constexpr std::size_t kProblemLimit = 200;
// Nearest spellings cost a walk over all flags.
constexpr std::size_t kSuggestionLimit = 20;

bool is_truth_word(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kWords{"true", "false", "yes", "no", "on",
                                                           "off",  "1",     "0",   "t",  "f"};
  return std::ranges::find(kWords, lower(text)) != kWords.end();
}

class Walk {
 public:
  Walk(const Line& line, Entry entry, const Dialect& dialect)
      : line_(line),
        dialect_(dialect),
        model_may_follow_(entry == Entry::Serve && !dialect.holds("model-word", "first")) {
    parsed_.flags = line_.config;
    for (const auto& problem : line_.problems) report(problem);
  }

  Parsed run() {
    while (at_ < line_.pieces.size()) step();
    return std::move(parsed_);
  }

 private:
  const Piece& piece(std::size_t index) const { return line_.pieces[index]; }

  void step() {
    const Piece& here = piece(at_);
    if (!only_arguments_ && here.text == "--") {
      only_arguments_ = true;
      ++at_;
      return;
    }
    if (!is_flag(at_)) return argument(at_++);
    flag();
  }

  // A word that argparse takes for an option. One with a blank in it is one only when it names a
  // flag in full.
  bool is_flag(std::size_t index) const {
    if (index >= line_.pieces.size() || only_arguments_) return false;
    const std::string& text = piece(index).text;
    if (!looks_like_flag(text)) return false;
    if (text.find(' ') == std::string::npos || text.find(' ') > text.find('=')) return true;
    return find_spelling(text, dialect_).found == Spelling::Found::One;
  }

  bool is_argument(std::size_t index) const {
    return index < line_.pieces.size() && !is_flag(index) &&
           (only_arguments_ || piece(index).text != "--");
  }

  void argument(std::size_t index) {
    parsed_.arguments.push_back({.piece = index, .flags_before = parsed_.flags.size()});
  }

  void flag() {
    const std::size_t first = at_++;
    const Spelling spelling = find_spelling(piece(first).text, dialect_);
    FlagUse use = start_use(first, spelling);
    if (spelling.found == Spelling::Found::One) {
      use.possible = spelling.standing == Standing::Possible;
      values_of(*spelling.row, spelling, first, use);
      check(*spelling.row, use);
    } else if (spelling.row != nullptr) {
      values_of(*spelling.row, spelling, first, use);
      other_version(spelling, use);
    } else {
      unknown(spelling, first, use);
    }
    parsed_.flags.push_back(std::move(use));
  }

  FlagUse start_use(std::size_t index, const Spelling& spelling) const {
    const Piece& from = piece(index);
    FlagUse use{.name = spelling.row != nullptr ? std::string(spelling.row->name) : spelling.name,
                .typed = from.text.substr(0, spelling.name_length),
                .path = spelling.path,
                .append = spelling.append,
                .negated = spelling.negated,
                .complete = from.complete,
                .spliced = from.spliced,
                .name_span = from.span,
                .span = from.span,
                .first_word = from.word,
                .word_count = from.spliced ? std::size_t{0} : std::size_t{1}};
    // A quoted word keeps its quotes underlined; a plain one loses its "=value".
    if (from.literal && from.span.end - from.span.begin == from.text.size() && !from.spliced) {
      use.name_span.end = use.name_span.begin + spelling.name_length;
    }
    return use;
  }

  void add_value(FlagUse& use, std::size_t index) {
    const Piece& value = piece(index);
    use.values.push_back(value.text);
    use.complete = use.complete && value.complete;
    cover(use, value);
  }

  static void cover(FlagUse& use, const Piece& value) {
    if (value.span.source == use.span.source && value.span.end > use.span.end)
      use.span.end = value.span.end;
    if (!value.spliced) use.word_count = value.word + 1 - use.first_word;
  }

  void values_of(const FlagRow& row, const Spelling& spelling, std::size_t first, FlagUse& use) {
    if (spelling.path) return dotted_value(row, spelling, use);
    if (row.kind == FlagKind::Switch || spelling.negated)
      return no_value(row, spelling, first, use);
    if (spelling.value) {
      use.values.push_back(*spelling.value);
      return;
    }
    if (row.kind == FlagKind::List) {
      while (is_argument(at_)) add_value(use, at_++);
    } else if (is_argument(at_)) {
      add_value(use, at_++);
    }
    // Flags that are gone were read without their kinds: some of those texts may have been
    // switches.
    const bool may_be_bare =
        row.kind == FlagKind::Optional || (row.kind == FlagKind::String && row.removed);
    if (use.values.empty() && !may_be_bare) missing(row, use);
  }

  void dotted_value(const FlagRow& row, const Spelling& spelling, FlagUse& use) {
    if (spelling.value) {
      use.values.push_back(*spelling.value);
      return;
    }
    // The next word is taken whatever it is, but for one that plainly is another flag.
    if (at_ < line_.pieces.size() && !piece(at_).text.starts_with("--"))
      return add_value(use, at_++);
    missing(row, use);
  }

  void no_value(const FlagRow& row, const Spelling& spelling, std::size_t first, FlagUse& use) {
    const bool old_value = !use.negated && dialect_.holds("switch-value", row.name);
    if (spelling.value) {
      if (old_value && is_truth_word(*spelling.value)) return truth(*spelling.value, use);
      return unwanted(row, *spelling.value, first, use);
    }
    if (!is_argument(at_) || !piece(at_).complete || !is_truth_word(piece(at_).text)) return;
    // The parser itself would take it for the model, or for a word too many; the person meant the
    // switch.
    const std::string value = piece(at_).text;
    cover(use, piece(at_++));
    if (old_value) return truth(value, use);
    unwanted(row, value, first, use);
  }

  static void truth(const std::string& value, FlagUse& use) {
    const std::string word = lower(value);
    use.values.push_back(value);
    use.negated = word == "false" || word == "0" || word == "no" || word == "off" || word == "f";
  }

  void unwanted(const FlagRow& row, const std::string& value, std::size_t first, FlagUse& use) {
    FlagProblem problem = problem_of(FlagProblem::Kind::UnwantedValue, row, use);
    problem.value = value;
    if (piece(first).complete) report(std::move(problem));
  }

  void missing(const FlagRow& row, FlagUse& use) {
    if (!use.complete) return;
    const auto fault = value_fault(row, "", dialect_);
    FlagProblem problem = problem_of(FlagProblem::Kind::MissingValue, row, use);
    problem.expected = fault && !use.path ? fault->expected : Both{"a value", "一个值"};
    if (row.kind == FlagKind::Json && !use.path) problem.expected = {"a JSON object", "JSON 对象"};
    report(std::move(problem));
  }

  FlagProblem problem_of(FlagProblem::Kind kind, const FlagRow& row, const FlagUse& use) const {
    return {.kind = kind,
            .name = std::string(row.name),
            .typed = use.typed,
            .value = use.values.empty() ? std::string() : use.values.front(),
            .span = use.span,
            .first_word = use.first_word,
            .word_count = use.word_count};
  }

  void check(const FlagRow& row, const FlagUse& use) {
    if (!use.complete || row.kind == FlagKind::Switch) return;
    if (use.path) {
      if (row.kind == FlagKind::Json) return;
      const auto fault = value_fault(row, "{}", dialect_);
      if (fault && !use.values.empty()) fault_found(row, use, *fault, use.values.front());
      return;
    }
    for (const std::string& value : use.values) {
      if (const auto fault = value_fault(row, value, dialect_))
        return fault_found(row, use, *fault, value);
    }
  }

  void fault_found(const FlagRow& row, const FlagUse& use, const ValueFault& fault,
                   const std::string& value) {
    FlagProblem problem = problem_of(fault.kind, row, use);
    problem.value = value;
    problem.expected = fault.expected;
    report(std::move(problem));
  }

  // A flag of other versions.
  void other_version(const Spelling& spelling, const FlagUse& use) {
    const auto kind = spelling.standing == Standing::Removed ? FlagProblem::Kind::Removed
                                                             : FlagProblem::Kind::NotYet;
    FlagProblem problem = problem_of(kind, *spelling.row, use);
    problem.candidates = spelling.candidates;
    report(std::move(problem));
  }

  void unknown(const Spelling& spelling, std::size_t first, FlagUse& use) {
    const ForeignFlag* foreign = foreign_flag(dialect_.flags.engine, spelling.name);
    const FlagRow* meant = foreign != nullptr ? dialect_.flags.find(foreign->name) : nullptr;
    if (meant != nullptr) use.meant = std::string(meant->name);
    if (spelling.value) {
      use.values.push_back(*spelling.value);
    } else if (takes_next(meant, foreign)) {
      add_value(use, at_++);
    }
    if (!piece(first).complete) return;
    const bool many = spelling.found == Spelling::Found::Many;
    FlagProblem problem{.kind = many ? FlagProblem::Kind::Ambiguous : FlagProblem::Kind::Unknown,
                        .name = use.name,
                        .typed = use.typed,
                        .value = use.values.empty() ? std::string() : use.values.front(),
                        .candidates = spelling.candidates,
                        .span = use.span,
                        .first_word = use.first_word,
                        .word_count = use.word_count};
    if (!many && suggested_++ < kSuggestionLimit)
      problem.candidates = suggestions(spelling.name, dialect_);
    report(std::move(problem));
  }

  // Whether the word behind an unknown flag is its value or the model: known for other engines'
  // flags; else a number is a value, and so is every word that cannot be the model.
  bool takes_next(const FlagRow* meant, const ForeignFlag* foreign) const {
    if (!is_argument(at_)) return false;
    const std::string& next = piece(at_).text;
    const bool number =
        python_number(next).has_value() || is_truth_word(next) || human_integer(next).has_value();
    if (meant != nullptr && meant->kind != FlagKind::Switch) return true;
    const bool is_no_model = !model_may_follow_ || !parsed_.arguments.empty();
    return number || (foreign == nullptr && is_no_model);
  }

  void report(FlagProblem problem) { add_problem(parsed_, std::move(problem)); }

  const Line& line_;
  const Dialect& dialect_;
  bool model_may_follow_;  // as a word of its own
  Parsed parsed_;
  std::size_t at_ = 0;
  std::size_t suggested_ = 0;
  bool only_arguments_ = false;
};

}  // namespace

void add_problem(Parsed& parsed, FlagProblem problem) {
  if (parsed.problems.size() < kProblemLimit) {
    parsed.problems.push_back(std::move(problem));
  } else {
    ++parsed.problems_left_out;
  }
}

Parsed parse(const Line& line, Entry entry, const Dialect& dialect) {
  Parsed parsed = Walk(line, entry, dialect).run();
  choose_model(parsed, line, entry, dialect);
  return parsed;
}

}  // namespace sx::argparse
