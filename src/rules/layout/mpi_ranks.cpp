// TensorRT-LLM under MPI: the processes it starts are the ranks.
#include "rules/layout/mpi_ranks.h"

#include <vector>

#include "check/speak.h"
#include "rules/layout/started_copies.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{launcher} starts {started} processes, the launch has {ranks} ranks",
                      "{launcher} 启动 {started} 个进程，而这次启动有 {ranks} 个 rank"};
constexpr Text kRanks{"tensor size {tp}, {pp} stages: {ranks} ranks",
                      "张量并行 {tp}，流水级 {pp}：共 {ranks} 个 rank"};
constexpr Text kTensor{"{ranks} ranks", "共 {ranks} 个 rank"};
constexpr Text kBasis{"{launcher} -n {started}, in front of the launch",
                      "启动命令前的 {launcher} -n {started}"};
constexpr Text kBecause{"under {launcher} each rank is one of its processes, no more and no fewer",
                        "在 {launcher} 之下，每个 rank 就是它启动的一个进程，不能多也不能少"};
constexpr Text kTooFew{
    "it exits during start-up, before it loads weights: \"MPI size {started} != TP size …\"",
    "启动阶段就退出，此时尚未加载权重：“MPI size {started} != TP size …”"};
constexpr Text kTooMany{
    "the processes beyond the last rank have nothing to do, or stop the others as they start",
    "多出来的进程无事可做，或在启动时拖垮其他进程"};
constexpr Text kNoFix{
    "start {ranks} processes ({launcher} -n {ranks}), or choose sizes that make {started} ranks",
    "启动 {ranks} 个进程（{launcher} -n {ranks}），或者把并行数改成共 {started} 个 rank"};

}  // namespace

std::vector<Complaint> mpi_ranks(const Case& c) {
  const auto copies = started_copies(c.command.before);
  const auto ranks = c.serve.world_size();
  if (!copies || !copies->launcher->mpi || !ranks || copies->count == *ranks) return {};
  const Argument launcher("launcher", copies->launcher->name), started("started", copies->count);
  const int tp = c.serve.tensor_parallel.value();
  const int pp = c.serve.pipeline_parallel.value();

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {launcher, started, {"ranks", *ranks}}};
  const Message with_stages{kRanks, {{"tp", tp}, {"pp", pp}, {"ranks", *ranks}}};
  mark(d, c.serve.tensor_parallel, pp > 1 ? with_stages : Message{kTensor, {{"ranks", *ranks}}});
  d.basis.push_back({kBasis, {launcher, started}});
  d.because = {kBecause, {launcher}};
  const bool few = copies->count < *ranks;
  d.otherwise = few ? Message{kTooFew, {started}} : Message{kTooMany};
  complaint.severity = few ? Severity::Error : Severity::Warning;
  d.subject = "--tensor-parallel-size";
  d.no_fix = {kNoFix, {launcher, {"ranks", *ranks}, started}};
  return {complaint};
}

}  // namespace sx::rules
