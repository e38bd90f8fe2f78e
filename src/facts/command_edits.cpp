// Edits are whole words or nothing, so that a shell reads the edited text as exactly the new words.
#include "facts/command_edits.h"

#include <algorithm>
#include <utility>

#include "read/shell_words.h"

namespace sx {
namespace {

std::string written(const Setting& setting) {
  return setting.name + '=' + (setting.value.empty() ? std::string() : shell_quoted(setting.value));
}

Edit replacement(const ChangedWord& changed, const Word& before) {
  const Word& word = changed.word;
  // Written without quotes, --flag=6 needs only the part behind the equals sign.
  const auto equals = before.text.find('=');
  const bool bare = before.span.end - before.span.begin == before.text.size();
  if (bare && equals != std::string::npos &&
      word.text.starts_with(before.text.substr(0, equals + 1))) {
    const std::string value = word.text.substr(equals + 1);
    return {{word.span.source, word.span.begin + equals + 1, word.span.end},
            value.empty() ? "" : shell_quoted(value)};
  }
  return {word.span, shell_quoted(word.text)};
}

class Edits {
 public:
  explicit Edits(const ChangedCommand& changed) : changed_(changed), command_(*changed.original) {}

  std::vector<Edit> all();

 private:
  bool settings();
  bool words();
  bool insert(std::size_t behind, std::string text);
  bool fits_inside_quotes() const;

  const ChangedCommand& changed_;
  const Command& command_;
  std::vector<Edit> edits_;
};

bool Edits::settings() {
  std::string added;
  for (const auto& changed : changed_.settings) {
    const Setting& setting = changed.setting;
    if (changed.added && !changed.removed) added += written(setting) + ' ';
    if (changed.added || (!changed.removed && !changed.replaced)) continue;
    if (!setting.literal) return false;
    Span span = setting.span;
    if (changed.removed) span.end += setting.blank;
    edits_.push_back({span, changed.removed ? std::string() : written(setting)});
  }
  if (!added.empty()) {
    edits_.push_back({{command_.source, command_.environment_at, command_.environment_at}, added});
  }
  return true;
}

// New words go directly behind an old one, unless that one is in the middle of what one variable
// became.
bool Edits::insert(std::size_t behind, std::string text) {
  const Span& span = command_.words[behind].span;
  const bool in_the_middle =
      behind + 1 < command_.words.size() && command_.words[behind + 1].span == span;
  if (in_the_middle) return false;
  edits_.push_back({{span.source, span.end, span.end}, std::move(text)});
  return true;
}

bool Edits::words() {
  std::optional<std::size_t> behind;
  std::string added;
  for (const auto& changed : changed_.words) {
    if (!changed.original) {
      if (!changed.removed) added += ' ' + shell_quoted(changed.word.text);
      continue;
    }
    if (!added.empty() && (!behind || !insert(*behind, std::exchange(added, {})))) return false;
    behind = changed.original;
    if (!changed.removed && !changed.replaced) continue;
    if (!changed.word.literal) return false;
    if (changed.removed) {
      const Span& span = changed.word.span;
      edits_.push_back({{span.source, span.begin - changed.word.blank, span.end}, {}});
    } else {
      edits_.push_back(replacement(changed, command_.words[*changed.original]));
    }
  }
  return added.empty() || (behind && insert(*behind, std::move(added)));
}

// Inside bash -c "…" a new text must not end the quotes or mean something to them.
bool Edits::fits_inside_quotes() const {
  return std::ranges::none_of(edits_, [](const Edit& edit) {
    return edit.text.find_first_of("'\"\\$`!") != std::string::npos;
  });
}

std::vector<Edit> Edits::all() {
  if (changed_.elsewhere || command_.written == Command::Text::Derived) return {};
  if (!settings() || !words()) return {};
  if (command_.written == Command::Text::InsideQuotes && !fits_inside_quotes()) return {};
  // A removal and an insertion may meet at one byte; their order there does not change the text.
  std::ranges::sort(edits_, {},
                    [](const Edit& edit) { return std::pair(edit.span.begin, edit.span.end); });
  return std::move(edits_);
}

}  // namespace

ChangedWord new_word(std::string text) { return {.word = {.text = std::move(text)}}; }

Command command_after(const ChangedCommand& changed) {
  Command command = *changed.original;
  command.words.clear();
  command.environment.clear();
  for (const auto& word : changed.words) {
    if (!word.removed) command.words.push_back(word.word);
  }
  for (const auto& setting : changed.settings) {
    if (!setting.removed) command.environment.push_back(setting.setting);
  }
  return command;
}

std::vector<Edit> edits_of(const ChangedCommand& changed) { return Edits(changed).all(); }

}  // namespace sx
