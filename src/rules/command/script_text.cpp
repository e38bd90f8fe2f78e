// Looks at the user's own bytes where the words alone do not tell.
#include "rules/command/script_text.h"

#include <algorithm>

#include "base/strings.h"
#include "knowledge/flags.h"
#include "read/shell_words.h"
#include "rules/command/docker_words.h"
#include "rules/command/printed_text.h"

namespace sx::rules {
namespace {

constexpr std::size_t kMostLooseBytes = std::size_t{16} << 10U;
constexpr std::size_t kMostLooseWords = 64;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// "$NAME", "${NAME}", perhaps with a path behind it.
bool names_variable(std::string_view value) {
  if (value.size() < 2 || value[0] != '$') return false;
  const bool braced = value[1] == '{';
  if (braced) value.remove_prefix(1);
  if (value.size() < 2 || !begins_name(value[1])) return false;
  const auto end =
      value.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", 1);
  if (braced) return end != std::string_view::npos && value[end] == '}';
  return end == std::string_view::npos || value[end] == '/' || value[end] == ':' ||
         value[end] == '-' || value[end] == '.';
}

// Whether the bytes of the word keep a shell from replacing what stands in it.
bool kept_by_quotes(std::string_view raw, std::string_view value, bool tilde) {
  if (!tilde) return raw.find('\'') != std::string_view::npos || raw.contains("\\$");
  // --flag=~/x is no assignment, so that the shell leaves the ~ alone.
  return raw.find_first_of("'\"") != std::string_view::npos || !raw.starts_with(value);
}

bool without_shell(const Case& c, const Word& word) {
  const auto kind = c.around.kind;
  return (kind == Surroundings::Kind::Kubernetes || kind == Surroundings::Kind::Compose) &&
         word.quoting != Quoting::Shell;
}

bool plain_shell(const Case& c) {
  if (c.command.source < 0 || c.command.written != Command::Text::Plain) return false;
  const auto& words = c.command.words;
  const auto own = std::ranges::find_if(words, [](const Word& word) {
    return word.span.source >= 0 && word.span.end > word.span.begin;
  });
  return own != words.end() && own->quoting == Quoting::Shell &&
         own->span.source == c.command.source;
}

}  // namespace

std::optional<ScriptText> script_text(const Case& c) {
  if (!plain_shell(c)) return {};
  const Source& source = c.sources->at(c.command.source);
  if (source.kind == SourceKind::Process) return {};
  const Span& span = c.command.span;
  if (span.end > source.text.size() || span.begin > span.end) return {};
  return ScriptText{
      .text = source.text, .source = c.command.source, .begin = span.begin, .end = span.end};
}

std::optional<ScriptText> whole_script(const Case& c) {
  using enum Surroundings::Kind;
  if (c.around.kind != Bare && c.around.kind != Docker) return {};
  return script_text(c);
}

std::vector<Unreplaced> unreplaced_words(const Case& c) {
  std::vector<Unreplaced> found;
  const auto& words = c.command.words;
  for (std::size_t i = c.command.implied; i < words.size(); ++i) {
    const Word& word = words[i];
    if (!word.complete || word.span.source < 0 || word.tilde) continue;
    std::string_view value = word.text;
    if (value.starts_with("--") && value.contains('=')) value.remove_prefix(value.find('=') + 1);
    const bool tilde = value == "~" || value.starts_with("~/");
    if (!tilde && !names_variable(value)) continue;
    if (c.sources->at(word.span.source).kind == SourceKind::Process) continue;
    const bool kept = word.quoting == Quoting::Shell && word.literal &&
                      kept_by_quotes(c.sources->text(word.span), value, tilde);
    if (kept || without_shell(c, word)) found.push_back({i, tilde, value});
  }
  return found;
}

bool begins_flag(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.size() < 3 || text[0] != '-') return false;
  return letter(text[1]) || (text[1] == '-' && letter(text[2]));
}

// The words of the lines that begin with flags, up to the first that does not.
std::vector<std::string> loose_words(const ScriptText& script, std::size_t from) {
  const Span place = script.span(from, from + 1);
  const auto read = parse_shell_derived(script.text.substr(from, kMostLooseBytes), place);
  std::vector<std::string> words;
  if (!read) return words;
  for (const Command& command : read->commands) {
    if (command.words.empty() || !begins_flag(command.words[0].text)) break;
    for (const Word& word : command.words) {
      if (!word.complete || words.size() == kMostLooseWords) return {};
      if (word.text == "^" || trimmed(word.text).empty()) continue;
      words.push_back(word.text);
    }
  }
  return words;
}

std::vector<LooseEquals> loose_equals(const Case& c) {
  std::vector<LooseEquals> found;
  const EngineFlags* flags = engine_flags(c.serve.engine);
  const auto& words = c.command.words;
  if (flags == nullptr) return found;
  for (std::size_t i = c.command.implied; i + 1 < words.size(); ++i) {
    std::string flag = words[i].text;
    const std::string& next = words[i + 1].text;
    const bool behind = flag.ends_with('=');  // --port= 8000
    if (behind) flag.pop_back();
    if (!flag.starts_with('-') || flags->find(flag) == nullptr) continue;
    if (behind && !next.starts_with('-') && !next.empty()) {
      found.push_back({i, i + 1, flag, next});
    } else if (!behind && next == "=" && i + 2 < words.size()) {
      found.push_back({i, i + 2, flag, words[i + 2].text});
    } else if (!behind && next.size() > 1 && next[0] == '=' && next[1] != '=') {
      found.push_back({i, i + 1, flag, next.substr(1)});
    }
  }
  return found;
}

bool said_elsewhere(const Case& c, const FlagProblem& problem) {
  if (belongs_to_docker(c, problem.first_word)) return true;
  const std::size_t first = problem.first_word;
  const std::size_t last = first + std::max<std::size_t>(problem.word_count, 1);
  const auto touches = [first, last](std::size_t word) { return first <= word && word < last; };
  for (std::size_t word = first; word < last && word < c.command.words.size(); ++word) {
    if (cleaned(c.command.words[word])) return true;
  }
  if (std::ranges::any_of(unreplaced_words(c),
                          [&](const Unreplaced& one) { return touches(one.word); }))
    return true;
  return std::ranges::any_of(loose_equals(c), [&](const LooseEquals& one) {
    return first <= one.last_word && one.flag_word < last;
  });
}

}  // namespace sx::rules
