// Between two items stands what belongs between any two of them: a comma, a line end, blanks.
#include "gather/json_words.h"

#include "base/strings.h"
#include "read/command_front.h"

namespace sx {
namespace {

constexpr std::size_t kMostWords = 65'536;
constexpr std::size_t kMostSettings = 4096;

Word word_of(const JsonValue& value, int source) {
  Word word{.text = value.string().value_or(std::string(value.raw())),
            .span = value.span(source),
            .quoting = Quoting::Json};
  if (const auto length = word.text.find('\0'); length != std::string::npos)
    word.text.resize(length);
  return word;
}

Setting setting_of(std::string name, const JsonValue& value, int source) {
  return {.name = std::move(name),
          .value = value.string().value_or(std::string(value.raw())),
          .span = value.span(source),
          .form = Setting::Form::ValueAlone,
          .quoting = Quoting::Json};
}

void take_pair(const JsonValue& item, int source, Command& command) {
  const auto text = item.string();
  if (!text) {
    const auto name = item["name"].string();
    if (name && item["value"])
      command.environment.push_back(setting_of(*name, item["value"], source));
    return;
  }
  const auto length = assigned_name_length(*text);
  if (!length) return;
  command.environment.push_back({.name = text->substr(0, *length),
                                 .value = text->substr(*length + 1),
                                 .span = item.span(source),
                                 .quoting = Quoting::Json});
}

}  // namespace

std::vector<Word> json_words(const JsonValue& value, int source) {
  std::vector<Word> words;
  if (!value.is(JsonKind::Array)) {
    if (value.string()) {
      words.push_back(word_of(value, source));
      words.back().literal = true;
    }
    return words;
  }
  const std::size_t begin = value.span(source).begin;
  const std::string_view text = value.raw();
  for (auto item = value.first(); item && words.size() < kMostWords; item = item.next()) {
    Word word = word_of(item, source);
    if (!words.empty()) {
      const std::size_t behind = words.back().span.end;
      word.blank = word.span.begin - behind;
      word.lead = text.substr(behind - begin, word.blank);
    }
    words.push_back(std::move(word));
  }
  if (!words.empty()) words.front().lead = words.size() > 1 ? words[1].lead : ", ";
  return words;
}

Command json_base(const Sources& sources, const JsonValue& value, int source) {
  Command base{.source = source, .span = value.span(source)};
  base.line = place_of(sources.at(source), base.span.begin).line;
  base.environment_at = base.span.begin;
  base.new_setting.kind = NewSetting::Kind::Nowhere;
  return base;
}

void take_json_environment(const JsonValue& value, int source, Command& command) {
  if (!value.is(JsonKind::Object) && !value.is(JsonKind::Array)) return;
  const bool map = value.is(JsonKind::Object);
  std::size_t end = 0;
  for (auto item = value.first(); item; item = item.next()) {
    if (command.environment.size() >= kMostSettings) return;
    if (map) {
      command.environment.push_back(setting_of(item.key(), item, source));
    } else {
      take_pair(item, source, command);
    }
    end = item.span(source).end;
  }
  if (end == 0) return;
  command.environment_at = end;
  command.new_setting = {.kind = map ? NewSetting::Kind::Map : NewSetting::Kind::TextItem,
                         .lead = ", ",
                         .quoting = Quoting::Json};
  const bool named = !map && value.first().is(JsonKind::Object);
  if (named) command.new_setting.kind = NewSetting::Kind::Nowhere;
}

ShellText json_line(const Sources& sources, const JsonValue& value, int source,
                    const std::vector<Setting>& inherited) {
  const std::string text = value.string().value_or("");
  Span span = value.span(source);
  const bool exact = span.end - span.begin == text.size() + 2;
  if (exact) {
    span = {source, span.begin + 1, span.end - 1};
    if (auto shell = parse_shell_part(sources, span, Command::Text::InsideQuotes, inherited))
      return std::move(*shell);
    return {};
  }
  auto shell = parse_shell_derived(text, span, inherited);
  if (!shell) return {};
  for (auto& command : shell->commands)
    command.line = place_of(sources.at(source), span.begin).line;
  return std::move(*shell);
}

}  // namespace sx
