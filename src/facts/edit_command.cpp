// Applies changes to a list of words, then derives the edits of the user's text from what became of
// each word.
#include "facts/edit_command.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "facts/changed_command.h"
#include "facts/command_edits.h"
#include "knowledge/flags.h"
#include "knowledge/foreign_flags.h"

namespace sx {
namespace {

// Place of a setting whose words are new in front: no word of the old command.
constexpr std::size_t kNewInFront = static_cast<std::size_t>(-1);

class Editor {
 public:
  Editor(const Command& command, const ServeSpec& serve) : serve_(serve) {
    changed_.original = &command;
    for (std::size_t i = 0; i < command.words.size(); ++i) {
      changed_.words.push_back({.word = command.words[i], .original = i});
    }
    for (std::size_t i = 0; i < command.front.size(); ++i) {
      changed_.front.push_back({.word = command.front[i], .original = i});
    }
    for (const auto& setting : command.environment)
      changed_.settings.push_back({.setting = setting});
  }

  void apply(const Change& change);
  const ChangedCommand& changed() const { return changed_; }
  bool possible() const { return possible_; }

 private:
  std::vector<const FlagUse*> uses_of(std::string_view name) const;
  std::string own(const std::string& name) const;
  std::string own_to_set(const std::string& name);
  ChangedWord* word_at(std::size_t original);
  void remove(std::size_t original);
  void replace(std::size_t original, std::string text);
  void insert_after(std::size_t original, std::string text);
  void append(std::string text);
  ChangedWord* front_at(std::size_t original);
  void replace_front(std::size_t original, std::string text);
  void remove_front(std::size_t original);
  void add_in_front(std::string text);
  void move_to_front(std::size_t first, std::size_t count);
  void move_inside(std::size_t first, std::size_t count);
  void set_in_front(ChangedSetting& changed);
  void remove_from_front(const Setting& setting);

  void set_value(const FlagUse& use, const std::string& name, const std::string& value);
  void set_flag(const std::string& name, const std::string& value);
  void add_switch(const std::string& name);
  void remove_flag(const std::string& name);
  void rename_flag(const std::string& name, const std::string& new_name);
  void remove_use(const FlagUse& use);
  void set_environment(const std::string& name, const std::string& value);
  void remove_environment(const std::string& name);
  void set_model(const std::string& value);

  const ServeSpec& serve_;
  ChangedCommand changed_;
  bool possible_ = true;
};

// "--no-x" for a negated use of --x, "--x.a" for a dotted one.
std::string full_name(const FlagUse& use) {
  if (use.negated && use.name.starts_with("--")) return "--no-" + use.name.substr(2);
  return use.path ? use.name + '.' + *use.path : use.name;
}

std::string opposite(std::string_view name) {
  if (name.starts_with("--no-")) return "--" + std::string(name.substr(5));
  return name.starts_with("--") ? "--no-" + std::string(name.substr(2)) : std::string();
}

// A flag that was added by an earlier change of the same list has no FlagUse: it is looked for
// among the new words.
std::optional<std::size_t> position_of_new(const std::vector<ChangedWord>& words,
                                           std::string_view name) {
  for (std::size_t i = words.size(); i-- > 0;) {
    if (!words[i].original && !words[i].removed && words[i].word.text == name) return i;
  }
  return {};
}

std::vector<const FlagUse*> Editor::uses_of(std::string_view name) const {
  std::vector<const FlagUse*> found;
  if (name.empty()) return found;
  for (const auto& use : serve_.flags) {
    if (full_name(use) == name || use.typed == name) found.push_back(&use);
  }
  return found;
}

// What stands there under that very name is meant before what the name stands for.
std::string Editor::own(const std::string& name) const {
  return uses_of(name).empty() ? own_name(serve_.engine, name) : name;
}

std::string Editor::own_to_set(const std::string& name) {
  std::string own = own_name_for_value(serve_.engine, name);
  if (own.empty()) possible_ = false;
  return own;
}

ChangedWord* find(std::vector<ChangedWord>& words, std::size_t original) {
  const auto found = std::ranges::find(words, std::optional(original), &ChangedWord::original);
  return found == words.end() ? nullptr : &*found;
}

ChangedWord* Editor::word_at(std::size_t original) { return find(changed_.words, original); }

ChangedWord* Editor::front_at(std::size_t original) { return find(changed_.front, original); }

void Editor::remove(std::size_t original) {
  if (auto* word = word_at(original)) word->removed = true;
}

void put(ChangedWord* word, std::string text) {
  if (word == nullptr || word->removed || word->word.text == text) return;
  word->word.text = std::move(text);
  word->word.complete = true;
  word->word.tilde = false;
  word->replaced = true;
}

void Editor::replace(std::size_t original, std::string text) {
  put(word_at(original), std::move(text));
}

void Editor::insert_after(std::size_t original, std::string text) {
  const auto at = std::ranges::find_if(
      changed_.words, [&](const ChangedWord& word) { return word.original == original; });
  if (at == changed_.words.end()) return append(std::move(text));
  changed_.words.insert(at + 1, new_word(std::move(text)));
}

void Editor::append(std::string text) { changed_.words.push_back(new_word(std::move(text))); }

void Editor::replace_front(std::size_t original, std::string text) {
  put(front_at(original), std::move(text));
}

void Editor::remove_front(std::size_t original) {
  if (auto* word = front_at(original)) word->removed = true;
}

// In front of the image, behind what was put there before, so that several keep their order.
void Editor::add_in_front(std::string text) {
  const std::size_t image = changed_.original->image_word;
  const auto at = std::ranges::find_if(
      changed_.front, [&](const ChangedWord& word) { return word.original == image; });
  if (image > 0 && at != changed_.front.end()) changed_.front.insert(at, new_word(std::move(text)));
}

void Editor::move_to_front(std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count && i < changed_.original->words.size(); ++i) {
    add_in_front(changed_.original->words[i].text);
    remove(i);
  }
}

void Editor::move_inside(std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count && i < changed_.original->front.size(); ++i) {
    append(changed_.original->front[i].text);
    remove_front(i);
  }
}

// -e NAME=value, --env=NAME=value, -eNAME=value, and -e NAME, which takes the caller's value.
void Editor::set_in_front(ChangedSetting& changed) {
  const Setting& setting = changed.setting;
  const ChangedWord* word = front_at(*setting.front);
  if (word == nullptr) return;
  const std::string& text = word->word.text;
  const std::string pair = setting.name + '=' + setting.value;
  const auto assigned = text.find(setting.name + '=');
  const bool named = assigned == std::string::npos && text.ends_with(setting.name);
  const std::size_t keep =
      named ? text.size() - setting.name.size() : std::min(assigned, text.size());
  replace_front(*setting.front, text.substr(0, keep) + pair);
}

void Editor::remove_from_front(const Setting& setting) {
  const std::size_t at = *setting.front;
  const ChangedWord* word = front_at(at);
  if (word == nullptr) return;
  const ChangedWord* option = at > 0 ? front_at(at - 1) : nullptr;
  const bool apart = word->word.text.starts_with(setting.name) && option != nullptr &&
                     option->word.text.starts_with('-') && !option->word.text.contains('=');
  // In `-ite NAME=value` the option word does more than this.
  const bool alone = apart && (option->word.text == "-e" || option->word.text == "--env");
  if (apart && !alone) {
    changed_.elsewhere = true;
    return;
  }
  remove_front(at);
  if (alone) remove_front(at - 1);
}

void Editor::remove_use(const FlagUse& use) {
  if (use.word_count == 0) changed_.elsewhere = true;
  for (std::size_t i = 0; i < use.word_count; ++i) remove(use.first_word + i);
}

void Editor::set_value(const FlagUse& use, const std::string& name, const std::string& value) {
  const ChangedWord* flag = word_at(use.first_word);
  if (flag == nullptr || flag->removed) return;
  const std::string text = flag->word.text;
  const auto equals = text.find('=');
  if (use.negated) {
    replace(use.first_word, name);
    return insert_after(use.first_word, value);
  }
  if (use.word_count > 1) {
    replace(use.first_word + 1, value);
    for (std::size_t i = 2; i < use.word_count; ++i) remove(use.first_word + i);
  } else if (equals != std::string::npos) {
    replace(use.first_word, text.substr(0, equals + 1) + value);
  } else if (text.size() > use.typed.size() && text.starts_with(use.typed)) {
    replace(use.first_word, use.typed + value);  // -tp8
  } else {
    insert_after(use.first_word, value);
  }
}

void Editor::set_flag(const std::string& name, const std::string& value) {
  if (const auto added = position_of_new(changed_.words, name);
      added && *added + 1 < changed_.words.size()) {
    changed_.words[*added + 1].word.text = value;
    return;
  }
  auto uses = uses_of(name);
  for (const FlagUse* use : uses_of(opposite(name))) uses.push_back(use);
  std::erase_if(uses, [](const FlagUse* use) { return use->word_count == 0; });
  std::ranges::sort(uses, {}, [](const FlagUse* use) { return use->first_word; });
  if (uses.empty()) {
    append(name);
    return append(value);
  }
  for (std::size_t i = 0; i + 1 < uses.size(); ++i) remove_use(*uses[i]);
  set_value(*uses.back(), name, value);
}

void Editor::add_switch(const std::string& name) {
  if (position_of_new(changed_.words, name)) return;
  const auto opposites = uses_of(opposite(name));
  const bool undone =
      std::ranges::any_of(opposites, [](const FlagUse* use) { return use->word_count > 0; });
  const bool there = !uses_of(name).empty();
  if (there && !undone) return;
  bool placed = there;
  for (const FlagUse* use : opposites) {
    if (use->word_count == 0) continue;
    if (placed) {
      remove_use(*use);
    } else {
      replace(use->first_word, name);
      for (std::size_t i = 1; i < use->word_count; ++i) remove(use->first_word + i);
      placed = true;
    }
  }
  if (!placed) append(name);
}

void Editor::remove_flag(const std::string& name) {
  for (const auto& use : serve_.flags) {
    if (use.name == name || full_name(use) == name || use.typed == name) remove_use(use);
  }
}

void Editor::rename_flag(const std::string& name, const std::string& new_name) {
  for (const FlagUse* use : uses_of(name)) {
    if (use->word_count == 0) {
      changed_.elsewhere = true;
      continue;
    }
    const ChangedWord* flag = word_at(use->first_word);
    if (flag == nullptr) continue;
    const std::string& text = flag->word.text;
    const auto equals = use->word_count == 1 ? text.find('=') : std::string::npos;
    replace(use->first_word,
            equals == std::string::npos ? new_name : new_name + text.substr(equals));
  }
}

void Editor::set_environment(const std::string& name, const std::string& value) {
  for (auto at = changed_.settings.rbegin(); at != changed_.settings.rend(); ++at) {
    if (at->removed || at->setting.name != name || !at->setting.prefix) continue;
    if (at->setting.value == value && at->setting.complete) return;
    at->setting.value = value;
    at->setting.complete = true;
    at->replaced = true;
    if (at->setting.front) set_in_front(*at);
    return;
  }
  ChangedSetting added{.setting = {.name = name, .value = value}, .added = true};
  const Command& command = *changed_.original;
  const bool option = command.new_setting.kind == NewSetting::Kind::Option;
  if (option && command.image_word > 0 && command.image_word < command.front.size()) {
    add_in_front("-e");
    add_in_front(name + '=' + value);
    added.setting.front = kNewInFront;
  }
  changed_.settings.push_back(std::move(added));
}

void Editor::remove_environment(const std::string& name) {
  for (auto& changed : changed_.settings) {
    if (changed.setting.name != name) continue;
    // An export serves other commands as well, so its text stays.
    if (!changed.setting.prefix) changed_.elsewhere = true;
    if (changed.setting.front && !changed.removed) remove_from_front(changed.setting);
    changed.removed = true;
  }
}

void Editor::set_model(const std::string& value) {
  if (serve_.model_word > 0) {
    const ChangedWord* word = word_at(serve_.model_word);
    const bool joined = word != nullptr && word->word.text.starts_with("--");
    const auto equals = joined ? word->word.text.find('=') : std::string::npos;
    return replace(serve_.model_word, equals == std::string::npos
                                          ? value
                                          : word->word.text.substr(0, equals + 1) + value);
  }
  const auto& words = changed_.original->words;
  const std::string flag = own_to_set("--model");
  const EngineFlags* flags = engine_flags(serve_.engine);
  const bool takes_positional = words.size() > 1 && words[1].text == "serve" &&
                                uses_of(flag).empty() &&
                                (flags == nullptr || flags->find("model_tag") != nullptr);
  if (takes_positional) return insert_after(1, value);
  if (possible_) set_flag(flag, value);
}

void Editor::apply(const Change& change) {
  const auto index = static_cast<std::size_t>(to_integer(change.name).value_or(-1));
  switch (change.kind) {
    case Change::Kind::SetFlag:
      if (const std::string name = own_to_set(change.name); possible_) set_flag(name, change.value);
      return;
    case Change::Kind::AddSwitch:
      if (const std::string name = own_to_set(change.name); possible_) add_switch(name);
      return;
    case Change::Kind::RemoveFlag:
      return remove_flag(own(change.name));
    case Change::Kind::RenameFlag:
      return rename_flag(change.name, change.value);
    case Change::Kind::SetEnvironment:
      return set_environment(change.name, change.value);
    case Change::Kind::RemoveEnvironment:
      return remove_environment(change.name);
    case Change::Kind::SetModel:
      return set_model(change.value);
    case Change::Kind::ReplaceWord:
      return replace(index, change.value);
    case Change::Kind::RemoveWord:
      return remove(index);
    case Change::Kind::InsertWord:
      return insert_after(index, change.value);
    case Change::Kind::ReplaceFront:
      return replace_front(index, change.value);
    case Change::Kind::AddOption:
      add_in_front(change.name);
      return add_in_front(change.value);
    case Change::Kind::MoveToFront:
      return move_to_front(index, static_cast<std::size_t>(to_integer(change.value).value_or(0)));
    case Change::Kind::MoveInside:
      return move_inside(index, static_cast<std::size_t>(to_integer(change.value).value_or(0)));
  }
}

}  // namespace

EditedCommand edit_command(const Command& command, const ServeSpec& serve,
                           std::span<const Change> changes) {
  Editor editor(command, serve);
  for (const auto& change : changes) editor.apply(change);
  return {.command = command_after(editor.changed()),
          .edits = edits_of(editor.changed()),
          .possible = editor.possible()};
}

std::optional<Command> changed_command(const Command& command, const ServeSpec& serve,
                                       std::span<const Change> changes) {
  Editor editor(command, serve);
  for (const auto& change : changes) editor.apply(change);
  return editor.possible() ? std::optional(command_after(editor.changed())) : std::nullopt;
}

}  // namespace sx
