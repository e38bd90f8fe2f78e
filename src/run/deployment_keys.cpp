// One table of keys says what each takes and where it goes.
#include "run/deployment_keys.h"

#include "base/strings.h"
#include "run/state_folder.h"

namespace sx {
namespace {

using Kind = TomlValue::Kind;

constexpr std::int64_t kMostSeconds = 7 * 24 * 3600;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 40U;

bool put_text(const TomlValue& value, std::string& into) {
  if (value.kind != Kind::String) return false;
  into = value.text;
  return true;
}

template <class Number>
bool put_number(const TomlValue& value, std::int64_t least, std::int64_t most, Number& into) {
  if (value.kind != Kind::Integer || value.integer < least || value.integer > most) return false;
  into = static_cast<typename std::decay_t<Number>>(value.integer);
  return true;
}

bool put_seconds(const TomlValue& value, std::chrono::seconds& into) {
  std::int64_t seconds = 0;
  if (!put_number(value, 0, kMostSeconds, seconds)) return false;
  into = std::chrono::seconds(seconds);
  return true;
}

bool put_words(const TomlValue& value, std::vector<std::string>& into) {
  into.clear();
  if (value.kind == Kind::String) {
    into.push_back(value.text);
    return !value.text.empty();
  }
  if (value.kind != Kind::Array || value.items.empty()) return false;
  for (const TomlValue& item : value.items) {
    if (item.kind != Kind::String) return false;
    into.push_back(item.text);
  }
  return true;
}

bool put_table(const TomlValue& value, std::map<std::string, std::string>& into) {
  if (value.kind != Kind::Table) return false;
  for (const auto& entry : value.entries) {
    if (entry.value.kind != Kind::String) return false;
    into[entry.key] = entry.value.text;
  }
  return true;
}

bool put_backoff(const TomlValue& value, std::vector<std::chrono::seconds>& into) {
  if (value.kind != Kind::Array || value.items.empty()) return false;
  into.clear();
  for (const TomlValue& item : value.items) {
    std::chrono::seconds wait{};
    if (!put_seconds(item, wait)) return false;
    into.push_back(wait);
  }
  return true;
}

bool put_listen(const TomlValue& value, DeploymentFile& file) {
  if (value.kind != Kind::String) return false;
  const std::size_t colon = value.text.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  const auto port = to_integer(std::string_view(value.text).substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) return false;
  file.host = value.text.substr(0, colon);
  file.port = static_cast<int>(*port);
  return true;
}

SettingKey text_key(std::string_view key, Text means, std::string DeploymentFile::* member) {
  return {{key, "text", means}, 0, 0, [member](const SettingTarget& to) {
            return put_text(to.value, to.file.*member);
          }};
}

// The deployment itself.
void add_top(std::vector<SettingKey>& made) {
  made.push_back(
      {{"name", "text", {"of the deployment", "部署的名称"}}, 0, 0, [](const SettingTarget& to) {
         return put_text(to.value, to.file.name) && is_deployment_name(to.file.name);
       }});
  made.push_back(
      {{"listen", "text", {"the one address: 127.0.0.1:8000", "对外的唯一地址：127.0.0.1:8000"}},
       0,
       0,
       [](const SettingTarget& to) { return put_listen(to.value, to.file); }});
  made.push_back(text_key("key_file", {"keys that clients may use", "客户端可用密钥的文件"},
                          &DeploymentFile::key_file));
  made.push_back({{"ladder", "truth", {"prove smaller layouts first", "先验证较小的布局"}},
                  0,
                  0,
                  [](const SettingTarget& to) {
                    to.file.ladder = to.value.truth;
                    return to.value.kind == Kind::Boolean;
                  }});
}

// What runs.
void add_model(std::vector<SettingKey>& made) {
  made.push_back(
      text_key("model.id", {"a model to plan for", "要制定方案的模型"}, &DeploymentFile::model));
  made.push_back({{"model.command", "words", {"a launch in place of a plan", "直接给出的启动命令"}},
                  0,
                  0,
                  [](const SettingTarget& to) { return put_words(to.value, to.file.command); }});
  made.push_back(
      {{"model.replicas", "number", {"so many of the command", "同一命令的副本数"}},
       1,
       64,
       [](const SettingTarget& to) { return put_number(to.value, 1, 64, to.file.replicas); }});
  made.push_back(
      text_key("model.layout",
               {"which layout of the plan: TP2 x PP3, B", "用方案里的哪个布局：TP2 x PP3、B"},
               &DeploymentFile::layout));
  made.push_back(
      {{"model.users", "number", {"requests at a time to plan for", "方案按多少并发请求制定"}},
       1,
       1'000'000,
       [](const SettingTarget& to) {
         std::int64_t number = 0;
         const bool good = put_number(to.value, 1, 1'000'000, number);
         to.file.users = number;
         return good;
       }});
  made.push_back({{"model.context",
                   "number",
                   {"tokens of a request to plan for", "方案按多长的请求制定（token）"}},
                  1,
                  kMostTokens,
                  [](const SettingTarget& to) {
                    std::int64_t number = 0;
                    const bool good = put_number(to.value, 1, kMostTokens, number);
                    to.file.context = number;
                    return good;
                  }});
  made.push_back(text_key("model.goal",
                          {"balanced, throughput, latency, context, safest",
                           "balanced、throughput、latency、context、safest"},
                          &DeploymentFile::goal));
  made.push_back(text_key("model.engine",
                          {"vllm, sglang, llamacpp, any", "vllm、sglang、llamacpp、any"},
                          &DeploymentFile::engine));
  made.push_back(
      {{"model.environment", "table", {"variables of the engine", "引擎的环境变量"}},
       0,
       0,
       [](const SettingTarget& to) { return put_table(to.value, to.file.environment); }});
}

// Restarts and logs.
void add_policies(std::vector<SettingKey>& made) {
  made.push_back({{"restart.tries",
                   "number",
                   {"starts of a replica in one layout", "每个布局里一个副本的启动次数"}},
                  1,
                  1000,
                  [](const SettingTarget& to) {
                    return put_number(to.value, 1, 1000, to.file.restart.tries);
                  }});
  made.push_back(
      {{"restart.backoff_s",
        "numbers",
        {"waits between them, in seconds", "各次启动之间等待的秒数"}},
       0,
       kMostSeconds,
       [](const SettingTarget& to) { return put_backoff(to.value, to.file.restart.backoff); }});
  made.push_back(
      {{"restart.stop_grace_s",
        "number",
        {"until an engine that does not end is killed", "引擎不退出时，多少秒后强制结束"}},
       0,
       kMostSeconds,
       [](const SettingTarget& to) { return put_seconds(to.value, to.file.restart.stop_grace); }});
  made.push_back({{"log.file_mib",
                   "number",
                   {"then a new file is begun", "日志文件达到该大小（MiB）后换新文件"}},
                  1,
                  65536,
                  [](const SettingTarget& to) {
                    std::int64_t mib = 0;
                    const bool good = put_number(to.value, 1, 65536, mib);
                    to.file.log.file_bytes = mib << 20U;
                    return good;
                  }});
  made.push_back(
      {{"log.files",
        "number",
        {"of one replica, the oldest goes", "每个副本保留的文件数，最旧的先删"}},
       1,
       100,
       [](const SettingTarget& to) { return put_number(to.value, 1, 100, to.file.log.files); }});
}

}  // namespace

const std::vector<SettingKey>& setting_keys() {
  static const std::vector<SettingKey> all = [] {
    std::vector<SettingKey> made;
    add_top(made);
    add_model(made);
    add_policies(made);
    return made;
  }();
  return all;
}

}  // namespace sx
