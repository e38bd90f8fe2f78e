// One table of keys says what each takes and where it goes: here those of the whole deployment.
#include "run/deployment_keys.h"

#include <algorithm>

#include "base/strings.h"
#include "run/state_folder.h"

namespace sx {
namespace {

using Kind = TomlValue::Kind;
using std::chrono::seconds;

constexpr std::int64_t kMostTries = 1000;
constexpr std::int64_t kMostLogMib = 65536;
constexpr std::int64_t kMostLogFiles = 100;

bool put_seconds(const SettingTarget& to, seconds& into) {
  std::int64_t number = 0;
  const bool good = put_number(to, number);
  if (good) into = seconds(number);
  return good;
}

bool put_listen(const SettingTarget& to) {
  const TomlValue& value = to.value;
  if (value.kind != Kind::String) return false;
  const std::size_t colon = value.text.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  const auto port = to_integer(std::string_view(value.text).substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) return false;
  to.file.host = value.text.substr(0, colon);
  to.file.port = static_cast<int>(*port);
  return true;
}

// "$NAME" of a variable, or a key that cannot be guessed soon.
bool is_key(const std::string& text) {
  if (text.starts_with('$'))
    return text.size() > 1 && text.find_first_of(" =$", 1) == std::string::npos;
  return text.size() >= kLeastKeyLength &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

bool put_keys(const SettingTarget& to) {
  return put_table(to, to.file.keys) && !to.file.keys.empty() &&
         std::ranges::all_of(to.file.keys, [](const auto& one) {
           return is_deployment_name(one.first) && is_key(one.second);
         });
}

bool put_backoff(const SettingTarget& to) {
  std::vector<std::int64_t> numbers;
  if (!put_numbers(to, numbers)) return false;
  to.file.restart.backoff.clear();
  for (const std::int64_t wait : numbers) to.file.restart.backoff.emplace_back(wait);
  return true;
}

bool is_stage(std::string_view name) {
  const auto stages = start_stages();
  return std::ranges::find(stages, name) != stages.end();
}

bool put_stages(const SettingTarget& to) {
  if (to.value.kind != Kind::Table) return false;
  for (const auto& entry : to.value.entries) {
    seconds time{};
    if (!is_stage(entry.key) || !put_seconds({to.file, to.model, entry.value, to.row}, time))
      return false;
    to.file.patience.stages[entry.key] = time;
  }
  return true;
}

SettingKey seconds_key(std::string_view key, Text means, std::string_view otherwise,
                       std::function<seconds&(DeploymentFile&)> into, std::int64_t least = 0) {
  return {
      {.key = key,
       .takes = "number",
       .means = means,
       .otherwise = otherwise,
       .least = least,
       .most = kMostSettingSeconds},
      [into = std::move(into)](const SettingTarget& to) { return put_seconds(to, into(to.file)); }};
}

void add_top(std::vector<SettingKey>& made) {
  made.push_back({{.key = "name",
                   .takes = "text",
                   .means = {"of the deployment", "部署的名称"},
                   .otherwise = "\"default\""},
                  [](const SettingTarget& to) {
                    return put_text(to, to.file.name) && is_deployment_name(to.file.name);
                  }});
  made.push_back({{.key = "listen",
                   .takes = "text",
                   .means = {"the one address: 127.0.0.1:8000", "对外的唯一地址：127.0.0.1:8000"},
                   .otherwise = "\"127.0.0.1:8000\""},
                  put_listen});
  made.push_back({{.key = "key_file",
                   .takes = "text",
                   .means = {"keys that clients may use, as `sextant keys` writes them",
                             "客户端可用密钥的文件，由 `sextant keys` 写入"},
                   .otherwise = "\"\"",
                   .without = {"no key is asked for", "不要求密钥"}},
                  [](const SettingTarget& to) { return put_text(to, to.file.key_file); }});
  made.push_back(
      {{.key = "keys",
        .takes = "table",
        .means = {"keys that clients may use, by name; \"$NAME\" is the variable that holds one",
                  "客户端可用的密钥，按名称；\"$NAME\" 表示存放密钥的环境变量"},
        .otherwise = "",
        .without = {"none", "无"}},
       put_keys});
  made.push_back(
      {{.key = "ladder",
        .takes = "truth",
        .means = {"prove smaller layouts first; without it: where a layout has not "
                  "worked here yet",
                  "先验证较小的布局；不写时，只在该布局尚未在本机成功过时验证"},
        .otherwise = "",
        .without = {"where the layout has not worked here yet", "该布局尚未在本机成功过时"}},
       [](const SettingTarget& to) {
         to.file.ladder = to.value.truth;
         return to.value.kind == Kind::Boolean;
       }});
}

void add_restart(std::vector<SettingKey>& made) {
  made.push_back({{.key = "restart.tries",
                   .takes = "number",
                   .means = {"starts of a replica in one layout", "每个布局里一个副本的启动次数"},
                   .otherwise = "3",
                   .least = 1,
                   .most = kMostTries},
                  [](const SettingTarget& to) {
                    std::int64_t number = 0;
                    const bool good = put_number(to, number);
                    if (good) to.file.restart.tries = static_cast<int>(number);
                    return good;
                  }});
  made.push_back({{.key = "restart.backoff_s",
                   .takes = "numbers",
                   .means = {"waits between them, in seconds", "各次启动之间等待的秒数"},
                   .otherwise = "[5, 20, 60]",
                   .least = 0,
                   .most = kMostSettingSeconds},
                  put_backoff});
  made.push_back(seconds_key("restart.healed_s",
                             {"ready for so many seconds, a replica has its tries back",
                              "就绪满多少秒后，启动次数重新计算"},
                             "600",
                             [](DeploymentFile& file) -> seconds& { return file.restart.healed; }));
  made.push_back(
      seconds_key("restart.stop_grace_s",
                  {"until an engine that does not end is killed", "引擎不退出时，多少秒后强制结束"},
                  "30", [](DeploymentFile& file) -> seconds& { return file.restart.stop_grace; }));
}

// How long is waited; ours are the built-in ones (run/supervisor.h).
void add_patience(std::vector<SettingKey>& made) {
  made.push_back(seconds_key(
      "patience.stall_s",
      {"a start that shows no progress for so many seconds has stalled",
       "启动过程多少秒没有进展即视为停滞"},
      "300", [](DeploymentFile& file) -> seconds& { return file.patience.stall.emplace(); }, 1));
  made.push_back({{.key = "patience.stages_s",
                   .takes = "seconds",
                   .means = {"the same in that stage: { load = 900, compile = 1200 }",
                             "只用于该阶段：{ load = 900, compile = 1200 }"},
                   .otherwise = "",
                   .without = {"as patience.stall_s says", "同 patience.stall_s"},
                   .least = 1,
                   .most = kMostSettingSeconds},
                  put_stages});
  made.push_back(seconds_key(
      "patience.warm_up_s", {"for the request that proves a replica", "等待验证副本的那个请求"},
      "120", [](DeploymentFile& file) -> seconds& { return file.patience.warm_up.emplace(); }, 1));
  made.push_back(seconds_key(
      "patience.drain_s",
      {"for the requests of a replica that is to end", "等待即将停止的副本完成在途请求"}, "30",
      [](DeploymentFile& file) -> seconds& { return file.patience.drain.emplace(); }, 1));
}

void add_log(std::vector<SettingKey>& made) {
  made.push_back({{.key = "log.file_mib",
                   .takes = "number",
                   .means = {"then a new file is begun", "日志文件达到该大小（MiB）后换新文件"},
                   .otherwise = "16",
                   .least = 1,
                   .most = kMostLogMib},
                  [](const SettingTarget& to) {
                    std::int64_t mib = 0;
                    const bool good = put_number(to, mib);
                    if (good) to.file.log.file_bytes = mib << 20U;
                    return good;
                  }});
  made.push_back({{.key = "log.files",
                   .takes = "number",
                   .means = {"of one replica, the oldest goes", "每个副本保留的文件数，最旧的先删"},
                   .otherwise = "4",
                   .least = 1,
                   .most = kMostLogFiles},
                  [](const SettingTarget& to) {
                    std::int64_t number = 0;
                    const bool good = put_number(to, number);
                    if (good) to.file.log.files = static_cast<int>(number);
                    return good;
                  }});
}

}  // namespace

const std::vector<SettingKey>& setting_keys() {
  static const std::vector<SettingKey> all = [] {
    std::vector<SettingKey> made;
    add_top(made);
    add_model_keys(made);
    add_image_keys(made);
    add_gateway_keys(made);
    add_restart(made);
    add_patience(made);
    add_log(made);
    return made;
  }();
  return all;
}

}  // namespace sx
