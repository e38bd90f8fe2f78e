// Keys of the file become flags in front of the command's own, so that what stands in the command
// wins over the file.
#include "engines/argparse/line.h"

#include <algorithm>

#include "base/strings.h"
#include "read/yaml.h"
#include "read/yaml_json.h"

namespace sx::argparse {
namespace {

constexpr std::string_view kConfig = "--config";

Piece piece_of(const Word& word, std::size_t index) {
  return {.text = word.text,
          .span = word.span,
          .word = index,
          .literal = word.literal,
          .complete = word.complete};
}

FlagProblem config_problem(FlagProblem::Kind kind, const Piece& piece, std::size_t words) {
  return {.kind = kind,
          .name = std::string(kConfig),
          .typed = std::string(kConfig),
          .span = piece.span,
          .first_word = piece.word,
          .word_count = words};
}

// What Python's str() gives for a scalar.
std::string python_text(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::Null || node.type == YamlNode::Type::Null) return "None";
  if (node.type == YamlNode::Type::Bool) return node.boolean() == true ? "True" : "False";
  if (node.type == YamlNode::Type::Integer) {
    if (const auto number = node.integer()) return std::to_string(*number);
  }
  return node.text;
}

// One file as pieces.
class Splice {
 public:
  Splice(Line& line, const Dialect& dialect, std::size_t word)
      : line_(line), dialect_(dialect), word_(word) {}

  void member(const std::string& key, const YamlNode& value) {
    if (value.kind == YamlNode::Kind::Scalar && value.type == YamlNode::Type::Bool) {
      if (value.boolean() == true) return add("--" + key, value.key_span);
      no_effect(key, value);
      return;
    }
    if (value.kind == YamlNode::Kind::List) {
      if (value.items.empty()) return;
      add("--" + key, value.key_span);
      for (const YamlNode& item : value.items) add(python_text(item), item.span);
      return;
    }
    add("--" + key, value.key_span);
    if (value.kind != YamlNode::Kind::Map) return add(python_text(value), value.span);
    const bool as_json = dialect_.habit("config-dictionary").has_value();
    add(as_json ? json_of(value) : "{'" + key + "': …}", value.span);
  }

  std::vector<Piece> pieces;

 private:
  void add(std::string text, Span span) {
    pieces.push_back({.text = std::move(text), .span = span, .word = word_, .spliced = true});
  }

  void no_effect(const std::string& key, const YamlNode& value) {
    line_.problems.push_back({.kind = FlagProblem::Kind::NoEffect,
                              .name = "--" + replaced(key, "_", "-"),
                              .typed = key,
                              .value = value.text,
                              .span = {value.key_span.source, value.key_span.begin, value.span.end},
                              .first_word = word_});
  }

  Line& line_;
  const Dialect& dialect_;
  std::size_t word_;
};

bool yaml_name(std::string_view path, const Dialect& dialect) {
  const auto dot = path.rfind('.');
  std::string ending(dot == std::string_view::npos ? path : path.substr(dot + 1));
  if (dialect.habit("config-any-case")) ending = lower(ending);
  return ending == "yaml" || ending == "yml";
}

struct Splicer {
  Line& line;
  const Dialect& dialect;
  const Sources& sources;
  const SplicedFile& spliced;

  void unreadable(const Piece& flag, const Piece& file, FlagProblem::File fault,
                  Both why = {}) const {
    FlagProblem problem = config_problem(FlagProblem::Kind::ConfigUnreadable, flag, 2);
    problem.value = file.text;
    problem.file = fault;
    problem.expected = std::move(why);
    if (file.span.source == flag.span.source)
      problem.span.end = std::max(problem.span.end, file.span.end);
    line.problems.push_back(std::move(problem));
  }

  std::vector<Piece> read(const Piece& flag, const Piece& file) const {
    if (!file.complete) return {};
    if (!yaml_name(file.text, dialect))
      return unreadable(flag, file, FlagProblem::File::Ending), std::vector<Piece>{};
    const std::optional<int> source = spliced ? spliced(file.text) : std::nullopt;
    if (!source) return unreadable(flag, file, FlagProblem::File::NotThere), std::vector<Piece>{};
    const auto documents = parse_yaml(sources, *source);
    if (!documents) {
      return unreadable(flag, file, FlagProblem::File::NotYaml, documents.error().words()),
             std::vector<Piece>{};
    }
    if (documents->size() != 1 || documents->front().kind != YamlNode::Kind::Map) {
      return unreadable(flag, file, FlagProblem::File::NoMap), std::vector<Piece>{};
    }
    Splice splice(line, dialect, file.word);
    for (const auto& [key, value] : documents->front().members) splice.member(key, value);
    return std::move(splice.pieces);
  }
};

void record_config(Line& line, const Piece& flag, const Piece& file) {
  FlagUse use{.name = std::string(kConfig),
              .typed = flag.text,
              .values = {file.text},
              .complete = file.complete,
              .name_span = flag.span,
              .span = flag.span,
              .first_word = flag.word,
              .word_count = 2};
  if (file.span.source == flag.span.source) use.span.end = std::max(use.span.end, file.span.end);
  line.config.push_back(std::move(use));
}

}  // namespace

Line make_line(const Command& command, const Launch& launch, const Dialect& dialect,
               const Sources& sources, const SplicedFile& spliced) {
  Line line;
  std::vector<Piece> words;
  for (std::size_t i = launch.arguments; i < command.words.size(); ++i)
    words.push_back(piece_of(command.words[i], i));
  if (launch.arguments > 0)
    line.launcher = piece_of(command.words[launch.arguments - 1], launch.arguments - 1);
  const FlagRow* row = dialect.flags.find(kConfig);
  if (row == nullptr || !dialect.has(*row)) {
    line.pieces = std::move(words);
    return line;
  }

  const auto is_config = [](const Piece& piece) { return piece.text == kConfig; };
  const auto flag = std::ranges::find_if(words, is_config);
  for (const Piece& piece : words) {
    if (piece.text.starts_with("--config=")) {
      FlagProblem problem = config_problem(FlagProblem::Kind::ConfigIgnored, piece, 1);
      problem.value = piece.text.substr(kConfig.size() + 1);
      if (spliced && piece.complete)
        spliced(problem.value);  // read, so that the corrected command can be judged by it
      line.problems.push_back(std::move(problem));
    }
  }
  if (flag == words.end() || flag + 1 == words.end()) {
    line.pieces = std::move(words);  // a --config without a file is a flag without its value
    return line;
  }

  const Piece flag_piece = *flag;
  const Piece file = *(flag + 1);
  line.has_config = true;
  record_config(line, flag_piece, file);
  const Splicer splicer{line, dialect, sources, spliced};
  if (std::ranges::count_if(words, is_config) > 1)
    splicer.unreadable(flag_piece, file, FlagProblem::File::Several);
  std::vector<Piece> inside = splicer.read(flag_piece, file);
  words.erase(flag, flag + 2);

  const bool model_first = launch.entry == Entry::Serve && !words.empty() &&
                           !words.front().text.starts_with('-') &&
                           words.front().word < flag_piece.word;
  const auto at = words.begin() + (model_first ? 1 : 0);
  words.insert(at, std::make_move_iterator(inside.begin()), std::make_move_iterator(inside.end()));
  line.pieces = std::move(words);
  return line;
}

}  // namespace sx::argparse
