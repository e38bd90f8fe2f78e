// Words of entrypoint and arguments → commands.
#include "gather/manifest_container.h"

#include <algorithm>
#include <utility>

#include "knowledge/images.h"
#include "read/command_front.h"
#include "read/shell_placed.h"

namespace sx {
namespace {

// Words that stand in no text.
std::vector<Word> implied_words(const KnownImage& image) {
  std::vector<Word> words;
  for (const auto& word : image.entrypoint)
    words.push_back({.text = std::string(word), .literal = false});
  return words;
}

void put_image_environment(const KnownImage& image, Container& container) {
  std::vector<Setting> all;
  for (const auto& [key, value] : image.environment) {
    all.push_back(
        {.name = std::string(key), .value = std::string(value), .literal = false, .prefix = false});
  }
  all.insert(all.end(), std::make_move_iterator(container.environment.begin()),
             std::make_move_iterator(container.environment.end()));
  container.environment = std::move(all);
}

// Index of the word where the shell begins, past wrappers in front of it: tini -- bash -c …
std::size_t shell_at(std::span<const PlacedWord> words) {
  constexpr std::size_t kMostInFront = 8;
  for (std::size_t i = 0; i < words.size() && i < kMostInFront; ++i) {
    if (shell_text_at(words.subspan(i))) return i;
  }
  return words.size();
}

void place_command(const Sources& sources, Command& command, const Container& container) {
  command.source = container.source;
  const Word* first = nullptr;
  for (const Word& word : command.words) {
    const bool stands = word.span.source == container.source && word.span.end > word.span.begin;
    if (!stands) continue;
    if (first == nullptr) {
      first = &word;
      command.span = word.span;
    }
    command.span.begin = std::min(command.span.begin, word.span.begin);
    command.span.end = std::max(command.span.end, word.span.end);
  }
  if (first == nullptr && !command.words.empty()) {
    first = &command.words.front();
    command.span = first->span;
  }
  if (first != nullptr && first->span.source >= 0)
    command.line = place_of(sources.at(first->span.source), first->span.begin).line;
  if (container.quoted) command.written = Command::Text::InsideQuotes;
  command.environment_at = container.environment_at;
  command.new_setting = container.new_setting;
}

void read_shell(const Sources& sources, const Container& container, std::size_t text_at,
                std::span<const PlacedWord> words, ContainerCommands& out) {
  std::vector<Setting> environment = container.environment;
  for (Setting& setting : environment) setting.prefix = false;
  // $0, $1 … are words behind the text; without them they are as unknown as any other.
  const PlacedWord& script = words[text_at];
  ShellText shell = parse_placed_shell(sources, script.text, environment, script.inside);
  for (Command& command : shell.commands) out.commands.push_back(std::move(command));
  out.notes.insert(out.notes.end(), shell.notes.begin(), shell.notes.end());
}

}  // namespace

ContainerCommands commands_of(const Sources& sources, Container container) {
  ContainerCommands out;
  const auto image = known_image(container.image.text());
  if (image && container.image.complete()) put_image_environment(*image, container);
  std::vector<PlacedWord> words = container.entrypoint;
  words.insert(words.end(), container.args.begin(), container.args.end());

  Command command;
  if (!container.has_entrypoint && image && !image->entrypoint.empty()) {
    command.words = implied_words(*image);
    command.implied = command.words.size();
  } else if (const std::size_t at = shell_at(words); at < words.size()) {
    const std::span<const PlacedWord> rest = std::span(words).subspan(at);
    read_shell(sources, container, *shell_text_at(rest), rest, out);
    return out;
  }
  for (const PlacedWord& word : words) command.words.push_back(word.word());
  if (command.words.empty()) return out;
  command.environment = container.environment;
  take_front(command, LeadingAssignments::AreWords);
  place_command(sources, command, container);
  out.commands.push_back(std::move(command));
  return out;
}

}  // namespace sx
