// Programs that help are run without a shell and with a limit; one that is missing is said, not an
// error.
#include "cli/diagnose_live.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/strings.h"
#include "cli/diagnose_live_parts.h"
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
constexpr seconds kKernelLog{20};
constexpr std::size_t kMostSaid = 40;

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
                      "它的输出没有写到文件；把日志也一并给出"};
constexpr Text kNoStacks{"no stacks: neither py-spy nor gdb is installed",
                         "没有堆栈：py-spy 与 gdb 都没有安装"};
constexpr Text kRefusedStack{"no stack of {pid}: {why}", "没有取到 {pid} 的堆栈：{why}"};
constexpr Text kNoAnswer{"the program gave none (it may need root)",
                         "工具没有给出结果（可能需要 root）"};
constexpr Text kNoKernel{"the kernel log cannot be read here (dmesg needs root)",
                         "这里读不到内核日志（dmesg 需要 root）"};
constexpr Text kMore{"more processes than are looked at", "进程太多，只看了一部分"};

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
    live.notes.push_back({.topic = "process", .said = what, .at = {}, .command = {}});
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
  const auto answer = run_child_program({.words = {"dmesg"}, .limit = kKernelLog});
  if (!answer || answer->code != 0) return live.say({kNoKernel});
  live.feed("dmesg", answer->out);
}

}  // namespace

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

Result<LiveAnswer> feed_live(DiagnoseRun& run, LogTails& tails, const Arguments& arguments,
                             const Outside& outside) {
  Live live{.run = run, .tails = tails, .notes = {}};
  LiveAnswer answer;
  if (const auto name = arguments.value("--container")) {
    if (auto looked = look_into_container(live, *name, answer.pid, outside); !looked)
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
