// Programs that help are run without a shell and with a limit; one that is missing is said, not an
// error.
#include "cli/diagnose_live.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/strings.h"
#include "gather/live_processes.h"
#include "sys/child_program.h"
#include "sys/stream.h"

namespace sx {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr seconds kAllStacks{60};  // for all processes together
constexpr seconds kOneStack{15};   // gdb reads symbols of large libraries
constexpr seconds kOtherProgram{20};
constexpr int kMostPid = 4'194'304;  // Linux has no larger one
constexpr std::size_t kMostSaid = 40;
constexpr std::string_view kMostLogLines = "200000";

constexpr Text kAsked{"process {pid} ({name}): {state}", "进程 {pid}（{name}）：{state}"};
constexpr Text kChild{"process {pid} ({name}), child of {parent}: {state}",
                      "进程 {pid}（{name}），父进程 {parent}：{state}"};
constexpr Text kHolds{"{what}, {threads} threads, {memory} of host memory",
                      "{what}，{threads} 个线程，占内存 {memory}"};
constexpr Text kWaitsIn{"{what}, in the kernel at {function}", "{what}，停在内核函数 {function}"};
constexpr Text kLibrary{"really loaded: {path}", "实际加载：{path}"};
constexpr Text kSettings{"environment of {pid}: {list}", "{pid} 的环境变量：{list}"};
constexpr Text kLocked{"locked-memory limit {limit}", "锁定内存上限 {limit}"};
constexpr Text kFiles{"open-file limit {limit}", "打开文件数上限 {limit}"};
constexpr Text kNoLog{"its output goes to no file; give its log as well",
                      "它的输出没有写到文件；请把日志也一并给出"};
constexpr Text kNoStacks{"no stacks: neither py-spy nor gdb is installed",
                         "没有堆栈：py-spy 与 gdb 都没有安装"};
constexpr Text kRefusedStack{"no stack of {pid}: {why}", "没有取到 {pid} 的堆栈：{why}"};
constexpr Text kNoAnswer{"the program gave none (it may need root)",
                         "工具没有给出结果（可能需要 root）"};
constexpr Text kNoKernel{"the kernel log cannot be read here (dmesg needs root)",
                         "这里读不到内核日志（dmesg 需要 root）"};
constexpr Text kMore{"more processes than are looked at", "进程太多，只看了一部分"};

struct Live {
  DiagnoseRun& run;
  LogTails& tails;
  std::vector<BesideNote> notes;

  void say(const Message& message) {
    notes.push_back({.topic = "process", .said = in_both(message), .at = {}});
  }
  void feed(const std::string& name, std::string_view text) {
    run.begin_file(name);
    tails.begin(name);
    run.feed(text);
    tails.feed(text);
    tails.end();
    run.end_file();
  }
};

std::string name_of(const LiveProcess& process) {
  if (process.name.empty() && !process.words.empty()) return process.words.front();
  return process.name;
}

void describe(Live& live, const LiveRun& found) {
  std::size_t said = 0;
  for (const LiveProcess& process : found.processes) {
    if (++said > kMostSaid) break;
    const std::string state = process.state.empty() ? "?" : process.state;
    Both what = in_both(
        process.parent == 0
            ? Message{kAsked, {{"pid", process.pid}, {"name", name_of(process)}, {"state", state}}}
            : Message{kChild,
                      {{"pid", process.pid},
                       {"name", name_of(process)},
                       {"parent", process.parent},
                       {"state", state}}});
    if (process.resident)
      what = in_both(
          {kHolds, {{"what", what}, {"threads", process.threads}, {"memory", *process.resident}}});
    if (!process.waits_in.empty())
      what = in_both({kWaitsIn, {{"what", what}, {"function", process.waits_in}}});
    live.notes.push_back({.topic = "process", .said = what, .at = {}});
  }
  if (found.more) live.say({kMore});
  std::vector<std::string> libraries;
  for (const LiveProcess& process : found.processes) {
    for (const std::string& path : process.libraries) {
      if (std::ranges::find(libraries, path) == libraries.end()) libraries.push_back(path);
    }
  }
  for (std::size_t i = 0; i < libraries.size() && i < kMostSaid; ++i)
    live.say({kLibrary, {{"path", libraries[i]}}});
  const LiveProcess& asked = found.processes.front();
  std::string settings;
  for (const auto& [name, value] : asked.environment)
    settings.append(settings.empty() ? "" : " ").append(name).append("=").append(value);
  if (!settings.empty()) live.say({kSettings, {{"pid", asked.pid}, {"list", settings}}});
  if (asked.locked_memory && *asked.locked_memory < gib(1))
    live.say({kLocked, {{"limit", *asked.locked_memory}}});
  if (asked.open_files) live.say({kFiles, {{"limit", *asked.open_files}}});
}

// py-spy knows Python's frames; gdb knows those of the libraries alone.
void take_stacks(Live& live, const LiveRun& found) {
  const auto until = Clock::now() + kAllStacks;
  bool py_spy = true;
  bool gdb = true;
  for (const LiveProcess& process : found.processes) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
    if (left <= milliseconds(0) || (!py_spy && !gdb)) break;
    const std::string pid = std::to_string(process.pid);
    std::string text;
    const auto ask = [&](bool& there, std::vector<std::string> words) {
      if (!there || !text.empty()) return;
      const auto answer = run_child_program(
          {.words = std::move(words), .limit = std::min<milliseconds>(left, kOneStack)});
      if (!answer) {
        there = answer.error().kind != Error::Kind::Absent;
      } else if (answer->code == 0 || answer->timed_out) {
        text = answer->out;
      }
    };
    ask(py_spy, {"py-spy", "dump", "--pid", pid});
    ask(gdb, {"gdb", "-nx", "-batch", "-p", pid, "-ex", "thread apply all bt"});
    if (!text.empty()) {
      live.feed("stacks of " + pid + " " + name_of(process), text);
    } else if (py_spy || gdb) {
      live.say({kRefusedStack, {{"pid", process.pid}, {"why", kNoAnswer}}});
    }
  }
  if (!py_spy && !gdb) live.say({kNoStacks});
}

void take_kernel_log(Live& live) {
  const auto answer = run_child_program({.words = {"dmesg"}, .limit = kOtherProgram});
  if (!answer || answer->code != 0) return live.say({kNoKernel});
  live.feed("dmesg", answer->out);
}

Result<void> look_at(Live& live, int pid, bool with_logs, const Outside& outside) {
  SX_TRY(const LiveRun found, live_run(outside, pid));
  describe(live, found);
  if (with_logs) {
    for (const std::string& path : found.logs) {
      live.run.begin_file(path);
      live.tails.begin(path);
      // One that has been moved away meanwhile is no trouble: the rest still tells.
      const auto read = read_stream(path, [&](std::string_view bytes) {
        live.run.feed(bytes);
        live.tails.feed(bytes);
      });
      static_cast<void>(read);
      live.tails.end();
      live.run.end_file();
    }
    if (found.logs.empty()) live.say({kNoLog});
  }
  take_stacks(live, found);
  take_kernel_log(live);
  return {};
}

struct Container {
  std::string program;
  int pid = 0;
};

Result<Container> find_container(const std::string& name) {
  if (name.empty() || name.starts_with('-'))
    return fail(Error::Kind::Usage, "'" + name + "' is no name of a container",
                "'" + name + "' 不是容器名");
  bool any = false;
  for (const char* program : {"docker", "podman"}) {
    const auto answer =
        run_child_program({.words = {program, "inspect", "--format", "{{.State.Pid}}", name},
                           .limit = kOtherProgram});
    if (!answer) continue;
    any = true;
    const auto pid = to_integer(trimmed(answer->out));
    if (answer->code == 0 && pid && *pid >= 0 && *pid <= kMostPid)
      return Container{program, static_cast<int>(*pid)};
  }
  if (!any)
    return fail(Error::Kind::Absent, "neither docker nor podman is installed here",
                "这里没有安装 docker，也没有 podman");
  return fail(Error::Kind::Absent, "no container '" + name + "' is found by docker or podman",
              "docker 与 podman 都没有找到容器 '" + name + "'");
}

Result<void> look_into(Live& live, const std::string& name, std::optional<int>& pid,
                       const Outside& outside) {
  SX_TRY(const Container container, find_container(name));
  const auto logs = run_child_program(
      {.words = {container.program, "logs", "--tail", std::string(kMostLogLines), name},
       .limit = kOtherProgram,
       .most_bytes = std::size_t{256} << 20U,
       .with_errors = true});
  if (logs && !logs->out.empty()) live.feed(container.program + " logs " + name, logs->out);
  if (container.pid == 0) return {};  // it has ended; its log is all there is
  // Of another namespace, or of another machine: its log was read all the same.
  if (auto looked = look_at(live, container.pid, false, outside); looked) pid = container.pid;
  return {};
}

}  // namespace

Result<LiveAnswer> feed_live(DiagnoseRun& run, LogTails& tails, const Arguments& arguments,
                             const Outside& outside) {
  Live live{.run = run, .tails = tails, .notes = {}};
  LiveAnswer answer;
  if (const auto name = arguments.value("--container")) {
    if (auto looked = look_into(live, *name, answer.pid, outside); !looked)
      return std::unexpected(std::move(looked).error());
  }
  if (const auto text = arguments.value("--pid")) {
    const auto pid = to_integer(*text);
    if (!pid || *pid < 1 || *pid > kMostPid)
      return fail(Error::Kind::Usage, "--pid takes the number of a process, not '" + *text + "'",
                  "--pid 需要进程号，不能是 '" + *text + "'");
    answer.pid = static_cast<int>(*pid);
    if (auto looked = look_at(live, *answer.pid, true, outside); !looked)
      return std::unexpected(std::move(looked).error());
  }
  answer.notes = std::move(live.notes);
  return answer;
}

}  // namespace sx
