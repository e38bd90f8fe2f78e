// Only names of small letters in single braces count, so that JSON stays what it is.
#include "run/command_template.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/strings.h"
#include "read/command_front.h"
#include "read/shell_call.h"
#include "read/shell_words.h"

namespace sx {
namespace {

std::string listed(const std::vector<int>& numbers) {
  std::string all;
  for (const int number : numbers) all += (all.empty() ? "" : ",") + std::to_string(number);
  return all;
}

std::string value_of(std::string_view name, const TemplateValues& values) {
  if (name == "model") return values.model;
  if (name == "host") return values.host;
  if (name == "port") return std::to_string(values.port);
  if (name == "gpus") return listed(values.gpus);
  return std::to_string(values.replica);
}

bool is_filled(std::string_view name) {
  return std::ranges::find(template_names(), name) != template_names().end();
}

// Which word is a text for a shell: an argv of one word, and what `bash -c` runs. Nothing: none.
std::optional<std::size_t> shell_text_in(const std::vector<std::string>& command) {
  const bool one = command.size() == 1;
  if (one && command.front().find_first_of(" \t\r\n") != std::string::npos) return 0;
  const auto words = said_words(command);
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (const auto text = shell_text_at(std::span(words).subspan(at))) return at + *text;
  }
  return {};
}

// The quotes of a shell in which the end of a text stands.
struct OpenQuotes {
  char quotes = 0;         // ' or ", 0 for none
  std::size_t inside = 0;  // where what they hold begins
};
OpenQuotes quotes_at_end(std::string_view text) {
  OpenQuotes open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && open.quotes != '\'') {
      ++at;
    } else if (open.quotes != 0) {
      if (c == open.quotes) open.quotes = 0;
    } else if (c == '\'' || c == '"') {
      open = {.quotes = c, .inside = at + 1};
    }
  }
  return open;
}

constexpr std::string_view kEscapedInDouble = "\"\\$`";

// As it stands in the middle of such quotes.
std::string within_quotes(const std::string& value, char quotes) {
  std::string made;
  for (const char c : value) {
    if (quotes == '\'' && c == '\'') made += "'\\'";
    if (quotes == '"' && kEscapedInDouble.contains(c)) made += '\\';
    made += c;
  }
  return made;
}

// What a shell makes of the inside of such quotes.
std::string read_within(std::string_view inside, char quotes) {
  std::string read;
  for (std::size_t at = 0; at < inside.size(); ++at) {
    const bool escape = quotes == '"' && inside[at] == '\\' && at + 1 < inside.size() &&
                        kEscapedInDouble.contains(inside[at + 1]);
    if (escape) ++at;
    read += inside[at];
  }
  return read;
}

// `exec sh -c` at the end: what follows is a text for a shell of its own.
bool ends_with_shell(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n;&|(";
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (std::size_t at = words.size(); at-- > 0;) {
    if (!is_shell(words[at])) continue;
    const ShellCall call = shell_call(std::span(words).subspan(at));
    return call.text && at + call.behind == words.size();
  }
  return false;
}

constexpr int kDeepestText = 8;  // as the shell reader goes

// So that the value is one word of the innermost shell, behind `before` in the outermost text.
std::string for_shell(const std::string& value, std::string_view before, int depth) {
  const OpenQuotes open = quotes_at_end(before);
  if (open.quotes == 0) return shell_quoted(value);
  const bool nested = depth < kDeepestText && ends_with_shell(before.substr(0, open.inside - 1));
  if (!nested) return within_quotes(value, open.quotes);
  const std::string inside = read_within(before.substr(open.inside), open.quotes);
  return within_quotes(for_shell(value, inside, depth + 1), open.quotes);
}

}  // namespace

const std::vector<std::string_view>& template_names() {
  static const std::vector<std::string_view> names{"model", "host", "port", "gpus", "replica"};
  return names;
}

std::vector<Placeholder> placeholders_in(std::string_view word) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_";
  std::vector<Placeholder> found;
  for (std::size_t at = word.find('{'); at != std::string_view::npos; at = word.find('{', at + 1)) {
    const std::size_t end = std::min(word.find_first_not_of(kLetters, at + 1), word.size());
    const bool closed = end < word.size() && word[end] == '}' && end > at + 1;
    const bool other_language = (at > 0 && (word[at - 1] == '$' || word[at - 1] == '{')) ||
                                word.substr(end).starts_with("}}");
    if (closed && !other_language)
      found.push_back({.name = word.substr(at + 1, end - at - 1), .begin = at});
  }
  return found;
}

bool asks_for(const std::vector<std::string>& command, std::string_view name) {
  return std::ranges::any_of(command, [&](const std::string& word) {
    const auto found = placeholders_in(word);
    return std::ranges::find(found, name, &Placeholder::name) != found.end();
  });
}

std::vector<std::string> filled(const std::vector<std::string>& command,
                                const TemplateValues& values) {
  const auto text = shell_text_in(command);
  std::vector<std::string> all;
  for (const std::string& word : command) {
    const bool is_text = text && *text == all.size();
    std::string made;
    std::size_t from = 0;
    for (const Placeholder& place : placeholders_in(word)) {
      if (!is_filled(place.name)) continue;
      made += word.substr(from, place.begin - from);
      const std::string value = value_of(place.name, values);
      const std::string_view before = std::string_view(word).substr(0, place.begin);
      made += is_text ? for_shell(value, before, 0) : value;
      from = place.begin + place.name.size() + 2;
    }
    all.push_back(made + word.substr(from));
  }
  return all;
}

}  // namespace sx
