// Where each process stands, and which of them the others wait for.
#include <algorithm>

#include "cli/diagnose_notes.h"

namespace sx {
namespace {

constexpr std::size_t kMostStacksSaid = 64;

constexpr Text kStack{"{who} {said}: {frame}", "{who} {said}：{frame}"};
constexpr Text kStackBehind{"{who} {said}: {frame}; the others wait for it",
                            "{who} {said}：{frame}；其他 rank 都在等它"};
constexpr Text kStackUnknown{"{who} is in {frame}", "{who} 停在 {frame}"};
constexpr Text kNoSizes{
    "no stack holds the shapes of tensors; numbers beside them are told with the locals, which may "
    "also hold prompts:",
    "堆栈里没有张量的形状；附近的数值要打印局部变量才看得到，其中可能含有提示词："};
constexpr Text kSomeProcess{"a process", "某个进程"};
constexpr Text kRankName{"rank {rank}", "rank {rank}"};
constexpr Text kProcessName{"process {name}", "进程 {name}"};

Both who(const StackProcess& process) {
  if (process.rank >= 0) return in_both({kRankName, {{"rank", process.rank}}});
  std::string name = process.command.empty() ? process.process : process.command;
  if (name.size() > 60) name.resize(60);  // a word of the command is enough to tell it by
  if (process.pid > 0) name = std::to_string(process.pid) + (name.empty() ? "" : " " + name);
  if (name.empty()) return in_both({kSomeProcess});
  return in_both({kProcessName, {{"name", name}}});
}

// What a stack tells of the matrices; shapes of tensors are in no stack, only numbers beside them.
std::string sizes_of(const StackFrame& frame) {
  std::string out;
  for (const auto& [name, value] : frame.values)
    out.append(out.empty() ? " [" : ", ").append(name).append("=").append(value);
  return out.empty() ? out : out + "]";
}

}  // namespace

void add_stack_notes(NoteList& notes, const Waits& waits) {
  notes.begin("stacks");
  long long without_sizes = 0;  // the first process that multiplies matrices of unknown size
  for (std::size_t i = 0; i < waits.all.size() && i < kMostStacksSaid; ++i) {
    const Wait& wait = waits.all[i];
    std::string frame = wait.frame->name;
    if (!wait.frame->where.empty()) frame.append(" (").append(wait.frame->where).append(")");
    if (wait.row == nullptr) {
      notes.add({kStackUnknown, {{"who", who(*wait.process)}, {"frame", frame}}}, wait.frame->at);
      continue;
    }
    if (wait.row->kind == WaitKind::Compute) {
      const std::string sizes = sizes_of(*wait.frame);
      if (sizes.empty() && without_sizes == 0) without_sizes = wait.process->pid;
      frame += sizes;
    }
    const bool behind = std::ranges::find(waits.behind, i) != waits.behind.end();
    notes.add({behind ? kStackBehind : kStack,
               {{"who", who(*wait.process)}, {"said", both_of(wait.row->said)}, {"frame", frame}}},
              wait.frame->at);
  }
  if (without_sizes > 0)
    notes.add_with_command({kNoSizes},
                           "py-spy dump --locals --pid " + std::to_string(without_sizes));
}

}  // namespace sx
