// Edits are whole words or nothing, so that who reads the edited text gets exactly the new words.
#include "facts/command_edits.h"

#include <algorithm>
#include <utility>

#include "read/shell_words.h"
#include "read/written_word.h"

namespace sx {
namespace {

std::string written(const Setting& setting) {
  if (setting.form == Setting::Form::ValueAlone) return quoted_word(setting.value, setting.quoting);
  if (setting.quoting != Quoting::Shell)
    return written_word(setting.name + '=' + setting.value, setting.quoting);
  return setting.name + '=' + (setting.value.empty() ? std::string() : shell_quoted(setting.value));
}

// Of a setting that was not there. Empty: the text has no place for it.
std::string written(const Setting& setting, const NewSetting& form) {
  const std::string pair = setting.name + '=' + setting.value;
  switch (form.kind) {
    case NewSetting::Kind::Prefix:
      return form.lead + written(setting) + ' ';
    case NewSetting::Kind::Option:
      return "-e " + written(setting) + ' ';
    case NewSetting::Kind::EnvWords:
      return "env " + written(setting) + ' ';
    case NewSetting::Kind::Map:
      return form.lead +
             (form.quoting == Quoting::Json ? quoted_word(setting.name, form.quoting)
                                            : setting.name) +
             ": " + quoted_word(setting.value, form.quoting);
    case NewSetting::Kind::NamedItem: {
      const auto dash = form.lead.rfind('-');
      if (dash == std::string::npos) return {};
      const std::string next = form.lead.substr(0, dash) + ' ' + form.lead.substr(dash + 1);
      return form.lead + "name: " + setting.name + next +
             "value: " + quoted_word(setting.value, form.quoting);
    }
    case NewSetting::Kind::TextItem:
      return form.lead + written_word(pair, form.quoting);
    case NewSetting::Kind::Line:
      return form.lead + "Environment=" + written_word(pair, form.quoting);
    case NewSetting::Kind::Nowhere:
      return {};
  }
  return {};
}

Edit replacement(const ChangedWord& changed, const Word& before) {
  const Word& word = changed.word;
  // Written without quotes, --flag=6 needs only the part behind the equals sign.
  const auto equals = before.text.find('=');
  const bool bare = before.span.end - before.span.begin == before.text.size();
  if (word.quoting == Quoting::Shell && bare && equals != std::string::npos &&
      word.text.starts_with(before.text.substr(0, equals + 1))) {
    const std::string value = word.text.substr(equals + 1);
    return {{word.span.source, word.span.begin + equals + 1, word.span.end},
            value.empty() ? "" : shell_quoted(value)};
  }
  return {word.span, written_word(word.text, word.quoting)};
}

class Edits {
 public:
  explicit Edits(const ChangedCommand& changed) : changed_(changed), command_(*changed.original) {}

  std::vector<Edit> all();

 private:
  bool settings();
  bool words(const std::vector<ChangedWord>& words, const std::vector<Word>& before);
  bool insert(const std::vector<Word>& before, std::size_t behind,
              const std::vector<std::string>& texts);
  bool stands_elsewhere(const std::vector<Word>& before, std::size_t at) const;
  bool remove(const std::vector<ChangedWord>& words, std::size_t at);
  bool fits_inside_quotes() const;

  const ChangedCommand& changed_;
  const Command& command_;
  std::vector<Edit> edits_;
};

bool Edits::settings() {
  std::string added;
  for (const auto& changed : changed_.settings) {
    const Setting& setting = changed.setting;
    if (setting.front) continue;  // edited where it stands, as a word
    if (changed.added && !changed.removed) {
      // In front of words two of them stand side by side; `env` is written once.
      const bool next = !added.empty() && command_.new_setting.kind == NewSetting::Kind::EnvWords;
      const std::string text =
          next ? written(setting) + ' ' : written(setting, command_.new_setting);
      if (text.empty()) return false;
      added += text;
    }
    if (changed.added || (!changed.removed && !changed.replaced)) continue;
    if (!setting.literal) return false;
    Span span = setting.span;
    if (changed.removed) {
      span.end += setting.blank;
      span = setting.whole.value_or(span);
    }
    edits_.push_back({span, changed.removed ? std::string() : written(setting)});
  }
  if (!added.empty()) {
    edits_.push_back({{command_.source, command_.environment_at, command_.environment_at}, added});
  }
  return true;
}

// Words of an image's own entrypoint: behind them a docker line goes on; a manifest has another
// place for arguments, which may not be there at all.
bool Edits::stands_elsewhere(const std::vector<Word>& before, std::size_t at) const {
  return &before == &command_.words && at < command_.implied && command_.front.empty();
}

// A flag and its value, which are two words, are one member. Empty: several values are not.
std::vector<std::string> members_of(const std::vector<std::string>& texts) {
  std::vector<std::string> members;
  bool open = false;  // the last one is a flag that may take a value
  for (const std::string& text : texts) {
    const bool flag = text.starts_with("--");
    if (!flag && !open) return {};
    if (flag) {
      members.push_back(text);
    } else {
      members.back() += '=' + text;
    }
    open = flag && !text.contains('=');
  }
  return members;
}

// New words go directly behind an old one, unless that one is in the middle of what one variable
// became.
bool Edits::insert(const std::vector<Word>& before, std::size_t behind,
                   const std::vector<std::string>& texts) {
  const Word& word = before[behind];
  if (word.span.source < 0 || stands_elsewhere(before, behind)) return false;
  if (behind + 1 < before.size() && before[behind + 1].span == word.span) return false;
  std::string text;
  const std::vector<std::string> parts = is_member(word) ? members_of(texts) : texts;
  if (parts.empty()) return false;
  for (const auto& one : parts) {
    text += word.lead.empty() ? std::string(" ") : word.lead;
    text += written_word(one, word.quoting);
  }
  edits_.push_back({{word.span.source, word.span.end, word.span.end}, std::move(text)});
  return true;
}

// With the blanks or the comma in front of it; the first item of a list has none there, so what
// stands behind it goes.
bool Edits::remove(const std::vector<ChangedWord>& words, std::size_t at) {
  const Word& word = words[at].word;
  if (word.blank > 0 || word.lead.empty()) {
    edits_.push_back(
        {{word.span.source, word.span.begin - word.blank, word.span.end}, std::string()});
    return true;
  }
  const bool followed = at + 1 < words.size() && words[at + 1].original && !words[at + 1].removed &&
                        words[at + 1].word.lead == word.lead &&
                        words[at + 1].word.span.source == word.span.source;
  if (!followed || words[at + 1].word.span.begin < word.span.end) return false;
  edits_.push_back(
      {{word.span.source, word.span.begin, words[at + 1].word.span.begin}, std::string()});
  return true;
}

bool Edits::words(const std::vector<ChangedWord>& words, const std::vector<Word>& before) {
  std::optional<std::size_t> behind;
  std::vector<std::string> added;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const ChangedWord& changed = words[i];
    if (!changed.original) {
      if (!changed.removed) added.push_back(changed.word.text);
      continue;
    }
    if (!added.empty() && (!behind || !insert(before, *behind, std::exchange(added, {}))))
      return false;
    behind = changed.original;
    if (!changed.removed && !changed.replaced) continue;
    if (!changed.word.literal) return false;
    if (changed.replaced && !changed.removed) {
      edits_.push_back(replacement(changed, before[*changed.original]));
    } else if (!remove(words, i)) {
      return false;
    }
  }
  return added.empty() || (behind && insert(before, *behind, added));
}

// Inside bash -c "…" a new text must not end the quotes or mean something to them.
bool Edits::fits_inside_quotes() const {
  return std::ranges::none_of(edits_, [](const Edit& edit) {
    return edit.text.find_first_of("'\"\\$`!") != std::string::npos;
  });
}

std::vector<Edit> Edits::all() {
  if (changed_.elsewhere) return {};
  const bool front_alone =
      std::ranges::none_of(changed_.words,
                           [](const ChangedWord& word) {
                             return word.removed || word.replaced || !word.original;
                           }) &&
      std::ranges::none_of(changed_.settings, [](const ChangedSetting& setting) {
        return !setting.setting.front && (setting.added || setting.removed || setting.replaced);
      });
  if (!front_alone) {
    if (command_.written == Command::Text::Derived) return {};
    if (!settings() || !words(changed_.words, command_.words)) return {};
    if (command_.written == Command::Text::InsideQuotes && !fits_inside_quotes()) return {};
  }
  if (!words(changed_.front, command_.front)) return {};
  // A removal and an insertion may meet at one byte; their order there does not change the text.
  std::ranges::sort(edits_, {},
                    [](const Edit& edit) { return std::pair(edit.span.begin, edit.span.end); });
  return std::move(edits_);
}

// Indices of words that stayed, by where they stood.
std::vector<std::optional<std::size_t>> new_places(const std::vector<ChangedWord>& words,
                                                   std::size_t count) {
  std::vector<std::optional<std::size_t>> places(count);
  std::size_t at = 0;
  for (const auto& word : words) {
    if (word.removed) continue;
    if (word.original && *word.original < count) places[*word.original] = at;
    ++at;
  }
  return places;
}

void put_front(Command& command, const ChangedCommand& changed) {
  const Command& before = *changed.original;
  const auto places = new_places(changed.front, before.front.size());
  command.front.clear();
  for (const auto& word : changed.front) {
    if (!word.removed) command.front.push_back(word.word);
  }
  command.image_word = 0;
  if (before.image_word < places.size())
    command.image_word = places[before.image_word].value_or(std::size_t{0});
  for (auto& setting : command.environment) {
    if (setting.front && *setting.front < places.size()) setting.front = places[*setting.front];
  }
}

}  // namespace

ChangedWord new_word(std::string text) { return {.word = {.text = std::move(text)}}; }

Command command_after(const ChangedCommand& changed) {
  Command command = *changed.original;
  command.words.clear();
  command.environment.clear();
  std::size_t implied = 0;
  for (const auto& word : changed.words) {
    if (word.removed) continue;
    if (word.original && *word.original < command.implied) ++implied;
    command.words.push_back(word.word);
  }
  for (const auto& setting : changed.settings) {
    if (!setting.removed) command.environment.push_back(setting.setting);
  }
  command.implied = implied;
  put_front(command, changed);
  return command;
}

std::vector<Edit> edits_of(const ChangedCommand& changed) { return Edits(changed).all(); }

}  // namespace sx
