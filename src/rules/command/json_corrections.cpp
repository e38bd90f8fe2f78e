// Each guess is kept only when the outcome is JSON without a note.
#include "rules/command/json_corrections.h"

#include "base/strings.h"
#include "read/json.h"
#include "rules/command/flag_words.h"
#include "rules/command/value_corrections.h"

namespace sx::rules {
namespace {

constexpr Text kAsJson{"write it as JSON: {value}", "写成 JSON：{value}"};
constexpr Text kInQuotes{"put the JSON into single quotes, so that the shell leaves it alone",
                         "用单引号把 JSON 括起来，让 shell 原样传递"};

// More words than one JSON value is ever split into.
constexpr std::size_t kWordLimit = 64;

bool is_json(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  if (!document) return false;
  for (const JsonNote& note : document->notes()) {
    if (note.kind == JsonNote::Kind::Comment || note.kind == JsonNote::Kind::TrailingComma)
      return false;
  }
  return document->root().is(JsonKind::Object) || document->root().is(JsonKind::Array);
}

// A word without quotes is one of Python's or JSON's own, else a text whose quotes are gone.
std::string json_word(std::string_view word) {
  std::string small = lower(word);
  if (small == "true" || small == "false" || small == "null") return small;
  return word == "None" ? "null" : '"' + std::string(word) + '"';
}

bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_word(char c) {
  return begins_word(c) || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '/';
}

// One pass over the text, outside and inside of strings.
class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) {}

  std::optional<std::string> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        if (!string(c)) return {};
      } else if (begins_word(c)) {
        word();
      } else {
        if ((c == '}' || c == ']') && trimmed(out_).ends_with(','))
          out_.erase(out_.find_last_of(','));
        out_ += c;
        ++at_;
      }
    }
    return out_;
  }

 private:
  bool string(char quote) {
    out_ += '"';
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' || text_[at_] == '"') return false;  // no guessing about escapes
      out_ += text_[at_];
    }
    out_ += '"';
    return at_++ < text_.size();
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && in_word(text_[end])) ++end;
    out_ += json_word(text_.substr(at_, end - at_));
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

std::optional<std::string> as_list(const FlagRow& row, std::string_view text) {
  if (!row.default_text.starts_with('[') ||
      text.find_first_of("[]{}\"'\\") != std::string_view::npos)
    return {};
  std::string list;
  for (const auto part : split(text, ','))
    list += (list.empty() ? "\"" : ", \"") + std::string(trimmed(part)) + '"';
  return '[' + list + ']';
}

void propose_json(const Case& c, const FlagProblem& problem, const FlagUse& use,
                  const std::optional<std::string>& value, std::vector<Proposal>& proposals) {
  if (!value || !is_json(*value)) return;
  const auto change = with_value(c, use, problem.value, *value);
  if (!change) return;
  proposals.push_back({.title = {kAsJson, {{"value", shown(use.name, *value)}}},
                       .changes = {*change},
                       .safety = Safety::Safe});
}

// The words from `first` to `last` as one JSON object: as they stand in the file, else with quotes
// put around bare words.
std::optional<std::string> written(const Case& c, std::size_t first, std::size_t last) {
  const auto& words = c.command.words;
  const Span& begin = words[first].span;
  const Span& end = words[last].span;
  if (!words[first].text.starts_with('{') || begin.source < 0 || begin.source != end.source ||
      end.end < begin.begin)
    return {};
  const std::string_view raw = c.sources->text({begin.source, begin.begin, end.end});
  if (raw.starts_with('{') && is_json(raw)) return std::string(raw);
  if (last == first) return {};
  std::string joined;
  for (std::size_t i = first; i <= last; ++i) joined += (i == first ? "" : " ") + words[i].text;
  return python_as_json(joined);
}

}  // namespace

std::optional<std::string> python_as_json(std::string_view text) {
  auto rewritten = Rewriter(text).run();
  return rewritten && is_json(*rewritten) ? rewritten : std::nullopt;
}

std::optional<std::string> pairs_as_json(std::string_view text) {
  std::string object;
  for (const auto part : split(text, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || !to_integer(part.substr(equals + 1))) return {};
    object += (object.empty() ? "\"" : ", \"") + std::string(part.substr(0, equals)) +
              "\": " + std::string(part.substr(equals + 1));
  }
  return '{' + object + '}';
}

std::optional<Unquoted> unquoted_json(const Case& c, const FlagUse& use) {
  const auto& words = c.command.words;
  if (use.word_count != 2 || use.path) return {};
  const std::size_t first = use.first_word + 1;
  for (std::size_t last = first; last < words.size() && last < first + kWordLimit; ++last) {
    if (auto text = written(c, first, last)) {
      if (*text != words[first].text) return Unquoted{first, last, *std::move(text)};
    }
  }
  return {};
}

std::optional<Proposal> in_quotes(const Case& c, const FlagUse& use) {
  const auto unquoted = unquoted_json(c, use);
  if (!unquoted) return {};
  std::vector<Change> changes{replace_word(unquoted->first_word, unquoted->text)};
  for (std::size_t i = unquoted->first_word + 1; i <= unquoted->last_word; ++i)
    changes.push_back(remove_word(i));
  return Proposal{.title = kInQuotes, .changes = std::move(changes), .safety = Safety::Safe};
}

std::vector<Proposal> better_json(const Case& c, const FlagProblem& problem, const FlagUse& use,
                                  const FlagRow& row) {
  if (auto quoted = in_quotes(c, use)) return {*std::move(quoted)};
  std::vector<Proposal> proposals;
  propose_json(c, problem, use, python_as_json(problem.value), proposals);
  propose_json(c, problem, use, pairs_as_json(problem.value), proposals);
  propose_json(c, problem, use, as_list(row, problem.value), proposals);
  return proposals;
}

}  // namespace sx::rules
