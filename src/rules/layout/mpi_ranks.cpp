// TensorRT-LLM under mpirun: its processes are the ranks.
#include "rules/layout/mpi_ranks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"mpirun starts {started} processes, the launch has {ranks} ranks",
                      "mpirun 启动 {started} 个进程，而这次启动有 {ranks} 个 rank"};
constexpr Text kRanks{"tensor size {tp}, {pp} stages: {ranks} ranks",
                      "张量并行 {tp}，流水级 {pp}：共 {ranks} 个 rank"};
constexpr Text kTensor{"{ranks} ranks", "共 {ranks} 个 rank"};
constexpr Text kBasis{"mpirun -n {started}, in front of the launch",
                      "启动命令前的 mpirun -n {started}"};
constexpr Text kBecause{"under mpirun each rank is one of its processes, no more and no fewer",
                        "在 mpirun 之下，每个 rank 就是它启动的一个进程，不能多也不能少"};
constexpr Text kTooFew{
    "it exits during start-up, before it loads weights: \"MPI size {started} != TP size …\"",
    "启动阶段就退出，此时尚未加载权重：“MPI size {started} != TP size …”"};
constexpr Text kTooMany{
    "the processes beyond the last rank have nothing to do, or stop the others as they start",
    "多出来的进程无事可做，或在启动时拖垮其他进程"};
constexpr Text kNoFix{
    "start {ranks} processes (mpirun -n {ranks}), or choose sizes that make {started} ranks",
    "启动 {ranks} 个进程（mpirun -n {ranks}），或者把并行数改成共 {started} 个 rank"};

// The count behind -n or -np of the mpirun in front; nothing without one.
std::optional<int> processes_started(const Command& command) {
  constexpr int kMost = 4096;  // more is a typing mistake that other rules see
  const auto& before = command.before;
  const auto run = std::ranges::find_if(before, [](const std::string& word) {
    return word == "mpirun" || word.ends_with("/mpirun");
  });
  if (run == before.end()) return {};
  for (auto word = run + 1; word != before.end() && word + 1 != before.end(); ++word) {
    if (*word != "-n" && *word != "-np" && *word != "--np") continue;
    const auto count = to_integer(*(word + 1));
    if (!count || *count < 1 || *count > kMost) return {};
    return static_cast<int>(*count);
  }
  return {};
}

}  // namespace

std::vector<Complaint> mpi_ranks(const Case& c) {
  const auto started = processes_started(c.command);
  const auto ranks = c.serve.world_size();
  if (!started || !ranks || *started == *ranks) return {};
  const int tp = c.serve.tensor_parallel.value();
  const int pp = c.serve.pipeline_parallel.value();

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"started", *started}, {"ranks", *ranks}}};
  const Message with_stages{kRanks, {{"tp", tp}, {"pp", pp}, {"ranks", *ranks}}};
  mark(d, c.serve.tensor_parallel, pp > 1 ? with_stages : Message{kTensor, {{"ranks", *ranks}}});
  d.basis.push_back({kBasis, {{"started", *started}}});
  d.because = kBecause;
  const bool few = *started < *ranks;
  d.otherwise = few ? Message{kTooFew, {{"started", *started}}} : Message{kTooMany};
  complaint.severity = few ? Severity::Error : Severity::Warning;
  d.subject = "--tensor-parallel-size";
  d.no_fix = {kNoFix, {{"ranks", *ranks}, {"started", *started}}};
  return {complaint};
}

}  // namespace sx::rules
