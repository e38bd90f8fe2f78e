// Wrappers inside the container go to the front as words, so that fixes are printed with them.
#include "gather/container_command.h"

#include <algorithm>

#include "facts/container_line.h"
#include "facts/container_surroundings.h"
#include "knowledge/images.h"
#include "read/command_front.h"
#include "read/shell_call.h"

namespace sx {
namespace {

// Where the bytes of a word stand as they are, without the quotes around them. Empty: nowhere.
std::optional<Span> exact_place(const Sources& sources, const Word& word) {
  if (word.span.source < 0 || word.span.begin > word.span.end) return {};
  const std::string_view raw = sources.text(word.span);
  if (raw == word.text) return word.span;
  const bool quoted =
      raw.size() >= 2 && raw.front() == raw.back() && (raw.front() == '"' || raw.front() == '\'');
  if (!quoted || raw.substr(1, raw.size() - 2) != word.text) return {};
  return Span{word.span.source, word.span.begin + 1, word.span.end - 1};
}

void add_image_environment(Command& command, const KnownImage& image) {
  std::vector<Setting> settings;
  for (const auto& [name, value] : image.environment) {
    settings.push_back({.name = std::string(name),
                        .value = std::string(value),
                        .literal = false,
                        .prefix = false});
  }
  command.environment.insert(command.environment.begin(), settings.begin(), settings.end());
}

void add_words(Command& command, ContainerWords words, const std::optional<KnownImage>& image) {
  const bool in_line = !command.front.empty();
  if (words.entrypoint) {
    command.words = std::move(*words.entrypoint);
    if (in_line) command.implied = command.words.size();
  } else if (image) {
    // Behind the image a docker line goes on; in a manifest the place is another one.
    Span span;
    if (in_line) span = command.front[command.image_word].span;
    span.begin = span.end;
    for (const auto word : image->entrypoint) {
      command.words.push_back({.text = std::string(word), .span = span, .literal = false});
    }
    command.implied = command.words.size();
  }
  for (auto& word : words.arguments) command.words.push_back(std::move(word));
}

// Takes env, numactl and their like from the front; on a docker line they stay visible there.
void take_wrappers(Command& command) {
  if (command.words.empty()) return;
  const std::vector<Word> before = command.words;
  const std::size_t settings = command.environment.size();
  take_front(command, LeadingAssignments::AreWords);
  const std::size_t taken = before.size() - command.words.size();
  if (taken == 0 || command.front.empty()) {
    command.implied -= std::min(taken, command.implied);
    return;
  }
  for (std::size_t i = std::min(command.implied, taken); i < taken; ++i) {
    for (std::size_t s = settings; s < command.environment.size(); ++s) {
      if (command.environment[s].span == before[i].span)
        command.environment[s].front = command.front.size();
    }
    command.front.push_back(before[i]);
  }
  command.implied -= std::min(taken, command.implied);
}

Result<ShellText> shell_inside(const Sources& sources, const Word& word,
                               const std::optional<Span>& place, std::vector<Setting> inherited) {
  if (place)
    return parse_shell_part(sources, *place, Command::Text::InsideQuotes, std::move(inherited));
  return parse_shell_derived(word.text, word.span, std::move(inherited));
}

// What stands around a command that was found in the text of `sh -c`.
void put_around(const Sources& sources, const Command& outer, std::size_t text,
                const std::optional<Span>& place, bool alone, Command& inner) {
  inner.line = outer.line;
  inner.after.insert(inner.after.end(), outer.after.begin(), outer.after.end());
  inner.before.insert(inner.before.begin(), outer.before.begin(), outer.before.end());
  inner.outside += outer.before.size();
  inner.assign_at += outer.before.size();
  inner.new_setting = {};
  if (outer.front.empty() || (!alone && !place)) return;
  inner.front = outer.front;
  inner.image_word = outer.image_word;
  for (std::size_t i = std::min(outer.implied, text); i < text; ++i)
    inner.front.push_back(outer.words[i]);
  inner.one_word = true;
  if (!place || inner.span.begin < place->begin || inner.span.end > place->end) return;
  inner.text_before = sources.text({place->source, place->begin, inner.span.begin});
  inner.text_after = sources.text({place->source, inner.span.end, place->end});
}

}  // namespace

std::vector<PlacedCommand> commands_in_container(const Sources& sources, Command base,
                                                 ContainerWords words, const Surroundings& around,
                                                 std::vector<ShellNote>& notes) {
  std::optional<KnownImage> image;
  if (around.image.known()) image = known_image(around.image.value());
  if (image) add_image_environment(base, *image);
  add_words(base, std::move(words), image);
  take_wrappers(base);
  const auto text = shell_text_at(base.words);
  if (!text) return {{std::move(base), around}};

  const Word& word = base.words[*text];
  const auto place = exact_place(sources, word);
  auto shell = shell_inside(sources, word, place, base.environment);
  // Too large to read: the shell itself is the command, which no engine knows.
  if (!shell) return {{std::move(base), around}};
  notes.insert(notes.end(), shell->notes.begin(), shell->notes.end());
  std::vector<PlacedCommand> placed;
  const bool alone = shell->commands.size() == 1;
  for (auto& inner : shell->commands) {
    put_around(sources, base, *text, place, alone, inner);
    placed.push_back({std::move(inner), around});
  }
  return placed;
}

std::vector<PlacedCommand> placed_commands(const Sources& sources, Command command,
                                           std::vector<ShellNote>& notes) {
  if (command.words.empty() || command.front.size() > 0) return {{std::move(command), {}}};
  const auto program = container_line(command.words);
  if (!program || program->program_word != 0) return {{std::move(command), {}}};

  std::vector<Word> line_words;
  for (const auto& text : command.before) line_words.push_back({.text = text, .literal = false});
  for (const auto& setting : command.environment) {
    if (!setting.prefix) continue;
    line_words.push_back({.text = setting.name + '=' + setting.value,
                          .span = setting.span,
                          .literal = setting.literal,
                          .complete = setting.complete});
  }
  line_words.insert(line_words.end(), command.words.begin(), command.words.end());
  const auto line = container_line(line_words);
  if (!line) return {{std::move(command), {}}};

  const Surroundings around = surroundings_of(*line, line_words);
  Command base = command;
  base.environment = environment_of(*line, line_words, command.environment);
  base.before.clear();
  base.words.clear();
  base.image_word = line->image;
  base.front.assign(line_words.begin(),
                    line_words.begin() + static_cast<std::ptrdiff_t>(line->inside));
  ContainerWords words;
  words.arguments.assign(line_words.begin() + static_cast<std::ptrdiff_t>(line->inside),
                         line_words.end());
  base.environment_at = base.front[line->image].span.begin;
  base.new_setting.kind = NewSetting::Kind::Option;
  if (line->verb == ContainerLine::Verb::Kubectl) {
    base.new_setting.kind =
        words.arguments.empty() ? NewSetting::Kind::Nowhere : NewSetting::Kind::EnvWords;
    if (!words.arguments.empty()) base.environment_at = words.arguments.front().span.begin;
  }
  if (line->verb != ContainerLine::Verb::Run) words.entrypoint.emplace();
  if (const ContainerOption* entry = option_of(*line, "--entrypoint")) {
    words.entrypoint.emplace();
    // --entrypoint "" takes the image's own away.
    if (!entry->value.empty()) {
      words.entrypoint->push_back({.text = entry->value,
                                   .span = entry->span,
                                   .literal = false,
                                   .complete = entry->complete});
    }
  }
  return commands_in_container(sources, std::move(base), std::move(words), around, notes);
}

}  // namespace sx
