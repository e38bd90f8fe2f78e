// Quotes of YAML and JSON are the same double quotes; systemd has C's escapes and doubles what it
// would replace.
#include "read/written_word.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "base/utf8.h"
#include "read/json.h"
#include "read/shell_words.h"

namespace sx {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::string double_quoted(std::string_view word) {
  std::string out = "\"";
  for (const char c : valid_utf8(word)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20U || byte == 0x7FU) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; }

// Words that YAML takes for something else than a text, in any case.
constexpr std::array<std::string_view, 10> kYamlWords{"true", "false", "yes", "no", "on",
                                                      "off",  "null",  "y",   "n",  "~"};

// A plain scalar that every reader of YAML 1.1 and 1.2 takes as this text, in a list in brackets,
// too.
bool plain_in_yaml(std::string_view word) {
  if (word.empty() || std::ranges::any_of(word, is_control)) return false;
  if (word.find_first_of("{}[],#\"'\\`&*!|>%@?") != std::string_view::npos) return false;
  if (word.contains(": ") || word.ends_with(':') || word.front() == ' ' || word.back() == ' ')
    return false;
  if (word == "-" || word.starts_with("- ") || word.starts_with("---")) return false;
  const std::string small = lower(word);
  if (std::ranges::find(kYamlWords, small) != kYamlWords.end()) return false;
  // A number, a date, 12:30: anything that begins like one is put in quotes.
  const std::size_t sign = word.front() == '-' || word.front() == '+' ? 1 : 0;
  const bool number =
      sign < word.size() && ((word[sign] >= '0' && word[sign] <= '9') || word[sign] == '.');
  return !number && word.front() != '=' && word.front() != '<';
}

std::string for_systemd(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c == '%' || c == '$') out += c;  // doubled: a specifier, a variable
    out += c;
  }
  const bool plain = !out.empty() && out.find_first_of(" \t\r\n\"'\\;") == std::string::npos;
  return plain ? out : double_quoted(out);
}

// A number, a truth value, a list or an object, which stand without quotes.
bool is_json_value(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  return document && document->notes().empty() && !document->root().is(JsonKind::String);
}

std::string json_member(std::string_view word) {
  if (!word.starts_with("--")) return double_quoted(word);
  const auto equals = word.find('=');
  std::string name = replaced(word.substr(2, equals - 2), "-", "_");
  if (equals == std::string_view::npos) {
    const bool off = name.starts_with("no_");
    return double_quoted(off ? name.substr(3) : name) + (off ? ": false" : ": true");
  }
  const std::string_view value = word.substr(equals + 1);
  return double_quoted(name) + ": " +
         (is_json_value(value) ? std::string(value) : double_quoted(value));
}

// Of a file that --config names: `x: false` has no effect there, `no-x: true` has.
std::string yaml_member(std::string_view word) {
  const auto written = [](std::string_view value) {
    if (is_json_value(value)) return std::string(value);
    return plain_in_yaml(value) ? std::string(value) : double_quoted(value);
  };
  if (!word.starts_with("--")) return written(word);
  const auto equals = word.find('=');
  if (equals == std::string_view::npos) return std::string(word.substr(2)) + ": true";
  return std::string(word.substr(2, equals - 2)) + ": " + written(word.substr(equals + 1));
}

}  // namespace

std::string written_word(std::string_view word, Quoting quoting) {
  switch (quoting) {
    case Quoting::Shell:
      return shell_quoted(word);
    case Quoting::Yaml:
      return plain_in_yaml(word) ? std::string(word) : double_quoted(word);
    case Quoting::Json:
      return double_quoted(word);
    case Quoting::Systemd:
      return for_systemd(word);
    case Quoting::JsonMember:
      return json_member(word);
    case Quoting::YamlMember:
      return yaml_member(word);
  }
  return {};
}

std::string quoted_word(std::string_view word, Quoting quoting) {
  const bool always = quoting == Quoting::Yaml || quoting == Quoting::Json;
  return always ? double_quoted(word) : written_word(word, quoting);
}

}  // namespace sx
