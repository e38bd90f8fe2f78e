// Every entry of the file against the table of keys.
#include "run/deployment_file.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "diag/listed.h"
#include "run/deployment_keys.h"

namespace sx {
namespace {

using Kind = TomlValue::Kind;

constexpr Text kNotToml{"the file is not TOML", "文件不是合法的 TOML"};
constexpr Text kUnknown{"there is no setting {key}", "没有 {key} 这项设置"};
constexpr Text kClosest{"did you mean {closest}?", "是否想写 {closest}？"};
constexpr Text kThere{"what can stand here: {names}", "此处可写：{names}"};
constexpr Text kWrong{"{key} does not take this value", "{key} 不接受这个值"};
constexpr Text kTakesText{"it takes text in quotes", "应为带引号的文本"};
constexpr Text kTakesWords{"it takes a list of words in quotes, or one text",
                           "应为带引号的词的列表，或一段文本"};
constexpr Text kTakesNumber{"it takes a whole number from {least} to {most}",
                            "应为 {least} 到 {most} 的整数"};
constexpr Text kTakesNumbers{"it takes a list of whole numbers from {least} to {most}",
                             "应为 {least} 到 {most} 的整数列表"};
constexpr Text kTakesRatio{"it takes a number from {least} to {most}",
                           "应为 {least} 到 {most} 的数"};
constexpr Text kTakesEach{
    "it takes a whole number from {least} to {most}, or a list with one for each replica",
    "应为 {least} 到 {most} 的整数，或每个副本各一个的列表"};
constexpr Text kTakesTruth{"it takes true or false", "应为 true 或 false"};
constexpr Text kTakesTable{"it takes names and texts: {example}", "应为名称与文本：{example}"};
constexpr Text kTakesOneOf{"it takes one of {choices}", "应为以下之一：{choices}"};
constexpr Text kTakesStages{
    "it takes stages and seconds from {least} to {most}: {example}; stages are {stages}",
    "应为阶段与 {least} 到 {most} 的秒数：{example}；阶段有 {stages}"};
constexpr Text kTakesModels{"one table [model], or up to {most} of [[model]]",
                            "应为一个 [model]，或至多 {most} 个 [[model]]"};
constexpr Text kNoModel{"it says nothing to run", "没有写要运行什么"};
constexpr Text kEither{"model.id or model.command is wanted", "需要 model.id 或 model.command"};
constexpr Text kBadName{"a name holds letters, digits, '-', '_' and '.'",
                        "名称只能含字母、数字、“-”、“_”和“.”"};
constexpr Text kNul{"a NUL character can stand in no word, variable or path",
                    "词、变量与路径中都不能有 NUL 字符"};
constexpr Text kBadListen{"an address and a port, as in 127.0.0.1:8000",
                          "应为地址与端口，如 127.0.0.1:8000"};

constexpr Text kTwoKeys{"keys and key_file stand both there", "keys 与 key_file 同时出现"};
constexpr Text kOneOfThem{"a gateway reads one of them", "网关只读其中之一"};
constexpr Text kTakesImage{"an image as docker and podman name it: {example}",
                           "应为 docker、podman 使用的镜像名：{example}"};
constexpr Text kTakesMounts{"a list of folders as docker writes them: {example}",
                            "应为 docker 写法的目录列表：{example}"};
constexpr Text kTakesKeys{
    "names, and a key of at least {least} characters or the variable that holds it: {example}",
    "应为名称，以及至少 {least} 个字符的密钥或存放它的环境变量：{example}"};

std::string stages() {
  const auto all = start_stages();
  return join(std::vector<std::string>(all.begin(), all.end()), ", ");
}

Message wanted(const SettingKey& key) {
  const std::string_view takes = key.row.takes;
  if (key.row.key == "name") return {kBadName};
  if (key.row.key == "listen") return {kBadListen};
  if (key.row.key == "model.image") return {kTakesImage, {{"example", "vllm/vllm-openai:v0.11.0"}}};
  if (key.row.key == "model.mounts")
    return {kTakesMounts, {{"example", "[\"/data/models:/models:ro\"]"}}};
  if (key.row.key == "keys")
    return {kTakesKeys, {{"least", kLeastKeyLength}, {"example", "{ alice = \"$ALICE_KEY\" }"}}};
  if (takes == "words") return {kTakesWords};
  if (takes == "truth") return {kTakesTruth};
  if (takes == "table") return {kTakesTable, {{"example", "{ NAME = \"value\" }"}}};
  const std::int64_t least = key.row.least;
  const std::int64_t most = key.row.most;
  if (takes == "number") return {kTakesNumber, {{"least", least}, {"most", most}}};
  if (takes == "ratio") return {kTakesRatio, {{"least", least}, {"most", most}}};
  if (takes == "each") return {kTakesEach, {{"least", least}, {"most", most}}};
  if (takes == "numbers") return {kTakesNumbers, {{"least", least}, {"most", most}}};
  if (takes == "seconds")
    return {
        kTakesStages,
        {{"least", least}, {"most", most}, {"example", "{ load = 900 }"}, {"stages", stages()}}};
  if (!key.row.choices.empty()) {
    const std::vector<std::string> choices(key.row.choices.begin(), key.row.choices.end());
    return {kTakesOneOf, {{"choices", listed(choices)}}};
  }
  return {kTakesText};
}

// The system ends a text there, so that the rest of it would be lost.
bool has_nul(const TomlValue& value) {
  const auto inside = [](const TomlValue::Entry& entry) {
    return entry.key.find('\0') != std::string::npos || has_nul(entry.value);
  };
  return value.text.find('\0') != std::string::npos || std::ranges::any_of(value.items, has_nul) ||
         std::ranges::any_of(value.entries, inside);
}

// The one setting that begins so ("gateway.tls_cert"), else the nearest by letters; empty: none.
std::string meant_by(std::string_view key, const std::vector<std::string_view>& names) {
  constexpr std::size_t kLeastBegun = 3;  // letters behind the table's name: fewer begin many
  const std::size_t dot = key.find('.');
  const std::size_t letters = dot == std::string_view::npos ? key.size() : key.size() - dot - 1;
  const auto begun = [&](std::string_view name) { return name.starts_with(key); };
  if (letters >= kLeastBegun && std::ranges::count_if(names, begun) == 1)
    return std::string(*std::ranges::find_if(names, begun));
  const auto near = closest(key, names, 1);
  if (near.empty()) return {};
  // The table's name alone makes nothing alike: "model.tpp" is not "model.id".
  const auto own = [](std::string_view name) { return name.substr(name.rfind('.') + 1); };
  const std::string_view found = own(near.front());
  const bool alike = found == own(key) || !closest(own(key), {found}, 1).empty();
  return alike ? near.front() : std::string();
}

// The names of the table in which the key stands: "port" is nobody's, "listen" has it.
Both listed_beside(std::string_view key, const std::vector<std::string_view>& names) {
  const std::size_t dot = key.rfind('.');
  const std::string table =
      dot == std::string_view::npos ? "" : std::string(key.substr(0, dot + 1));
  std::vector<std::string> beside;
  for (const std::string_view name : names) {
    const bool here = name.starts_with(table) && name.size() > table.size() &&
                      !name.substr(table.size()).contains('.');
    std::string word(here ? name.substr(table.size()) : std::string_view());
    if (here && std::ranges::find(beside, word) == beside.end()) beside.push_back(std::move(word));
  }
  return listed(beside);
}

constexpr std::size_t kMostModels = 16;  // behind one address

class Reader {
 public:
  Reader(const Sources& sources, DeploymentRead& read) : sources_(sources), read_(read) {}

  void table(const TomlValue& table, const std::string& above) {
    for (const auto& entry : table.entries) {
      const std::string key = above.empty() ? entry.key : above + '.' + entry.key;
      if (key == "model") {
        models(entry);
        continue;
      }
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
  // [model], or [[model]] once for each.
  void models(const TomlValue::Entry& entry) {
    std::vector<const TomlValue*> all;
    if (entry.value.kind == Kind::Table) all.push_back(&entry.value);
    if (entry.value.kind == Kind::Array) {
      for (const TomlValue& item : entry.value.items) all.push_back(&item);
    }
    const bool tables =
        std::ranges::all_of(all, [](const TomlValue* one) { return one->kind == Kind::Table; });
    if (all.empty() || all.size() > kMostModels || !tables) {
      const Span span =
          entry.key_span.begin < entry.key_span.end ? entry.key_span : entry.value.span;
      fault({kWrong, {{"key", "model"}}}, span, {kTakesModels, {{"most", kMostModels}}});
      return;
    }
    for (const TomlValue* one : all) {
      read_.file.models.emplace_back();
      in_model_ = static_cast<int>(read_.file.models.size()) - 1;
      const std::size_t before = read_.faults.size();
      table(*one, "model");
      if (read_.faults.size() > before) continue;  // those first
      for (FileFault& fault : faults_of_model(read_.file, in_model_, *one))
        read_.faults.push_back(std::move(fault));
    }
    in_model_ = -1;
  }

  void fault(Message title, Span span, Message label, bool secret = false) {
    read_.faults.push_back({.title = std::move(title),
                            .labels = {{.span = span, .text = std::move(label), .primary = true}},
                            .secret = secret});
  }

  void take(const SettingKey& key, const TomlValue::Entry& entry) {
    ModelSettings nowhere;
    ModelSettings& model = in_model_ < 0 ? nowhere : read_.file.models.back();
    if (has_nul(entry.value)) {
      fault({kWrong, {{"key", key.row.key}}}, entry.value.span, {kNul});
      return;
    }
    if (!key.put({read_.file, model, entry.value, key.row})) {
      fault({kWrong, {{"key", key.row.key}}}, entry.value.span, wanted(key), key.row.key == "keys");
      return;
    }
    for (FileFault& warning : warnings_of_secrets(key, entry.value))
      read_.warnings.push_back(std::move(warning));
    read_.file.settings.push_back({.key = std::string(key.row.key),
                                   .value = shown_setting(key, entry.value, sources_),
                                   .span = entry.value.span,
                                   .model = in_model_});
  }

  void unknown(const std::string& key, const TomlValue::Entry& entry) {
    std::vector<std::string_view> names;
    for (const SettingKey& one : setting_keys()) {
      const std::string_view name = one.row.key;
      names.push_back(name);
      if (const auto dot = name.find('.'); dot != std::string_view::npos)  // [restart]
        names.push_back(name.substr(0, dot));
    }
    const std::string near = meant_by(key, names);
    const Message hint = near.empty() ? Message{kThere, {{"names", listed_beside(key, names)}}}
                                      : Message{kClosest, {{"closest", near}}};
    fault({kUnknown, {{"key", key}}}, entry.key_span, hint);
  }

  const Sources& sources_;
  DeploymentRead& read_;
  int in_model_ = -1;
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
  if (const auto* keys = toml.table.find("keys"); keys && toml.table.find("key_file"))
    read.faults.push_back(
        {.title = {kTwoKeys},
         .labels = {{.span = keys->key_span, .text = {kOneOfThem}, .primary = true}},
         .secret = true});
  std::ranges::move(faults_of_gateway(read.file), std::back_inserter(read.faults));
  const Span begin{source, 0, 0};
  if (read.file.models.empty() && read.faults.empty())
    read.faults.push_back({{kNoModel}, {{.span = begin, .text = {kEither}, .primary = true}}});
  return read;
}

}  // namespace sx
