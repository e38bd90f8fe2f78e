// JSON of the daemon → lines.
#include "cli/daemon_talk.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/client.h"
#include "api/own_log.h"
#include "cli/explain.h"
#include "cli/span_words.h"
#include "cli/stage_words.h"
#include "diag/listed.h"
#include "diag/message.h"
#include "knowledge/causes.h"
#include "run/json_fields.h"
#include "run/reason_words.h"
#include "run/replica_state.h"
#include "run/still_there.h"
#include "sys/files.h"
#include "text/columns.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr RecordName kStatus{"the daemon's answer", "守护进程的应答"};

constexpr Text kNone{"there is no deployment {name}", "没有名为 {name} 的部署"};
constexpr Text kNotUp{"{name} is not up", "{name} 没有在运行"};
constexpr Text kNotUpSince{"{name} is not up: {why}", "{name} 没有在运行：{why}"};
constexpr Text kDaemonGone{
    "the daemon of {name} is gone, and what it started still runs: `sextant status{flag}` says "
    "what",
    "{name} 的守护进程已不在，但它启动的进程仍在运行：详见 `sextant status{flag}`"};
constexpr Text kNoneBut{"there is no deployment {name}; running: {others} (--name)",
                        "没有名为 {name} 的部署；正在运行的有 {others}（用 --name 指定）"};
constexpr Text kNotUpBut{"{name} is not up; running: {others} (--name)",
                         "{name} 没有在运行；正在运行的有 {others}（用 --name 指定）"};
constexpr std::size_t kMostOthers = 8;  // named where another one was asked for
constexpr Text kReplica{"replica {index}", "副本 {index}"};
constexpr Text kPort{"port {port}", "端口 {port}"};
constexpr Text kGpus{"GPU {gpus}", "GPU {gpus}"};
constexpr Text kRetires{"to be replaced", "将被替换"};
constexpr Text kNextTry{"next try in {span}", "{span}后重试"};
constexpr Text kProgress{"{percent} %, about {span} left", "{percent} %，约剩 {span}"};
constexpr Text kInFlight{"{n} in flight", "在途 {n}"};
constexpr Text kReport{"report: {path}", "报告：{path}"};

struct Word {
  std::string_view word;
  Text text;
};
constexpr Word kStates[] = {
    {"serving", {"serving", "正在服务"}},
    {"degraded", {"serving with fewer replicas than wanted", "正在服务，但副本不足"}},
    {"starting", {"starting", "启动中"}},
    {"draining", {"draining: the last of it takes no new requests", "正在排空：不再接收新请求"}},
    {"drained", {"drained", "已排空"}},
    {"stopped", {"nothing of it runs", "没有副本在运行"}},
    {"climbing", {"proving smaller layouts first", "正在逐级验证较小的布局"}},
    {"going-down", {"going down", "正在停止"}},
    {"down", {"down", "已停止"}},
    {"given-up", {"given up", "已放弃"}},
};

}  // namespace

std::int64_t number_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  json::error_code error;
  const auto number = value == nullptr ? 0 : value->to_number<std::int64_t>(error);
  return error ? 0 : number;
}

std::string reason_name(std::string_view word, Language language) {
  if (const auto ours = reason_words(word))
    return language == Language::English ? ours->english : ours->chinese;
  const CauseRow* cause = language == Language::Chinese ? find_cause(word) : nullptr;
  return cause == nullptr ? std::string(word) : in_language(cause->title, language);
}

std::string state_name(std::string_view word, Language language) {
  for (int i = 0; i < kReplicaStates; ++i) {
    const auto state = static_cast<ReplicaState>(i);
    if (word_of(state) == word)
      return language == Language::English ? name_of(state).english : name_of(state).chinese;
  }
  return std::string(word);
}

std::string deployment_state(std::string_view word, Language language) {
  for (const Word& one : kStates) {
    if (one.word == word) return std::string(one.text.in(language));
  }
  return std::string(word);
}

std::string deployment_name(const Arguments& arguments) {
  return arguments.value("--name").value_or("default");
}

std::string seconds_taken(std::chrono::milliseconds time) {
  constexpr std::int64_t kSecond = 1000;
  const std::int64_t ms = std::max<std::int64_t>(0, time.count());
  const std::size_t digits = ms < kSecond ? 3 : ms < 10 * kSecond ? 2 : 1;
  const std::string fraction = std::to_string(kSecond + ms % kSecond).substr(1, digits);
  return std::to_string(ms / kSecond) + '.' + fraction;
}

std::string name_flag_of(const std::string& name) {
  return name == "default" ? "" : " --name " + name;
}

Result<DaemonAnswer> ask_daemon(const StateFolder& folder, const std::string& method,
                                const std::string& target) {
  SX_TRY(const auto answer, api_ask(folder.api(), method, target));
  SX_TRY(auto object, json_object(answer.body, kStatus));
  constexpr int kLowestRefusal = 400;
  const auto* error = object.if_contains("error");
  if (answer.status >= kLowestRefusal && error != nullptr && error->is_object()) {
    const json::object& words = error->get_object();
    const Both said{text_in(words, "message"), text_in(words, "message_zh")};
    return fail(Error::Kind::Refused, said);
  }
  return DaemonAnswer{.status = answer.status, .body = std::move(object)};
}

Nobody nobody_there(const StateFolder& folder, const Environment& environment,
                    const std::string& name) {
  if (!still_there(folder).empty())
    return {{kDaemonGone, {{"name", name}, {"flag", name_flag_of(name)}}}, kNotServing};
  std::vector<std::string> others;
  const std::string above = folder.path.substr(0, folder.path.rfind('/'));
  const auto entries = real_files().list(above);
  for (const std::string& entry : entries ? *entries : std::vector<std::string>()) {
    if (others.size() == kMostOthers) break;
    const auto other = state_folder(environment, entry);
    if (!other || entry == name || !ask_daemon(*other, "GET", "/v1/status")) continue;
    others.push_back(entry);
  }
  const bool there = real_files().info(folder.deployment()).has_value();
  const Both why = there ? last_words(folder) : Both{};
  if (others.empty() && !why.empty())
    return {{kNotUpSince, {{"name", name}, {"why", why}}}, kNotServing};
  if (others.empty())
    return {{there ? kNotUp : kNone, {{"name", name}}}, there ? kNotServing : kNoDeployment};
  return {{there ? kNotUpBut : kNoneBut, {{"name", name}, {"others", listed(others)}}},
          there ? kNotServing : kNoDeployment};
}

bool none_runs(const Result<DaemonAnswer>& answer) {
  return !answer && answer.error().kind == Error::Kind::Absent;
}

std::string state_of(const json::object& status) { return text_in(status, "state"); }

std::string cause_title(const json::object& cause, Language language) {
  // Where the daemon has no Chinese sentence, the cause's own title is known in both languages.
  const std::string name = text_in(cause, "name");
  const std::string chinese = text_in(cause, "title_zh");
  if (language == Language::Chinese && !chinese.empty()) return chinese;
  const CauseRow* row = find_cause(name);
  if (language == Language::Chinese && row != nullptr) return in_language(row->title, language);
  const auto ours = language == Language::Chinese ? reason_words(name) : std::nullopt;
  const std::string title = text_in(cause, "title");
  return title.empty() || ours ? reason_name(name, language) : title;
}

std::string replica_line(const json::object& replica, Language language) {
  constexpr std::size_t kName = 11;
  constexpr std::size_t kState = 20;
  std::string state = state_name(text_in(replica, "state"), language);
  const std::string stage = stage_name(text_in(replica, "stage"), language);
  if (!stage.empty())
    state += language == Language::English ? " (" + stage + ')' : "（" + stage + "）";
  std::string line =
      padded(rendered({kReplica, {{"index", number_in(replica, "replica")}}}, language), kName);
  line += padded(state, kState) + padded(age_of(number_in(replica, "for_ms"), language), 10);
  line += rendered({kPort, {{"port", std::to_string(number_in(replica, "port"))}}}, language);
  std::string gpus;
  if (const auto* list = replica.if_contains("gpus"); list != nullptr && list->is_array()) {
    for (const json::value& gpu : list->get_array())
      gpus += (gpus.empty() ? "" : ",") + json::serialize(gpu);
  }
  if (!gpus.empty()) line += "  " + rendered({kGpus, {{"gpus", gpus}}}, language);
  if (replica.contains("retires")) line += "  " + rendered(Message{kRetires}, language);
  if (replica.contains("next_try_ms"))
    line += "  " +
            rendered({kNextTry, {{"span", span_of(number_in(replica, "next_try_ms"), language)}}},
                     language);
  if (replica.contains("progress"))
    line += "  " + rendered({kProgress,
                             {{"percent", number_in(replica, "progress")},
                              {"span", span_of(number_in(replica, "left_ms"), language)}}},
                            language);
  if (const auto requests = number_in(replica, "in_flight"); requests > 0)
    line += "  " + rendered({kInFlight, {{"n", requests}}}, language);
  line += '\n';
  const auto* cause = replica.if_contains("cause");
  if (cause == nullptr || !cause->is_object()) return line;
  const json::object& why = cause->get_object();
  const std::string code = text_in(why, "code");
  const std::string title = cause_title(why, language);
  const std::string name = text_in(why, "name");
  line += std::string(kName, ' ') + name + (code.empty() ? "" : " [" + code + ']');
  if (title != name) line += (language == Language::English ? ": " : "：") + title;
  line += '\n';
  if (const std::string report = text_in(why, "report"); !report.empty())
    line += std::string(kName, ' ') + rendered({kReport, {{"path", report}}}, language) + '\n';
  return line;
}

namespace {

// In the order in which their models come.
std::vector<std::pair<std::string, std::vector<const json::object*>>> replicas_by_model(
    const json::object& status) {
  std::vector<std::pair<std::string, std::vector<const json::object*>>> all;
  const auto* replicas = status.if_contains("replicas");
  if (replicas == nullptr || !replicas->is_array()) return all;
  for (const json::value& replica : replicas->get_array()) {
    if (!replica.is_object()) continue;
    const std::string model = text_in(replica.get_object(), "model");
    auto found = std::ranges::find_if(all, [&](const auto& one) { return one.first == model; });
    if (found == all.end()) found = all.insert(all.end(), {model, {}});
    found->second.push_back(&replica.get_object());
  }
  return all;
}

enum class About { Other, Reload, EndOnDisk };

// Of reloads the latest tells what runs; the earlier ones were true then. So it is with their end
// on disk.
bool is_outdated(const json::array& notes, std::size_t at) {
  const auto about = [&](std::size_t i) {
    const std::string name = notes[i].is_object() ? text_in(notes[i].get_object(), "name") : "";
    if (name == "reload-unwritten" || name == "reload-written") return About::EndOnDisk;
    return name == "reloaded" || name == "went-back" ? About::Reload : About::Other;
  };
  const About of = about(at);
  if (of == About::Other) return false;
  for (std::size_t later = at + 1; later < notes.size(); ++later) {
    if (about(later) == of) return true;
  }
  return false;
}

}  // namespace

std::string status_page(const json::object& status, Language language) {
  const std::string state = deployment_state(state_of(status), language);
  std::string page = text_in(status, "deployment") + "  " +
                     layout_name(text_in(status, "layout"), language) + "  " +
                     text_in(status, "address") + "  " + state + '\n';
  const auto by_model = replicas_by_model(status);
  for (const auto& [model, replicas] : by_model) {
    const std::string indent = by_model.size() > 1 ? "    " : "  ";
    if (by_model.size() > 1) page += "  " + printable(model) + '\n';
    for (const json::object* replica : replicas) page += indent + replica_line(*replica, language);
  }
  const char* message = language == Language::Chinese ? "message_zh" : "message";
  if (const auto* notes = status.if_contains("notes"); notes != nullptr && notes->is_array()) {
    const json::array& all = notes->get_array();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].is_object() || is_outdated(all, i)) continue;
      page += printable(text_in(all[i].get_object(), message)) + '\n';
    }
  }
  return page;
}

}  // namespace sx
