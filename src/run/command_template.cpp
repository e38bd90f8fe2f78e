// Only names of small letters in single braces count, so that JSON stays what it is.
#include "run/command_template.h"

#include <algorithm>

#include "base/strings.h"
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

// As shell_words reads an argv of one word.
bool is_shell_text(const std::vector<std::string>& command) {
  return command.size() == 1 && command.front().find_first_of(" \t\r\n") != std::string::npos;
}

// In which quotes of a shell the end of a text stands: ' or ", 0 for none.
char quotes_at_end(std::string_view text) {
  char quotes = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quotes != '\'') {
      ++at;
    } else if (quotes != 0) {
      if (c == quotes) quotes = 0;
    } else if (c == '\'' || c == '"') {
      quotes = c;
    }
  }
  return quotes;
}

// As it stands in the middle of such quotes.
std::string within_quotes(const std::string& value, char quotes) {
  if (quotes == 0) return shell_quoted(value);
  std::string made;
  for (const char c : value) {
    if (quotes == '\'' && c == '\'') made += "'\\'";
    if (quotes == '"' && std::string_view("\"\\$`").find(c) != std::string_view::npos) made += '\\';
    made += c;
  }
  return made;
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
  const bool quotes = is_shell_text(command);
  std::vector<std::string> all;
  for (const std::string& word : command) {
    std::string made;
    std::size_t from = 0;
    for (const Placeholder& place : placeholders_in(word)) {
      if (!is_filled(place.name)) continue;
      made += word.substr(from, place.begin - from);
      const std::string value = value_of(place.name, values);
      const std::string_view before = std::string_view(word).substr(0, place.begin);
      made += quotes ? within_quotes(value, quotes_at_end(before)) : value;
      from = place.begin + place.name.size() + 2;
    }
    all.push_back(made + word.substr(from));
  }
  return all;
}

}  // namespace sx
