// `check --pid`: the process itself, or where it only starts others (a shell, a supervisor), those.
#include <algorithm>
#include <deque>

#include "base/strings.h"
#include "engines/engine.h"
#include "engines/other/other.h"
#include "facts/kept_variables.h"
#include "facts/secret_names.h"
#include "gather/command_text.h"
#include "sys/process_files.h"

namespace sx {
namespace {

constexpr std::size_t kMostProcesses = 256;  // looked at below the one that was named
constexpr Text kNoEnvironment{
    "the environment of process {pid} may not be read by this user; variables count as not set",
    "当前用户无权读取进程 {pid} 的环境变量；按未设置处理"};
constexpr Text kKernel{"process {pid} has no command line: it is the kernel's, or has ended",
                       "进程 {pid} 没有命令行：它属于内核，或已经结束"};
constexpr Text kOfChild{"process {child}, started by process {pid}",
                        "进程 {child}，由进程 {pid} 启动"};

void take_environment(const ProcessFiles& process, Command& command) {
  if (!process.environment) return;
  for (const auto& [name, value] : *process.environment) {
    if (!concerns_engines(name)) continue;
    const bool secret = may_name_secret(name);
    command.environment.push_back({.name = name,
                                   .value = secret ? '$' + name : value,
                                   .literal = false,
                                   .complete = !secret});
  }
}

// A process that works elsewhere takes relative paths from there; one in a container has other
// files under the same names.
void take_file_system(const ProcessFiles& process, int pid, Surroundings& around) {
  if (process.folder) around.working_folder = {*process.folder, Origin::Device};
  if (!process.other_mounts) return;
  around.mounts.push_back({.host = "/proc/" + std::to_string(pid) + "/root", .inside = "/"});
}

PlacedCommand placed(Sources& sources, const ProcessFiles& process, int pid) {
  PlacedCommand one;
  one.command = command_from_argv(sources, process.words, SourceKind::Process);
  one.command.written = Command::Text::Derived;
  take_environment(process, one.command);
  Surroundings& around = one.around;
  around.kind = Surroundings::Kind::Process;
  around.name = std::to_string(pid);
  if (process.limits.locked_memory)
    around.locked_memory = {*process.limits.locked_memory, Origin::Device};
  if (process.limits.open_files) around.open_files = {*process.limits.open_files, Origin::Device};
  take_file_system(process, pid, around);
  if (!process.environment) around.remarks.push_back({kNoEnvironment, {{"pid", pid}}});
  return one;
}

bool is_launch(const Command& command) {
  const auto other = other::find_launch(command.words);
  if (other && other->engine->serves()) return true;
  return std::ranges::any_of(all_engines(), [&command](const Engine* engine) {
    return engine->recognises(command.words).has_value();
  });
}

}  // namespace

Result<ReadCommands> read_process(Sources& sources, int pid, const Outside& outside) {
  SX_TRY(const auto named, process_files(*outside.files, pid));
  if (named.words.empty()) return fail(Error::Kind::Absent, in_both({kKernel, {{"pid", pid}}}));
  ReadCommands read;
  read.commands.push_back(placed(sources, named, pid));
  if (is_launch(read.commands.front().command)) return read;

  std::deque<int> waiting;
  for (const int child : children_of(*outside.files, pid)) waiting.push_back(child);
  for (std::size_t seen = 0; !waiting.empty() && seen < kMostProcesses; ++seen) {
    const int child = waiting.front();
    waiting.pop_front();
    const auto process = process_files(*outside.files, child);
    if (!process || process->words.empty()) continue;
    PlacedCommand one = placed(sources, *process, child);
    // Below a launch there are only its own workers.
    if (is_launch(one.command)) {
      one.around.remarks.push_back({kOfChild, {{"child", child}, {"pid", pid}}});
      read.commands.push_back(std::move(one));
      continue;
    }
    for (const int next : children_of(*outside.files, child)) waiting.push_back(next);
  }
  return read;
}

}  // namespace sx
