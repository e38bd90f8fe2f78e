// `sextant up`: make the deployment, ask `check`, start the daemon, stay beside it.
#include <boost/json.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/strings.h"
#include "cli/daemon_talk.h"
#include "cli/progress.h"
#include "cli/up_ask.h"
#include "diag/excerpt.h"
#include "run/deployment_file.h"
#include "sys/child_program.h"
#include "sys/files.h"
#include "sys/save_file.h"
#include "sys/spawn.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{200};           // a person sees a change at once
constexpr milliseconds kDaemonTime{10'000};  // to answer for the first time
constexpr milliseconds kGoneTime{120'000};   // to end what it runs when it was asked to

constexpr Text kNothing{
    "nothing to run was given: a model, a plan as JSON (-), or a command after --",
    "没有给出要运行的内容：模型、JSON 方案（-），或 -- 之后的命令"};
constexpr Text kRefused{
    "not started: `check` finds errors; --anyway \"reason\" starts it all the same",
    "未启动：`check` 发现错误；要照样启动，请用 --anyway \"理由\""};
constexpr Text kNotChecked{"`check` gave no answer; this launch was not checked",
                           "`check` 没有给出结果；该启动命令未检查"};
constexpr Text kAnyway{"started in spite of errors: {reason}", "尽管有错误仍然启动：{reason}"};
constexpr Text kIsUp{"{name} is up already (`sextant status`, `sextant down`)",
                     "{name} 已在运行（`sextant status`、`sextant down`）"};
constexpr Text kNoDaemon{"the daemon did not come up; its last words: {words}",
                         "守护进程没有启动成功；它最后的输出：{words}"};
constexpr Text kStarted{"{name} is being started; `sextant status` says how far it is",
                        "正在启动 {name}；进度见 `sextant status`"};
constexpr Text kNumber{"{flag} takes a number from {least} to {most}",
                       "{flag} 的取值是 {least} 到 {most} 的整数"};
constexpr Text kGivenUp{"given up: {cause}", "已放弃：{cause}"};

int could_not(const Error& error, Session& session, Language language) {
  session.output.trouble(trouble_line(error, language));
  return kCouldNot;
}

Result<int> number_of(const Arguments& arguments, std::string_view flag, int least, int most,
                      int otherwise) {
  const auto text = arguments.value(flag);
  if (!text) return otherwise;
  const auto number = to_number(*text);
  if (!number || *number < least || *number > most)
    return fail(Error::Kind::Usage,
                in_both({kNumber, {{"flag", flag}, {"least", least}, {"most", most}}}));
  return static_cast<int>(*number);
}

// The deployment file, where one was given; flags win over it.
Result<UpAsk> up_ask(const Arguments& arguments, const DeploymentFile& file) {
  UpAsk ask{.name = arguments.value("--name").value_or(file.name), .host = file.host};
  SX_TRY(ask.port, number_of(arguments, "--port", 1, 65535, file.port));
  SX_TRY(ask.replicas, number_of(arguments, "--replicas", 1, 64, file.replicas));
  ask.wanted = arguments.value("--plan").value_or(file.layout);
  ask.environment = file.environment;
  ask.ladder = !arguments.has("--no-ladder") && (arguments.has("--ladder") || file.ladder);
  ask.restart = file.restart;
  ask.log = file.log;
  ask.key_file = file.key_file;
  return ask;
}

bool is_deployment_file(const Arguments& arguments) {
  return !arguments.words.empty() && arguments.words.front().ends_with(".toml");
}

// Every mistake in it, underlined; nothing: it can be used.
Result<std::optional<DeploymentFile>> file_of(const Arguments& arguments, Session& session,
                                              Language language) {
  if (!is_deployment_file(arguments)) return DeploymentFile{};
  const std::string& path = arguments.words.front();
  SX_TRY(auto text, session.outside.files->read(path, mib(1)));
  Sources sources;
  const int source = sources.add({.kind = SourceKind::File, .name = path, .text = std::move(text)});
  DeploymentRead read = read_deployment_file(sources, source);
  if (read.faults.empty()) return std::move(read.file);
  const Style style = decide_style({.colour = arguments.colour(), .language = language},
                                   session.outside.environment);
  const Painter painter(false);
  for (const FileFault& fault : read.faults) {
    const ExcerptStyle look{.language = language, .width = style.width};
    session.output.trouble(trouble_line(rendered(fault.title, language), language) +
                           excerpt(fault.labels, sources, look, painter).text);
  }
  return std::nullopt;
}

// Our own `plan` for this machine, as a program: what it says is the contract.
Result<std::string> plan_of(const std::string& model, const Arguments& arguments,
                            const DeploymentFile& file, const std::string& program) {
  ChildAsk ask{.words = {program, "plan", model, "--format", "json"}};
  const auto add = [&](std::string_view flag, const std::string& of_file) {
    const std::string value = arguments.value(flag).value_or(of_file);
    if (value.empty()) return;
    ask.words.emplace_back(flag);
    ask.words.push_back(value);
  };
  add("--on", "");
  add("--users", file.users ? std::to_string(*file.users) : "");
  add("--context", file.context ? std::to_string(*file.context) : "");
  add("--goal", file.goal);
  add("--engine", file.engine);
  ask.limit = milliseconds(60'000);
  ask.with_errors = false;
  SX_TRY(const auto answer, run_child_program(ask));
  if (answer.code != 0 && answer.code != 1)
    return fail(Error::Kind::Refused,
                "there is no plan for " + model + " (`sextant plan` says why)",
                "没有 " + model + " 的方案（原因见 `sextant plan`）");
  return answer.out;
}

Result<UpMade> made_of(const Arguments& arguments, const UpAsk& ask, const DeploymentFile& file,
                       const Session& session, const std::string& program) {
  const Outside& outside = session.outside;
  if (arguments.has_launch) return deployment_of_command(arguments.launch, ask, outside);
  if (!file.command.empty()) return deployment_of_command(file.command, ask, outside);
  if (arguments.words.empty()) return fail(Error::Kind::Usage, in_both({kNothing}));
  if (arguments.words.front() == "-") {
    SX_TRY(const auto text, outside.standard_input());
    return deployment_of_plan(text, ask, outside);
  }
  const std::string model = file.model.empty() ? arguments.words.front() : file.model;
  SX_TRY(const auto text, plan_of(model, arguments, file, program));
  return deployment_of_plan(text, ask, outside);
}

// What `check` says of the commands; empty: no errors.
std::string errors_in(const UpMade& made, const std::string& program, Session& session,
                      Language language) {
  std::string said;
  for (const auto& command : made.commands) {
    ChildAsk ask{
        .words = {program, "check", "--lang", language == Language::English ? "en" : "zh", "--"}};
    ask.words.insert(ask.words.end(), command.begin(), command.end());
    const auto answer = run_child_program(ask);
    if (answer && !answer->timed_out && answer->code == kFindings) {
      said += answer->out;
    } else if (!answer || answer->timed_out || answer->code != kDone) {
      session.output.trouble(trouble_line(rendered(Message{kNotChecked}, language), language));
    }
  }
  return said;
}

std::string last_words(const std::string& path) {
  const auto text = real_files().read(path, mib(1));
  if (!text) return "-";
  std::string_view words(*text);
  while (words.ends_with('\n')) words.remove_suffix(1);
  return std::string(words.substr(words.rfind('\n') + 1));
}

// Comes up with a session of its own, so that it stays when this terminal goes.
Result<void> start_daemon(const StateFolder& folder, const UpAsk& ask, const Session& session,
                          const std::string& program, bool ladder) {
  SX_TRY(const UniqueFd log, open_for_adding(folder.log()));
  SpawnAsk daemon{.words = {program, "daemon", ask.name}};
  for (const auto& [name, value] : session.outside.environment.all())
    daemon.environment[name] = value;
  daemon.folder = folder.path;
  daemon.out = daemon.err = log.get();
  if (ladder) daemon.words.emplace_back("--ladder");
  SX_TRY(const Spawned spawned, spawn(daemon));
  const auto until = std::chrono::steady_clock::now() + kDaemonTime;
  while (std::chrono::steady_clock::now() < until) {
    if (ask_daemon(folder, "GET", "/v1/status")) return {};
    if (!identity_of(spawned.pid)) break;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return fail(Error::Kind::Refused, in_both({kNoDaemon, {{"words", last_words(folder.log())}}}));
}

std::string cause_in(const boost::json::object& status, Language language) {
  const auto* replicas = status.if_contains("replicas");
  if (replicas == nullptr || !replicas->is_array()) return "-";
  for (const auto& replica : replicas->get_array()) {
    const auto* cause = replica.is_object() ? replica.get_object().if_contains("cause") : nullptr;
    if (cause != nullptr && cause->is_object()) return cause_title(cause->get_object(), language);
  }
  return "-";
}

void take_down(const StateFolder& folder) {
  [[maybe_unused]] const auto asked = ask_daemon(folder, "POST", "/v1/down");
  const auto until = std::chrono::steady_clock::now() + kGoneTime;
  while (!none_runs(ask_daemon(folder, "GET", "/v1/status")) &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(milliseconds(100));
}

// Lines of what changes, until an interrupt or until nothing is left to wait for.
int stay(const StateFolder& folder, Session& session, Language language, bool until_serving) {
  const InterruptGuard interrupt;
  std::string shown;
  while (!interrupt.stop()) {
    const auto answer = ask_daemon(folder, "GET", "/v1/status");
    if (none_runs(answer)) return kDone;  // taken down by somebody else
    if (!answer) {                        // busy; it is asked again
      std::this_thread::sleep_for(kLook);
      continue;
    }
    const std::string state = state_of(answer->body);
    // Seconds change all the time; a line is worth saying when anything else does.
    std::string essence = state;
    std::string lines;
    if (const auto* replicas = answer->body.if_contains("replicas");
        replicas != nullptr && replicas->is_array()) {
      for (const auto& replica : replicas->get_array()) {
        if (!replica.is_object()) continue;
        boost::json::object copy = replica.get_object();
        lines += replica_line(copy, language);
        for (const char* moving : {"for_ms", "next_try_ms", "percent"}) copy.erase(moving);
        essence += boost::json::serialize(copy);
      }
    }
    if (essence != shown) {
      shown = essence;
      session.output.answer(lines);
    }
    if (state == "given-up") {
      session.output.trouble(trouble_line(
          rendered({kGivenUp, {{"cause", cause_in(answer->body, language)}}}, language), language));
      take_down(folder);
      return kFindings;
    }
    if (until_serving && state == "serving") return kDone;
    std::this_thread::sleep_for(kLook);
  }
  take_down(folder);
  return kInterrupted;
}

}  // namespace

int up_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const auto file = file_of(arguments, session, language);
  if (!file) return could_not(file.error(), session, language);
  if (!*file) return kCouldNot;  // its mistakes are shown
  const auto ask = up_ask(arguments, **file);
  if (!ask) return could_not(ask.error(), session, language);
  const auto folder = state_folder(session.outside.environment, ask->name);
  if (!folder) return could_not(folder.error(), session, language);
  const auto program = real_files().link_target("/proc/self/exe");
  if (!program) return could_not(program.error(), session, language);
  const auto running = ask_daemon(*folder, "GET", "/v1/status");
  if (!running && !none_runs(running)) return could_not(running.error(), session, language);
  if (running) {
    session.output.trouble(
        trouble_line(rendered({kIsUp, {{"name", ask->name}}}, language), language));
    return kCouldNot;
  }
  const auto made = made_of(arguments, *ask, **file, session, *program);
  if (!made) return could_not(made.error(), session, language);
  if (const std::string errors = errors_in(*made, *program, session, language); !errors.empty()) {
    session.output.trouble(errors);
    const auto reason = arguments.value("--anyway");
    const Message said =
        reason && !reason->empty() ? Message{kAnyway, {{"reason", *reason}}} : Message{kRefused};
    session.output.trouble(trouble_line(rendered(said, language), language));
    if (!reason || reason->empty()) return kFindings;
  }
  if (auto there = make_folders(folder->path); !there)
    return could_not(there.error(), session, language);
  if (auto saved = save_file(folder->deployment(), deployment_json(made->deployment), 0600); !saved)
    return could_not(saved.error(), session, language);
  const auto started = start_daemon(*folder, *ask, session, *program, ask->ladder);
  if (!started) return could_not(started.error(), session, language);
  if (arguments.has("--detach") && !arguments.has("--wait")) {
    session.output.answer(rendered({kStarted, {{"name", ask->name}}}, language) + '\n');
    return kDone;
  }
  return stay(*folder, session, language, arguments.has("--detach"));
}

}  // namespace sx
