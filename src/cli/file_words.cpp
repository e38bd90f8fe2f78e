// A list of words is taken item by item, a text as a shell reads it; both keep their places.
#include "cli/file_words.h"

#include <algorithm>
#include <cstdint>

#include "read/command_front.h"
#include "read/shell_words.h"

namespace sx {
namespace {

using Kind = TomlValue::Kind;

constexpr std::size_t kMostCompared = std::size_t{1} << 22U;  // pairs of words: 2048 each

bool is_shell_text(std::string_view text) {
  return text.find_first_of(" \t\r\n") != std::string_view::npos;
}

// A key with its value.
Span whole_of(const TomlValue::Entry& entry) {
  const Span& value = entry.value.span;
  const bool in_front = entry.key_span.source == value.source &&
                        entry.key_span.begin < entry.key_span.end &&
                        entry.key_span.end <= value.begin;
  return in_front ? Span{value.source, entry.key_span.begin, value.end} : value;
}

bool has_bytes(const Span& span) { return span.source >= 0 && span.begin < span.end; }

const TomlValue::Entry* entry_of_models(const TomlRead& file) { return file.table.find("model"); }

const TomlValue* table_at(const TomlRead& file, std::size_t model) {
  const auto* entry = entry_of_models(file);
  if (entry == nullptr) return nullptr;
  if (entry->value.kind == Kind::Table) return model == 0 ? &entry->value : nullptr;
  return model < entry->value.items.size() ? &entry->value.items[model] : nullptr;
}

// As `up` fills it, but word by word: none of them is a text for a shell.
std::string filled_word(const std::string& word, const TemplateValues& values) {
  return filled({"-", word}, values).back();
}

class Words {
 public:
  Words(const Sources& sources, const TemplateValues& values, ModelWords& made)
      : sources_(sources), values_(values), made_(made) {}

  void command(const TomlValue& value) {
    if (value.kind == Kind::String) {
      is_shell_text(value.text) ? shell(value) : item(value);
      return;
    }
    bool by_shell = value.items.size() == 1;
    for (const TomlValue& one : value.items) {
      by_shell&& is_shell_text(one.text) ? shell(one) : item(one);
      by_shell = by_shell || is_shell(one.text);
    }
  }

  void environment(const TomlValue& value) {
    for (const auto& entry : value.entries)
      made_.variables.push_back({.text = entry.key + '=' + entry.value.text,
                                 .whole = whole_of(entry),
                                 .value = entry.value.span});
    if (!has_bytes(value.span) || value.entries.empty()) return;
    const char begin = sources_.text(value.span).front();
    if (begin == '{') made_.between_variables = ", ";
    if (begin == '[') made_.between_variables = "\n";
  }

  void setting(const TomlValue::Entry* entry, std::string text) {
    if (entry != nullptr)
      made_.settings.push_back({.text = std::move(text),
                                .span = whole_of(*entry),
                                .form = FileWord::Form::Setting,
                                .literal = false});
  }

  void settings(const TomlValue::Entry* entry) {
    if (entry == nullptr) return;
    for (const TomlValue& one : entry->value.items)
      made_.settings.push_back(
          {.text = one.text, .span = one.span, .form = FileWord::Form::Setting, .literal = false});
  }

 private:
  void item(const TomlValue& value) {
    std::string text = filled_word(value.text, values_);
    const bool literal = text == value.text;
    made_.words.push_back({.text = std::move(text), .span = value.span, .literal = literal});
  }

  // Where TOML wrote the text without escapes its words stand there as they are.
  void shell(const TomlValue& value) {
    const std::string_view written = sources_.text(value.span);
    const auto at = written.find(value.text);
    const std::size_t begin = value.span.begin + at;
    const auto read =
        at == std::string_view::npos
            ? parse_shell_derived(value.text, value.span)
            : parse_shell_part(sources_, {value.span.source, begin, begin + value.text.size()},
                               Command::Text::InsideQuotes);
    if (!read) return item(value);
    for (const Command& command : read->commands) {
      for (const Setting& setting : command.environment) {
        if (setting.span.source != value.span.source) continue;
        made_.variables.push_back({.text = setting.name + '=' + setting.value,
                                   .whole = setting.span,
                                   .value = setting.span,
                                   .literal = false});
      }
      for (const Word& word : command.words) {
        std::string text = filled_word(word.text, values_);
        const bool literal = word.literal && command.written != Command::Text::Derived &&
                             text == word.text && at != std::string_view::npos;
        made_.words.push_back({.text = std::move(text),
                               .span = word.span,
                               .form = FileWord::Form::Shell,
                               .literal = literal});
      }
    }
  }

  const Sources& sources_;
  const TemplateValues& values_;
  ModelWords& made_;
};

// The longest order that both have.
std::vector<std::optional<std::size_t>> same_order(std::span<const std::string> some,
                                                   std::span<const std::string> others) {
  std::vector<std::optional<std::size_t>> found(some.size());
  if (some.empty() || others.empty() || some.size() > kMostCompared / others.size()) return found;
  // Of what is left behind each pair.
  const std::size_t width = others.size() + 1;
  std::vector<std::uint16_t> longest((some.size() + 1) * width);
  for (std::size_t i = some.size(); i-- > 0;) {
    for (std::size_t j = others.size(); j-- > 0;) {
      const std::uint16_t without =
          std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
      const auto with = static_cast<std::uint16_t>(longest[(i + 1) * width + j + 1] + 1);
      longest[i * width + j] = some[i] == others[j] ? with : without;
    }
  }
  for (std::size_t i = 0, j = 0; i < some.size() && j < others.size();) {
    if (some[i] == others[j]) {
      found[i++] = j++;
    } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return found;
}

bool is_flag(std::string_view word) { return word.starts_with('-'); }

// "--port=8001" for "--port=9000"; or the values of one flag.
bool says_the_same_flag(std::string_view launch, std::string_view file, bool behind_flag) {
  const auto name = [](std::string_view word) { return word.substr(0, word.find('=')); };
  if (is_flag(launch) || is_flag(file))
    return launch.contains('=') && file.contains('=') && name(launch) == name(file);
  return behind_flag;
}

}  // namespace

Span table_of_model(const TomlRead& file, std::size_t model) {
  const auto* entry = entry_of_models(file);
  const TomlValue* table = table_at(file, model);
  if (table != nullptr && has_bytes(table->span)) return table->span;
  if (entry != nullptr && has_bytes(entry->key_span)) return entry->key_span;
  const bool empty = table == nullptr || table->entries.empty();
  return empty ? Span{0, 0, 0} : table->entries.front().key_span;
}

ModelWords words_of_model(const Sources& sources, const TomlRead& file, std::size_t model,
                          const TemplateValues& values) {
  ModelWords made{.table = table_of_model(file, model)};
  const TomlValue* table = table_at(file, model);
  if (table == nullptr) return made;
  Words words(sources, values, made);
  const auto* id = table->find("id");
  if (const auto* command = table->find("command")) {
    words.command(command->value);
  } else if (id != nullptr) {
    words.setting(id, id->value.text);
  }
  if (const auto* environment = table->find("environment")) words.environment(environment->value);
  if (const auto* image = table->find("image")) words.setting(image, image->value.text);
  if (const auto* shm = table->find("shm_gib"))
    words.setting(shm, std::to_string(shm->value.integer) + 'g');
  words.settings(table->find("mounts"));
  words.settings(table->find("container_options"));
  const auto named = [&](std::string_view key, std::initializer_list<const char*> variables) {
    const auto* entry = table->find(key);
    if (entry == nullptr) return;
    for (const char* variable : variables) made.named.emplace_back(variable, whole_of(*entry));
  };
  named("gpus", {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"});
  named("venv", {"PATH", "VIRTUAL_ENV"});
  return made;
}

std::vector<std::optional<std::size_t>> same_words(std::span<const std::string> some,
                                                   std::span<const std::string> others) {
  std::vector<std::optional<std::size_t>> found(some.size());
  const std::size_t least = std::min(some.size(), others.size());
  std::size_t front = 0;
  std::size_t back = 0;
  while (front < least && some[front] == others[front]) ++front;
  while (front + back < least && some[some.size() - 1 - back] == others[others.size() - 1 - back])
    ++back;
  for (std::size_t i = 0; i < front; ++i) found[i] = i;
  for (std::size_t i = 1; i <= back; ++i) found[some.size() - i] = others.size() - i;
  const auto between = same_order(some.subspan(front, some.size() - front - back),
                                  others.subspan(front, others.size() - front - back));
  for (std::size_t i = 0; i < between.size(); ++i) {
    if (between[i]) found[front + i] = front + *between[i];
  }
  return found;
}

std::vector<std::optional<std::size_t>> found_in(std::span<const FileWord> file,
                                                 std::span<const std::string> launch) {
  std::vector<std::string> texts;
  for (const FileWord& word : file) texts.push_back(word.text);
  auto found = same_words(launch, texts);
  for (std::size_t i = 1; i < launch.size(); ++i) {
    if (found[i] || !found[i - 1]) continue;
    const std::size_t next = *found[i - 1] + 1;
    const bool taken =
        next >= file.size() || std::ranges::find(found, std::optional(next)) != found.end();
    if (!taken && says_the_same_flag(launch[i], texts[next], is_flag(launch[i - 1])))
      found[i] = next;
  }
  return found;
}

}  // namespace sx
