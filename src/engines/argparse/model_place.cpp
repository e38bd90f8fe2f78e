// Rows of command_line.tsv decide: "model-flag", "model-word" (anywhere, first), "model-required".
#include "engines/argparse/model_place.h"

#include <algorithm>
#include <utility>

#include "engines/argparse/reading.h"

namespace sx::argparse {
namespace {

Piece piece_of(const FlagUse& use) {
  return {.text = use.values.front(),
          .span = use.span,
          .word = use.word_count == 0 ? 0 : use.first_word + use.word_count - 1,
          .complete = use.complete,
          .spliced = use.spliced};
}

void extra(Parsed& parsed, const Piece& word) {
  if (!word.complete) return;  // may be nothing at all once it is known
  add_problem(parsed, {.kind = FlagProblem::Kind::ExtraWord,
                       .name = word.text,
                       .typed = word.text,
                       .span = word.span,
                       .first_word = word.word,
                       .word_count = word.spliced ? std::size_t{0} : std::size_t{1}});
}

std::vector<const FlagUse*> uses_of(const Parsed& parsed, std::string_view flag) {
  std::vector<const FlagUse*> uses;
  for (const FlagUse& use : parsed.flags) {
    if ((use.name == flag || use.meant == flag) && !use.values.empty()) uses.push_back(&use);
  }
  return uses;
}

// The engine moves the flag of the command in front of everything, where it takes the place of the
// model; the word that stood there is then one too many. A flag of a file only counts when there is
// no such word. Returns how many words of their own are used up.
std::size_t anywhere(Parsed& parsed, const Line& line, Entry entry, std::string_view flag) {
  for (const FlagUse* use : uses_of(parsed, flag)) {
    const bool moved = entry == Entry::Serve && !use->spliced;
    if (moved && parsed.model && !parsed.model->spliced) continue;  // only the first one is moved
    parsed.model = piece_of(*use);
  }
  const bool by_flag = parsed.model && !parsed.model->spliced;
  if (entry != Entry::Serve || by_flag || parsed.arguments.empty()) return 0;
  parsed.model = line.pieces[parsed.arguments.front().piece];
  return 1;
}

// The first word behind `serve` becomes the value of the flag, in front of all others: a later flag
// of the command wins over it, and it wins over the file.
std::size_t first(Parsed& parsed, const Line& line, Entry entry, std::string_view flag,
                  std::string_view passed_over) {
  std::size_t used = 0;
  const auto uses = uses_of(parsed, flag);
  for (const FlagUse* use : uses) {
    if (use->spliced) parsed.model = piece_of(*use);
  }
  if (entry == Entry::Serve && !parsed.arguments.empty()) {
    const Argument& word = parsed.arguments.front();
    const auto end = parsed.flags.begin() + static_cast<std::ptrdiff_t>(word.flags_before);
    const bool leads = std::all_of(parsed.flags.begin(), end, [&](const FlagUse& use) {
      // What stands behind it in the command was only read before it: the file of flags.
      return use.spliced || use.name == passed_over ||
             use.first_word > line.pieces[word.piece].word;
    });
    if (leads) {
      parsed.model = line.pieces[word.piece];
      used = 1;
    }
  }
  for (const FlagUse* use : uses) {
    if (!use->spliced) parsed.model = piece_of(*use);
  }
  return used;
}

// Where a launch without a model is refused: everywhere, or only beside a file of flags.
std::optional<Piece> refused_at(const Line& line, Entry entry, const Dialect& dialect) {
  if (line.has_config && entry == Entry::Serve) {
    const FlagUse& config = line.config.front();
    return Piece{.span = config.span, .word = config.first_word, .complete = config.complete};
  }
  if (dialect.habit("model-required")) return line.launcher;
  return {};
}

void no_model(Parsed& parsed, const Line& line, Entry entry, const Dialect& dialect) {
  const auto at = refused_at(line, entry, dialect);
  const auto unread =
      std::ranges::find(parsed.problems, FlagProblem::Kind::ConfigUnreadable, &FlagProblem::kind);
  if (!at || !at->complete || unread != parsed.problems.end()) return;
  // Words that are not known here may hold it.
  if (std::ranges::any_of(line.pieces, [](const Piece& piece) { return !piece.complete; })) return;
  add_problem(parsed, {.kind = FlagProblem::Kind::MissingValue,
                       .name = "model_tag",
                       .typed = "model_tag",
                       .expected = {"a model", "模型"},
                       .span = at->span,
                       .first_word = at->word,
                       .word_count = line.has_config ? std::size_t{2} : std::size_t{1}});
}

}  // namespace

void choose_model(Parsed& parsed, const Line& line, Entry entry, const Dialect& dialect) {
  const auto flag = dialect.habit("model-flag").value_or("--model");
  const bool only_first = dialect.holds("model-word", "first");
  const std::size_t used =
      only_first ? first(parsed, line, entry, flag, dialect.habit("serve-only").value_or(""))
                 : anywhere(parsed, line, entry, flag);
  for (std::size_t i = used; i < parsed.arguments.size(); ++i)
    extra(parsed, line.pieces[parsed.arguments[i].piece]);
  if (!parsed.model) no_model(parsed, line, entry, dialect);
}

bool fill_model_place(ServeSpec& serve, const Parsed& parsed, const Sources& sources) {
  if (!parsed.model) return false;
  const Piece& model = *parsed.model;
  serve.model_word = model.spliced ? 0 : model.word;
  serve.model = model.complete ? Fact<std::string>(model.text, Origin::Flag, model.span)
                               : Fact<std::string>::unknown(why_incomplete(sources, model.span));
  return true;
}

}  // namespace sx::argparse
