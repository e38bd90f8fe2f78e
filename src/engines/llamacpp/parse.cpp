// One walk over the words. The parser is plain: a flag takes the next word, whatever it looks like.
#include "engines/llamacpp/parse.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "engines/llamacpp/values.h"
#include "knowledge/foreign_flags.h"

namespace sx::llamacpp {
namespace {

// A line with more problems is no command; the rest are counted.
constexpr std::size_t kProblemLimit = 200;
// Nearest spellings cost a walk over all flags.
constexpr std::size_t kSuggestionLimit = 20;
constexpr std::size_t kListValues = 2;  // --control-vector-layer-range START END

bool looks_like_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && !front_number(word);
}

class Walk {
 public:
  Walk(const Command& command, const EngineFlags& flags, const Version& version, std::size_t at)
      : words_(command.words), flags_(flags), version_(version), at_(at) {}

  Parsed run() {
    while (at_ < words_.size()) step();
    return std::move(parsed_);
  }

 private:
  void step() {
    const std::size_t first = at_++;
    const Word& word = words_[first];
    const FlagRow* row = flag_named(word.text, flags_);
    if (row == nullptr) return no_flag(first);
    const Standing standing = flags_.standing(*row, version_);
    const bool opposite = !row->opposite_of.empty();
    FlagUse use = use_at(first, std::string(opposite ? row->opposite_of : row->name));
    use.negated = opposite;
    use.possible = standing == Standing::Possible;
    const bool there = standing == Standing::Known || standing == Standing::Possible;
    take_values(*row, use, there);
    if (standing == Standing::Removed || standing == Standing::NotYet) {
      const bool gone = standing == Standing::Removed;
      report(problem_of(gone ? FlagProblem::Kind::Removed : FlagProblem::Kind::NotYet, use));
    }
    parsed_.flags.push_back(std::move(use));
  }

  FlagUse use_at(std::size_t index, std::string name) const {
    const Word& word = words_[index];
    return {.name = std::move(name),
            .typed = word.text,
            .complete = word.complete,
            .name_span = word.span,
            .span = word.span,
            .first_word = index,
            .word_count = 1};
  }

  void add_value(FlagUse& use) {
    const Word& value = words_[at_];
    use.values.push_back(value.text);
    use.complete = use.complete && value.complete;
    if (value.span.source == use.span.source && value.span.end > use.span.end)
      use.span.end = value.span.end;
    use.word_count = ++at_ - use.first_word;
  }

  // `judged`: values of flags that this version lacks are not looked at.
  void take_values(const FlagRow& row, FlagUse& use, bool judged) {
    if (row.kind == FlagKind::Switch) return;
    const std::size_t wanted_values = row.kind == FlagKind::List ? kListValues : 1;
    for (std::size_t i = 0; i < wanted_values; ++i) {
      if (at_ == words_.size() || is_forgotten(row)) {
        if (judged) missing(row, use);
        return;
      }
      add_value(use);
      const std::string& value = use.values.back();
      if (!judged || !use.complete) continue;
      if (const auto fault = value_fault(row, value, version_)) {
        FlagProblem problem = problem_of(fault->kind, use);
        problem.value = value;
        problem.expected = fault->expected;
        report(std::move(problem));
        return;
      }
    }
  }

  // The parser would take another flag's name for the value and refuse it; the person forgot the
  // value.
  bool is_forgotten(const FlagRow& row) const {
    const Word& next = words_[at_];
    return next.complete && next.text.starts_with('-') &&
           flag_named(next.text, flags_) != nullptr && value_fault(row, next.text, version_);
  }

  void missing(const FlagRow& row, const FlagUse& use) {
    if (!use.complete) return;
    FlagProblem problem = problem_of(FlagProblem::Kind::MissingValue, use);
    problem.expected = wanted(row);
    report(std::move(problem));
  }

  static FlagProblem problem_of(FlagProblem::Kind kind, const FlagUse& use) {
    return {.kind = kind,
            .name = use.name,
            .typed = use.typed,
            .value = use.values.empty() ? std::string() : use.values.front(),
            .span = use.span,
            .first_word = use.first_word,
            .word_count = use.word_count};
  }

  void no_flag(std::size_t first) {
    const Word& word = words_[first];
    if (!word.complete) return;  // may be a flag, or nothing at all, once it is known
    if (!looks_like_flag(word.text)) {
      return report({.kind = FlagProblem::Kind::ExtraWord,
                     .name = word.text,
                     .typed = word.text,
                     .span = word.span,
                     .first_word = first,
                     .word_count = 1});
    }
    FlagUse use = use_at(first, word.text);
    const ForeignFlag* foreign = foreign_flag("llamacpp", word.text);
    if (foreign != nullptr) use.meant = std::string(foreign->name);
    // Words of their own are never taken, so the next one belongs to this flag.
    const bool glued = word.text.find('=') != std::string::npos;
    if (!glued && at_ < words_.size() && !looks_like_flag(words_[at_].text)) add_value(use);
    FlagProblem problem = problem_of(FlagProblem::Kind::Unknown, use);
    if (!glued && suggested_++ < kSuggestionLimit) problem.candidates = suggestions(use);
    report(std::move(problem));
    parsed_.flags.push_back(std::move(use));
  }

  std::vector<std::string> suggestions(const FlagUse& use) const {
    if (!use.meant.empty()) return {use.meant};
    std::vector<std::string_view> names;
    for (const auto& [name, row] : flags_.by_name) {
      if (flags_.standing(flags_.rows[row], version_) == Standing::Known) names.push_back(name);
    }
    // Other engines' parsers take the beginning of a flag; this one does not, but it was meant.
    std::vector<std::string> begun;
    constexpr std::size_t kMostBegun = 2;
    constexpr std::size_t kShortest = 4;  // "--c" begins dozens
    for (const std::string_view name : names) {
      if (use.typed.size() >= kShortest && name.starts_with(use.typed)) begun.emplace_back(name);
    }
    return begun.empty() || begun.size() > kMostBegun ? closest(use.typed, names) : begun;
  }

  void report(FlagProblem problem) {
    if (parsed_.problems.size() < kProblemLimit) {
      parsed_.problems.push_back(std::move(problem));
    } else {
      ++parsed_.problems_left_out;
    }
  }

  const std::vector<Word>& words_;
  const EngineFlags& flags_;
  const Version& version_;
  Parsed parsed_;
  std::size_t at_;
  std::size_t suggested_ = 0;
};

}  // namespace

const FlagRow* flag_named(std::string_view word, const EngineFlags& flags) {
  if (!word.starts_with('-')) return nullptr;
  if (!word.starts_with("--")) return flags.find(word);
  return flags.find(replaced(word, "_", "-"));
}

Parsed parse(const Command& command, const Launch& launch, const EngineFlags& flags,
             const Version& version) {
  return Walk(command, flags, version, launch.arguments).run();
}

}  // namespace sx::llamacpp
