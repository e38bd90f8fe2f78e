// Words as systemd.service(5) and systemd.syntax(7) describe them.
#include "read/unit_words.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "base/utf8.h"
#include "read/command_front.h"
#include "read/settings.h"

namespace sx {
namespace {

constexpr std::size_t kMostWords = 65'536;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class UnitSplitter {
 public:
  explicit UnitSplitter(const PlacedText& text) : text_(text), word_(fresh()) {}

  std::vector<PlacedWord> run() {
    const std::string& text = text_.text();
    while (at_ < text.size() && words_.size() < kMostWords) {
      const char c = text[at_];
      if (quote_ == '\0' && is_blank(c)) {
        finish();
        ++at_;
        continue;
      }
      if (!open_) first_ = at_;
      open_ = true;
      if (c == '\\' && at_ + 1 < text.size()) {
        take_escape();
      } else if (quote_ != '\0' ? c == quote_ : c == '\'' || c == '"') {
        quote_ = quote_ == '\0' ? c : '\0';
        ++at_;
      } else {
        word_.text.add(text_, at_++);
      }
    }
    finish();
    return std::move(words_);
  }

 private:
  PlacedWord fresh() const { return {.text = PlacedText(text_.source())}; }

  void finish() {
    if (!open_) return;
    word_.span = text_.span(first_, at_);
    word_.literal = text_.literal(first_, at_);
    if (!words_.empty()) {
      const std::size_t before = text_.span(last_end_, last_end_).begin;
      word_.blank = word_.span.begin > before ? word_.span.begin - before : 0;
    }
    words_.push_back(std::exchange(word_, fresh()));
    last_end_ = at_;
    open_ = false;
  }

  void put(std::string_view value, std::size_t length) {
    word_.text.add(value, text_.span(at_, at_ + length), text_.complete(at_, at_ + length));
    at_ += length;
  }

  // Digits of `base` behind the letter, exactly so many; 0 is not allowed.
  bool take_number(std::size_t front, std::size_t digits, int base, bool code_point) {
    const std::string& text = text_.text();
    if (at_ + front + digits > text.size()) return false;
    char32_t value = 0;
    for (const char c : text.substr(at_ + front, digits)) {
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : base;
      if (digit >= base) return false;
      value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
    }
    if (value == 0 || (!code_point && value > 0xFF)) return false;
    std::string bytes;
    if (code_point) {
      append_utf8(bytes, value);
    } else {
      bytes += static_cast<char>(value);
    }
    put(bytes, front + digits);
    return true;
  }

  void take_escape() {
    constexpr std::string_view kNames = "abfnrtv\\\"'s";
    constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\\"' ";
    const char c = text_.text()[at_ + 1];
    if (const auto known = kNames.find(c); known != std::string_view::npos)
      return put(kValues.substr(known, 1), 2);
    if (c == 'x' && take_number(2, 2, 16, false)) return;
    if (c == 'u' && take_number(2, 4, 16, true)) return;
    if (c == 'U' && take_number(2, 8, 16, true)) return;
    if (c >= '0' && c <= '7' && take_number(1, 3, 8, false)) return;
    word_.text.add(text_, at_++);
  }

  const PlacedText& text_;
  std::vector<PlacedWord> words_;
  PlacedWord word_;
  std::size_t at_ = 0, first_ = 0, last_end_ = 0;
  char quote_ = '\0';
  bool open_ = false;
};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t name_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name(text[at])) ++at;
  return at;
}

PlacedWord replaced_inside(const PlacedWord& word, std::span<const Setting> environment) {
  const std::string& text = word.text.text();
  if (text.find('$') == std::string::npos) return word;
  PlacedWord out{.text = PlacedText(word.text.source()),
                 .span = word.span,
                 .literal = word.literal,
                 .blank = word.blank};
  for (std::size_t at = 0; at < text.size();) {
    const bool braced = text.compare(at, 2, "${") == 0;
    const std::size_t close = braced ? text.find('}', at) : std::string::npos;
    if (text.compare(at, 2, "$$") == 0) {
      out.text.add("$", word.text.span(at, at + 2), word.text.complete(at, at + 2));
      out.literal = false;
      at += 2;
    } else if (close != std::string::npos) {
      const Setting* setting = last_setting(environment, text.substr(at + 2, close - at - 2));
      const bool known = setting != nullptr && setting->complete;
      out.text.add(known ? std::string_view(setting->value)
                         : std::string_view(text).substr(at, close + 1 - at),
                   word.text.span(at, close + 1), known);
      out.literal = false;
      at = close + 1;
    } else {
      out.text.add(word.text, at++);
    }
  }
  return out;
}

}  // namespace

std::vector<PlacedWord> unit_words(const PlacedText& text) { return UnitSplitter(text).run(); }

PlacedText with_specifiers(const PlacedText& text, const UnitSpecifiers& specifiers) {
  const std::string& from = text.text();
  if (from.find('%') == std::string::npos) return text;
  PlacedText out(text.source());
  for (std::size_t at = 0; at < from.size();) {
    if (from[at] != '%' || at + 1 >= from.size()) {
      out.add(text, at++);
      continue;
    }
    const Span span = text.span(at, at + 2);
    if (from[at + 1] == '%') {
      out.add("%", span, true);
    } else if (const auto value = specifiers(from[at + 1])) {
      out.add(*value, span, true);
    } else {
      out.add(std::string_view(from).substr(at, 2), span, false);
    }
    at += 2;
  }
  return out;
}

UnitSpecifiers specifiers_of(std::string_view file_name, std::string_view user) {
  std::string name(program_name(file_name));
  const auto dot = name.rfind('.');
  const std::string stem = name.substr(0, dot);
  const auto at = stem.find('@');
  const std::string prefix = stem.substr(0, at);
  const std::string instance = at == std::string::npos ? "" : stem.substr(at + 1);
  // A template's instance is only known when it is started.
  const bool open = at != std::string::npos && instance.empty();
  return [=, who = std::string(user)](char letter) -> std::optional<std::string> {
    switch (letter) {
      case 'n':
        return open || name.empty() ? std::nullopt : std::optional(name);
      case 'N':
        return open || name.empty() ? std::nullopt : std::optional(stem);
      case 'p':
        return name.empty() ? std::nullopt : std::optional(prefix);
      case 'i':
        return open || name.empty() ? std::nullopt : std::optional(instance);
      case 't':
        return "/run";
      case 'S':
        return "/var/lib";
      case 'C':
        return "/var/cache";
      case 'L':
        return "/var/log";
      case 'E':
        return "/etc";
      case 'T':
        return "/tmp";
      default:
        return std::nullopt;
    }
  };
}

std::vector<PlacedWord> with_variables(std::span<const PlacedWord> words,
                                       std::span<const Setting> environment) {
  std::vector<PlacedWord> out;
  for (const PlacedWord& word : words) {
    const std::string& text = word.text.text();
    const bool whole = text.size() > 1 && text[0] == '$' && text[1] != '$' && text[1] != '{' &&
                       name_end(text, 1) == text.size();
    if (!whole) {
      out.push_back(replaced_inside(word, environment));
      continue;
    }
    const Setting* setting = last_setting(environment, text.substr(1));
    PlacedText value(word.text.source());
    const bool known = setting != nullptr && setting->complete;
    value.add(known ? setting->value : text, word.span, known);
    if (!known) {
      out.push_back({.text = value, .span = word.span, .literal = false, .blank = word.blank});
      continue;
    }
    for (PlacedWord& part : unit_words(value)) {
      if (out.size() >= kMostWords) return out;
      part.span = word.span;
      part.literal = false;
      out.push_back(std::move(part));
    }
  }
  return out;
}

std::vector<UnitCommand> unit_commands(std::vector<PlacedWord> words) {
  std::vector<UnitCommand> commands(1);
  for (PlacedWord& word : words) {
    // Quoted or escaped it is a word like others.
    const bool parts = word.text.text() == ";" && word.span.end - word.span.begin == 1;
    if (parts) {
      commands.emplace_back();
    } else {
      commands.back().words.push_back(std::move(word));
    }
  }
  std::erase_if(commands, [](const UnitCommand& command) { return command.words.empty(); });
  for (UnitCommand& command : commands) {
    PlacedWord& program = command.words.front();
    const std::string marks =
        program.text.text().substr(0, program.text.text().find_first_not_of("@-:+!|"));
    command.keeps_variables = marks.find(':') != std::string::npos;
    command.with_all_rights = marks.find_first_of("+!") != std::string::npos;
    if (!marks.empty()) {
      PlacedText rest(program.text.source());
      for (std::size_t at = marks.size(); at < program.text.size(); ++at)
        rest.add(program.text, at);
      program.text = std::move(rest);
      program.span.begin = std::min(program.span.begin + marks.size(), program.span.end);
    }
    const bool renamed = marks.find('@') != std::string::npos && command.words.size() > 1;
    if (renamed) command.words.erase(command.words.begin() + 1);
  }
  return commands;
}

}  // namespace sx
