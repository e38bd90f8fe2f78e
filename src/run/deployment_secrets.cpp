// Keys and tokens in the file: it is copied, shown and committed, and they with it.
#include <algorithm>

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
  for (const TomlValue::Entry& entry : value.entries) {
    const Span& place = entry.value.span;
    if (!is_secret(key.row.key, entry)) continue;
    // Written below a header of its own, a table has its entries behind its span.
    if (place.begin < from || place.end > value.span.end) continue;
    shown += std::string(sources.text({source, from, place.begin})) + "\"…\"";
    from = place.end;
  }
  return shown + std::string(sources.text({source, from, value.span.end}));
}

}  // namespace sx
