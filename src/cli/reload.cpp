// `sextant reload`: the file is read anew, the deployment is made as `up` makes it, and what runs
// turns into it while it serves.
#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <iterator>
#include <thread>

#include "api/client.h"
#include "base/strings.h"
#include "cli/daemon_talk.h"
#include "cli/progress.h"
#include "cli/up_keys.h"
#include "cli/up_make.h"
#include "run/json_fields.h"
#include "sys/files.h"

namespace sx {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr milliseconds kLook{200};
constexpr Bytes kMostDeployment = mib(16);

constexpr Text kNoFile{
    "{name} was not started from a file; `sextant reload FILE.toml` says which one to take",
    "{name} 不是由文件启动的；用 `sextant reload FILE.toml` 指定文件"};
constexpr Text kWentBack{
    "not reloaded: a new replica did not become ready ({cause}); everything runs as it did before",
    "未能更改：新的副本没有就绪（{cause}）；已恢复到之前的运行方式"};
constexpr Text kKeysNotKept{
    "what runs is changed, but not its keys: {why}; those from before hold. Again with `sextant "
    "reload{flag}`",
    "运行的内容在更改，但密钥没有更新：{why}；原来的密钥仍然有效。再执行一次 `sextant "
    "reload{flag}`"};
constexpr Text kGoesOn{"it goes on by itself; `sextant status{flag}` says how far it is",
                       "更改会继续进行；进度见 `sextant status{flag}`"};

int said(const Message& message, int code, Session& session, Language language) {
  session.output.trouble(trouble_line(rendered(message, language), language));
  return code;
}

int could_not(const Error& error, Session& session, Language language) {
  session.output.trouble(trouble_line(error, language));
  return kCouldNot;
}

const json::object* object_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_object() ? &value->get_object() : nullptr;
}

// Until the change has come to its end, one way or the other.
int wait_for_end(const StateFolder& folder, const std::string& name, Session& session,
                 Language language) {
  const InterruptGuard interrupt;
  std::string shown;
  while (!interrupt.stop()) {
    const auto answer = ask_daemon(folder, "GET", "/v1/status");
    if (!answer && none_runs(answer)) return could_not(answer.error(), session, language);
    if (answer && object_in(answer->body, "reload") == nullptr) {
      session.output.answer(status_page(answer->body, language));
      const auto* last = object_in(answer->body, "last_reload");
      const auto* good = last == nullptr ? nullptr : last->if_contains("good");
      if (good == nullptr || !good->is_bool() || good->get_bool()) return kDone;
      return said({kWentBack, {{"cause", reason_name(text_in(*last, "cause"), language)}}},
                  kFindings, session, language);
    }
    std::this_thread::sleep_for(kLook);
  }
  return said({kGoesOn, {{"flag", name_flag_of(name)}}}, kInterrupted, session, language);
}

Result<Deployment> what_runs(const StateFolder& folder) {
  SX_TRY(const auto text, real_files().read(folder.deployment(), kMostDeployment));
  return read_deployment(text);
}

Result<void> post(const StateFolder& folder, const Deployment& deployment) {
  SX_TRY(const auto answer,
         api_ask(folder.api(), "POST", "/v1/reload", deployment_json(deployment)));
  constexpr int kLowestRefusal = 400;
  if (answer.status < kLowestRefusal) return {};
  SX_TRY(const auto object, json_object(answer.body, {"the daemon's answer", "守护进程的应答"}));
  const auto* error = object_in(object, "error");
  if (error == nullptr) return fail(Error::Kind::Refused, "it was refused", "被拒绝");
  const Both words{text_in(*error, "message"), text_in(*error, "message_zh")};
  return fail(Error::Kind::Refused, words);
}

struct MadeAnew {
  UpMade made;
  UpAsk ask;
};

// As `up` would make it, in the environment in which the running one was started.
// `keys`: where keys of the file are kept.
Result<std::optional<MadeAnew>> made_anew(const Arguments& arguments, const Deployment& running,
                                          const ReadFile& read, const std::string& keys,
                                          PortClaims& claims, Session& session, Language language) {
  DeploymentOrigin origin = running.origin;
  if (origin.environment.empty()) origin = origin_here(session.outside, read.path);
  origin.file = read.path;
  SX_TRY(auto ask, ask_of(arguments, read.file, std::move(origin)));
  ask.name = running.name;
  ask.claims = &claims;
  if (auto taken = take_keys(ask, session.outside.environment); !taken)
    return std::unexpected(taken.error());
  if (!ask.keys.empty()) ask.key_file = keys;
  // Keys that were asked for so far are not dropped by a line that is missing.
  if (ask.key_file != running.key_file) {
    if (const auto may = may_be_open(ask, arguments); !may) return std::unexpected(may.error());
  }
  std::vector<EngineLaunch> launches;
  for (const DeployedLayout& layout : running.layouts)
    std::ranges::copy(layout.replicas, std::back_inserter(launches));
  for (const EngineLaunch& launch : launches) ask.taken_ports.push_back(launch.port);
  SX_TRY(const auto program, real_files().link_target("/proc/self/exe"));
  const UpWanted wanted{
      .arguments = arguments, .read = read, .ask = ask, .program = program, .language = language};
  SX_TRY(auto made, made_of(wanted, session));
  keep_ports(made.deployment, launches);
  if (!may_run(made, wanted, session)) return std::optional<MadeAnew>();
  return std::optional(MadeAnew{.made = std::move(made), .ask = std::move(ask)});
}

}  // namespace

int reload_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  std::string name = deployment_name(arguments);
  Result<std::optional<ReadFile>> read = std::optional<ReadFile>();
  if (!arguments.words.empty()) {
    read = read_file_of(arguments.words.front(), arguments, session, language);
    if (!read) return could_not(read.error(), session, language);
    if (!*read) return kCouldNot;  // its mistakes are shown; nothing has changed
    name = arguments.value("--name").value_or((*read)->file.name);  // as `up` names it
  }
  const auto folder = state_folder(session.outside.environment, name);
  if (!folder) return could_not(folder.error(), session, language);
  const auto status = ask_daemon(*folder, "GET", "/v1/status");
  if (!status) {
    if (!none_runs(status)) return could_not(status.error(), session, language);
    const Nobody told = nobody_there(*folder, session.outside.environment, name);
    return said(told.message, told.exit_code, session, language);
  }
  const auto running = what_runs(*folder);
  if (!running) return could_not(running.error(), session, language);
  if (!*read) {
    const std::string& path = running->origin.file;
    if (path.empty()) return said({kNoFile, {{"name", name}}}, kCouldNot, session, language);
    read = read_file_of(path, arguments, session, language);
    if (!read) return could_not(read.error(), session, language);
    if (!*read) return kCouldNot;
  }
  PortClaims claims(PortRole::Chooser);  // until the daemon has taken what was made
  const auto made =
      made_anew(arguments, *running, **read, folder->keys(), claims, session, language);
  if (!made) return could_not(made.error(), session, language);
  if (!*made) return kFindings;
  // Keys that are asked for already are changed last: a refused reload changes nothing.
  const bool first = (*made)->ask.key_file != running->key_file;
  if (auto kept = first ? keep_keys((*made)->ask) : Result<void>(); !kept)
    return could_not(kept.error(), session, language);
  if (auto posted = post(*folder, (*made)->made.deployment); !posted)
    return could_not(posted.error(), session, language);
  if (auto kept = first ? Result<void>() : keep_keys((*made)->ask); !kept)
    return said({kKeysNotKept, {{"why", kept.error().words()}, {"flag", name_flag_of(name)}}},
                kCouldNot, session, language);
  if (arguments.has("--detach"))
    return said({kGoesOn, {{"flag", name_flag_of(name)}}}, kDone, session, language);
  return wait_for_end(*folder, name, session, language);
}

}  // namespace sx
