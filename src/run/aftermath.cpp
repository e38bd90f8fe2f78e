// `diagnose` runs as a program of its own: whatever a log holds, the daemon's memory stays small.
#include "run/aftermath.h"

#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <csignal>
#include <thread>

#include "diag/message.h"
#include "knowledge/again.h"
#include "knowledge/causes.h"
#include "run/free_ports.h"
#include "run/json_fields.h"
#include "run/keeper_talk.h"
#include "run/port_held.h"
#include "sys/child_program.h"
#include "sys/control_group.h"
#include "sys/files.h"
#include "sys/own_children.h"
#include "sys/save_file.h"

namespace sx {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr milliseconds kPause{50};
constexpr milliseconds kStrangersTime{5'000};  // a service that restarts; the next try waits longer
constexpr Text kBySignal{"ended by signal {signal}", "被信号 {signal} 终止"};
constexpr Text kWithCode{"ended with exit code {code}", "以状态码 {code} 退出"};
// What shells and env say of a program that is not there: an engine that is not installed, mostly.
constexpr int kNoProgram = 127;
constexpr Text kNotFound{"a program that it was to run was not found (exit code 127)",
                         "找不到要运行的程序（退出码 127）"};
constexpr Text kWithKeeper{"ended together with its keeper", "随其看护进程一同结束"};
constexpr Text kNoMemory{"the kernel ended {count} of its processes: host memory ran out",
                         "主机内存耗尽，内核终止了它的 {count} 个进程"};
constexpr Text kMachineKilled{
    "ended by signal {signal}, and the kernel ended {count} processes of this machine for lack of "
    "memory meanwhile",
    "被信号 {signal} 终止，其间内核因内存不足终止了本机的 {count} 个进程"};
// What the shell that started it says of a program that signal 9 ended; so do docker and podman.
constexpr int kCodeOfKilled = 128 + SIGKILL;
constexpr std::size_t kMostReport = std::size_t{4} << 20U;
constexpr int kReportsKept = 20;  // of one replica: a week of trouble is told by the latest

CauseFound::Again again_word(AgainRow::Again again) {
  switch (again) {
    case AgainRow::Again::Never:
      return CauseFound::Again::Never;
    case AgainRow::Again::AfterRelease:
      return CauseFound::Again::AfterRelease;
    default:
      return CauseFound::Again::Maybe;
  }
}

// "…/reports/2-14.json" of replica 2: those up to 2-(14 - kept).json go.
void forget_old_reports(const CauseAsk& ask) {
  const std::size_t slash = ask.report.rfind('/');
  const std::string folder = ask.report.substr(0, slash == std::string::npos ? 0 : slash);
  const auto names = real_files().list(folder);
  if (!names) return;
  const std::string front = std::to_string(ask.of.replica) + '-';
  for (const std::string& name : *names) {
    if (!name.starts_with(front) || !name.ends_with(".json")) continue;
    int start = 0;
    const auto read = std::from_chars(name.data() + front.size(), name.data() + name.size(), start);
    if (read.ec == std::errc() && start <= ask.of.start - kReportsKept)
      ::unlink((folder + '/' + name).c_str());
  }
}

// What `diagnose` says of the log, beside the command where it knows it; null: nothing.
json::value told_of(const CauseAsk& ask, bool with_command, std::string& text) {
  ChildAsk child{.words = {ask.program, "diagnose", "--format", "json"}};
  if (ask.still_runs > 0) {
    child.words.push_back("--pid");
    child.words.push_back(std::to_string(ask.still_runs));
  }
  // A count with others in it proves nothing of this one.
  if (ask.still_runs == 0 && ask.oom_kills.count && !ask.oom_kills.of_others) {
    child.words.emplace_back("--oom-kills");
    child.words.push_back(std::to_string(*ask.oom_kills.count));
  }
  child.words.push_back(ask.files.log());
  if (with_command) {
    child.words.emplace_back("--");
    child.words.insert(child.words.end(), ask.words.begin(), ask.words.end());
  }
  child.limit = ask.limit;
  child.most_bytes = kMostReport;
  auto answer = run_child_program(child);
  if (!answer || answer->timed_out || answer->cut) return nullptr;
  json::error_code error;
  json::value value = json::parse(answer->out, error);
  if (error || !value.is_object()) return nullptr;
  text = std::move(answer->out);
  return value;
}

CauseFound diagnosed(const CauseAsk& ask) {
  CauseFound found{.of = ask.of, .name = "", .code = "", .title = "", .again = {}, .report = ""};
  std::string text;
  json::value value = told_of(ask, !ask.words.empty(), text);
  // A script that starts the engine is a command that says nothing; its log still does.
  if (value.is_null() && !ask.words.empty()) value = told_of(ask, false, text);
  if (value.is_null()) return found;
  if (save_file(ask.report, text)) {
    found.report = ask.report;
    forget_old_reports(ask);
  }
  const auto* causes = value.get_object().if_contains("causes");
  if (causes == nullptr || !causes->is_array() || causes->get_array().empty()) return found;
  const json::value& first = causes->get_array().front();
  if (!first.is_object()) return found;
  found.name = text_in(first.get_object(), "name");
  found.code = text_in(first.get_object(), "code");
  found.title = text_in(first.get_object(), "title");
  found.title_chinese = text_in(first.get_object(), "title_zh");
  const AgainRow row = again_after(found.name);
  found.of_layout = row.other_layout;
  // What is only possible must not keep a deployment down.
  const bool sure = text_in(first.get_object(), "confidence") != "possible";
  found.again = sure ? again_word(row.again) : CauseFound::Again::Maybe;
  return found;
}

void say(CauseFound& found, std::string_view name, const Message& title) {
  if (const CauseRow* row = find_cause(name)) found.code = row->code;
  found.name = name;
  found.title = rendered(title, Language::English);
  found.title_chinese = rendered(title, Language::Chinese);
}

// What the log cannot tell: the kernel's count, or how it ended where that is all that is known.
void name_the_end(CauseFound& found, const CauseAsk& ask) {
  constexpr std::string_view kDied = "process-died", kOom = "host-oom-killed";
  if (ask.still_runs > 0 || !(found.name.empty() || found.name == kDied)) return;
  const bool killed = ask.signal == SIGKILL || ask.code == kCodeOfKilled;
  if (const int count = ask.oom_kills.count.value_or(0); killed && count > 0) {
    const Message own{kNoMemory, {{"count", count}}};
    const Message all{kMachineKilled, {{"signal", SIGKILL}, {"count", count}}};
    say(found, kOom, ask.oom_kills.of_others ? all : own);
    const AgainRow row = again_after(kOom);
    found.again = again_word(row.again);
    found.of_layout = row.other_layout;
    return;
  }
  if (!found.name.empty()) return;
  say(found, kDied,
      ask.signal               ? Message{kBySignal, {{"signal", *ask.signal}}}
      : ask.code == kNoProgram ? Message{kNotFound}
      : ask.code               ? Message{kWithCode, {{"code", *ask.code}}}
                               : Message{kWithKeeper});
}

// All of a start that still runs.
std::vector<ProcessIdentity> left_of(const ReleaseAsk& ask) {
  std::vector<ProcessIdentity> left;
  if (!ask.mark.empty()) left = processes_marked(kMarkVariable, ask.mark);
  const auto add = [&](const std::vector<ProcessIdentity>& more) {
    for (const ProcessIdentity& process : more) {
      if (std::ranges::find(left, process) == left.end()) left.push_back(process);
    }
  };
  add(group_members(ask.group));
  if (!ask.family.empty()) add(descendants_of(ask.family));
  if (ask.strangers) {
    if (const auto strangers = strange_children(); !strangers.empty())
      add(descendants_of(strangers));
  }
  return left;
}

}  // namespace

CauseFound find_cause(const CauseAsk& ask) {
  CauseFound found = diagnosed(ask);
  name_the_end(found, ask);
  if (found.name == kPortInUse && ask.port > 0) {
    const Both words = port_held(ask.port);
    found.title = words.english;
    found.title_chinese = words.chinese;
  }
  return found;
}

void stop_engine(const StopAsk& ask) {
  const auto answer =
      ask_keeper(ask.socket, {.does = KeeperRequest::Does::Stop, .grace = ask.grace});
  const bool absent = !answer && answer.error().kind == Error::Kind::Absent;
  if (answer || (!absent && ask.grace.count() > 0)) return;
  if (ask.keeper) send_signal(*ask.keeper, SIGKILL);
  kill_group(ask.group);
  for (const ProcessIdentity& process : processes_marked(kMarkVariable, ask.mark))
    send_signal(process, SIGKILL);
}

ReleaseTold see_released(const ReleaseAsk& ask) {
  using Clock = std::chrono::steady_clock;
  ReleaseTold told;
  auto until = Clock::now() + ask.limit;
  for (bool alone = false;;) {
    const auto left = left_of(ask);
    told.ended = std::max(told.ended, static_cast<int>(left.size()));
    if (!left.empty()) kill_group(ask.group);
    for (const ProcessIdentity& process : left) send_signal(process, SIGKILL);
    told.port_taken = ask.port > 0 && !port_is_free(ask.host, ask.port);
    told.clean = left.empty() && !told.port_taken;
    if (left.empty() && !alone) {  // what holds the port now is none of ours
      alone = true;
      remove_group(ask.group);
      until = std::min(until, Clock::now() + kStrangersTime);
    }
    if (told.clean || Clock::now() >= until) return told;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace sx
