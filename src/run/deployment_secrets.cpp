// Keys and tokens in the file: it is copied, shown and committed, and they with it.
#include <algorithm>

#include "check/scrub.h"
#include "facts/secret_names.h"
#include "run/deployment_keys.h"

namespace sx {
namespace {

constexpr Text kKeyInline{"the key of {name} stands in the file itself",
                          "{name} 的密钥直接写在文件里"};
constexpr Text kKeyElsewhere{
    "whoever reads the file has it; {variable} would name a variable, and `sextant keys add` with "
    "key_file keeps only a digest",
    "读到该文件的人就有了密钥；写成 {variable} 则取自环境变量，用 `sextant keys add` 加 key_file "
    "则只保存摘要"};
constexpr Text kTokenInline{"the value of {name} stands in the file itself",
                            "{name} 的值直接写在文件里"};
constexpr Text kTokenElsewhere{
    "whoever reads the file has it; set where `sextant up` is called, it is passed on",
    "读到该文件的人就有了它；在执行 `sextant up` 的环境里设置，也会传给引擎"};

// Of the keys of clients all that name no variable; of variables those that are called secrets.
bool is_secret(std::string_view key, const TomlValue::Entry& entry) {
  const std::string& text = entry.value.text;
  if (key == "keys") return !text.starts_with('$');
  return key == "model.environment" && !text.empty() && names_secret(entry.key);
}

std::string variable_for(std::string_view name) {
  std::string variable = "$";
  for (const char c : name) {
    const bool letter = c >= 'a' && c <= 'z';
    const bool stays = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    variable += letter ? static_cast<char>(c - 'a' + 'A') : (stays ? c : '_');
  }
  return variable + "_KEY";
}

struct Hidden {
  Span place;
  std::string instead = "\"…\"";
};

// Words behind a flag that is called a secret, and values behind such a name: "--api-key sk-1
// sk-2",
// "-e A_TOKEN=x".
std::vector<Hidden> hidden_words(const TomlValue& value) {
  std::vector<Hidden> hidden;
  bool behind_secret = false;
  for (const TomlValue& item : value.items) {
    const std::string& word = item.text;
    const std::size_t equals = std::min(word.find('='), word.size());
    if (equals < word.size() && names_secret(word.substr(0, equals))) {
      hidden.push_back({item.span, '"' + word.substr(0, equals) + "=…\""});
    } else if (word.starts_with('-')) {
      behind_secret = names_secret(word);
    } else if (behind_secret) {
      hidden.push_back({item.span});
    }
  }
  return hidden;
}

std::vector<Hidden> hidden_in(const SettingKey& key, const TomlValue& value,
                              const Sources& sources) {
  if (key.row.takes == "words") {
    if (value.kind != TomlValue::Kind::String) return hidden_words(value);
    return {{value.span, without_secrets_in_text(sources.text(value.span))}};
  }
  std::vector<Hidden> hidden;
  for (const TomlValue::Entry& entry : value.entries) {
    if (is_secret(key.row.key, entry)) hidden.push_back({entry.value.span});
  }
  return hidden;
}

}  // namespace

std::vector<FileFault> warnings_of_secrets(const SettingKey& key, const TomlValue& value) {
  std::vector<FileFault> warnings;
  for (const TomlValue::Entry& entry : value.entries) {
    if (!is_secret(key.row.key, entry)) continue;
    const bool client = key.row.key == "keys";
    const Message label =
        client ? Message{kKeyElsewhere, {{"variable", '"' + variable_for(entry.key) + '"'}}}
               : Message{kTokenElsewhere};
    warnings.push_back({.title = {client ? kKeyInline : kTokenInline, {{"name", entry.key}}},
                        .labels = {{.span = entry.value.span, .text = label, .primary = true}},
                        .secret = true});
  }
  return warnings;
}

std::string shown_setting(const SettingKey& key, const TomlValue& value, const Sources& sources) {
  std::string shown;
  std::size_t from = value.span.begin;
  const int source = value.span.source;
  for (const Hidden& hidden : hidden_in(key, value, sources)) {
    // Written below a header of its own, a table has its entries behind its span.
    if (hidden.place.begin < from || hidden.place.end > value.span.end) continue;
    shown += std::string(sources.text({source, from, hidden.place.begin})) + hidden.instead;
    from = hidden.place.end;
  }
  return shown + std::string(sources.text({source, from, value.span.end}));
}

}  // namespace sx
