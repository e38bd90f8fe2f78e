// Every entry of the file against the table of keys.
#include "run/deployment_file.h"

#include <algorithm>

#include "base/strings.h"
#include "run/deployment_keys.h"

namespace sx {
namespace {

using Kind = TomlValue::Kind;

constexpr Text kNotToml{"the file is not TOML", "文件不是合法的 TOML"};
constexpr Text kUnknown{"there is no setting {key}", "没有 {key} 这项设置"};
constexpr Text kClosest{"did you mean {closest}?", "是否想写 {closest}？"};
constexpr Text kWrong{"{key} takes another kind of value", "{key} 的取值类型不对"};
constexpr Text kTakesText{"it takes text in quotes", "应为带引号的文本"};
constexpr Text kTakesWords{"it takes a list of words in quotes, or one text",
                           "应为带引号的词的列表，或一段文本"};
constexpr Text kTakesNumber{"it takes a whole number from {least} to {most}",
                            "应为 {least} 到 {most} 的整数"};
constexpr Text kTakesNumbers{"it takes a list of whole numbers from {least} to {most}",
                             "应为 {least} 到 {most} 的整数列表"};
constexpr Text kTakesTruth{"it takes true or false", "应为 true 或 false"};
constexpr Text kTakesTable{"it takes names and texts: { NAME = \"value\" }",
                           "应为名称与文本：{ NAME = \"value\" }"};
constexpr Text kNoModel{"it says nothing to run", "没有写要运行什么"};
constexpr Text kEither{"model.id or model.command is wanted", "需要 model.id 或 model.command"};
constexpr Text kBoth{"model.id and model.command stand both there",
                     "model.id 与 model.command 同时出现"};
constexpr Text kBadName{"a name holds letters, digits, '-', '_' and '.'",
                        "名称只能含字母、数字、“-”、“_”和“.”"};
constexpr Text kBadListen{"an address and a port, as in 127.0.0.1:8000",
                          "应为地址与端口，如 127.0.0.1:8000"};

Message wanted(const SettingKey& key) {
  const std::string_view takes = key.row.takes;
  if (key.row.key == "name") return {kBadName};
  if (key.row.key == "listen") return {kBadListen};
  if (takes == "words") return {kTakesWords};
  if (takes == "truth") return {kTakesTruth};
  if (takes == "table") return {kTakesTable};
  if (takes == "number") return {kTakesNumber, {{"least", key.least}, {"most", key.most}}};
  if (takes == "numbers") return {kTakesNumbers, {{"least", key.least}, {"most", key.most}}};
  return {kTakesText};
}

class Reader {
 public:
  Reader(const Sources& sources, DeploymentRead& read) : sources_(sources), read_(read) {}

  void table(const TomlValue& table, const std::string& above) {
    for (const auto& entry : table.entries) {
      const std::string key = above.empty() ? entry.key : above + '.' + entry.key;
      const auto& all = setting_keys();
      const auto found =
          std::ranges::find_if(all, [&](const SettingKey& one) { return one.row.key == key; });
      if (found != all.end()) {
        take(*found, entry);
        continue;
      }
      const bool group = std::ranges::any_of(
          all, [&](const SettingKey& one) { return one.row.key.starts_with(key + '.'); });
      if (group && entry.value.kind == Kind::Table) {
        this->table(entry.value, key);
      } else {
        unknown(key, entry);
      }
    }
  }

 private:
  void take(const SettingKey& key, const TomlValue::Entry& entry) {
    if (!key.put({read_.file, entry.value})) {
      read_.faults.push_back({{kWrong, {{"key", key.row.key}}},
                              {{.span = entry.value.span, .text = wanted(key), .primary = true}}});
      return;
    }
    read_.file.settings.push_back(
        {std::string(key.row.key), std::string(sources_.text(entry.value.span)), entry.value.span});
  }

  void unknown(const std::string& key, const TomlValue::Entry& entry) {
    std::vector<std::string_view> names;
    for (const SettingKey& one : setting_keys()) names.push_back(one.row.key);
    const auto near = closest(key, names, 1);
    Message hint;
    if (!near.empty()) hint = {kClosest, {{"closest", near.front()}}};
    read_.faults.push_back(
        {{kUnknown, {{"key", key}}}, {{.span = entry.key_span, .text = hint, .primary = true}}});
  }

  const Sources& sources_;
  DeploymentRead& read_;
};

}  // namespace

const std::vector<DeploymentKey>& deployment_keys() {
  static const std::vector<DeploymentKey> all = [] {
    std::vector<DeploymentKey> rows;
    for (const SettingKey& key : setting_keys()) rows.push_back(key.row);
    return rows;
  }();
  return all;
}

DeploymentRead read_deployment_file(const Sources& sources, int source) {
  DeploymentRead read;
  const TomlRead toml = read_toml(sources, source);
  if (toml.problem) {
    constexpr Text kSaid{"{words}", "{words}"};
    read.faults.push_back({{kNotToml},
                           {{.span = toml.problem->span,
                             .text = {kSaid, {{"words", toml.problem->words}}},
                             .primary = true}}});
    return read;
  }
  Reader(sources, read).table(toml.table, "");
  const Span begin{source, 0, 0};
  if (read.file.model.empty() && read.file.command.empty() && read.faults.empty())
    read.faults.push_back({{kNoModel}, {{.span = begin, .text = {kEither}, .primary = true}}});
  if (!read.file.model.empty() && !read.file.command.empty()) {
    const auto command =
        std::ranges::find(read.file.settings, "model.command", &DeploymentFile::Setting::key);
    read.faults.push_back({{kBoth}, {{.span = command->span, .text = {kEither}, .primary = true}}});
  }
  return read;
}

}  // namespace sx
