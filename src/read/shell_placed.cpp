// The shell reader runs over the text by itself; afterwards every place is moved to where the bytes
// stand.
#include "read/shell_placed.h"

#include <algorithm>
#include <array>

#include "read/command_front.h"
#include "read/shell_call.h"
#include "read/shell_context.h"
#include "read/shell_reader.h"

namespace sx {
namespace {

constexpr int kInside = -2;  // source of places that are still offsets in the text

class Mover {
 public:
  Mover(const Sources& sources, const PlacedText& text, Command::Text written)
      : sources_(sources), text_(text), written_(written) {}

  void move(Command& command) const {
    command.environment_at =
        command.source == kInside ? place(command.environment_at) : command.environment_at;
    for (Word& word : command.words) move(word);
    for (Setting& setting : command.environment) {
      if (setting.span.source != kInside) continue;
      const auto [begin, end] = bounds(setting.span);
      setting.literal = setting.literal && text_.literal(begin, end);
      setting.complete = setting.complete && text_.complete(begin, end);
      setting.blank = place(end + setting.blank) - text_.span(begin, end).end;
      setting.span = text_.span(begin, end);
    }
    move(command.span);
    command.source = text_.source();
    if (!command.words.empty() && command.words.front().span.source >= 0) {
      const Span& first = command.words.front().span;
      command.line = place_of(sources_.at(first.source), first.begin).line;
    }
    if (command.written == Command::Text::Plain) command.written = written_;
  }

  void move(Span& span) const {
    if (span.source != kInside) return;
    const auto [begin, end] = bounds(span);
    span = text_.span(begin, end);
  }

 private:
  struct Bounds {
    std::size_t begin, end;
  };
  Bounds bounds(const Span& span) const {
    const std::size_t end = std::min(span.end, text_.size());
    return {std::min(span.begin, end), end};
  }
  std::size_t place(std::size_t at) const { return text_.span(at, at).begin; }

  void move(Word& word) const {
    if (word.span.source != kInside) return;
    const auto [begin, end] = bounds(word.span);
    word.literal = word.literal && text_.literal(begin, end);
    word.complete = word.complete && text_.complete(begin, end);
    const std::size_t blank_at = begin - std::min(word.blank, begin);
    word.span = text_.span(begin, end);
    const std::size_t blank_place = word.blank == 0 ? word.span.begin : place(blank_at);
    word.blank = word.span.begin > blank_place ? word.span.begin - blank_place : 0;
  }

  const Sources& sources_;
  const PlacedText& text_;
  Command::Text written_;
};

}  // namespace

ShellText parse_placed_shell(const Sources& sources, const PlacedText& text,
                             std::span<const Setting> environment, Command::Text written) {
  ShellContext context;
  for (const Setting& setting : environment) {
    context.variables.set(setting.name,
                          {.elements = {{{.text = setting.value, .complete = setting.complete}}},
                           .unknown = !setting.complete && setting.value.empty(),
                           .exported = true,
                           .span = setting.span,
                           .literal = setting.literal});
  }
  const ShellPart part{.text = text.text(), .source = kInside};
  ShellReader(context, part, 0).read();
  const Mover mover(sources, text, written);
  for (Command& command : context.out.commands) mover.move(command);
  for (ShellNote& note : context.out.notes) mover.move(note.span);
  return std::move(context.out);
}

std::optional<std::size_t> shell_text_at(std::span<const PlacedWord> words) {
  if (words.empty() || !is_shell(words[0].text.text())) return {};
  std::vector<std::string_view> said;
  for (const PlacedWord& word : words) said.emplace_back(word.text.text());
  return shell_text_at(said);
}

}  // namespace sx
