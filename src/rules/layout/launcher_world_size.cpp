// SX2126. The long explanation and the scenes are in launcher_world_size.md.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/other_engines.h"
#include "rules/layout/mpi_ranks.h"
#include "rules/layout/started_copies.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{launcher} starts the whole server {count} times",
                      "{launcher} 会把整个服务启动 {count} 次"};
constexpr Text kLabel{"started {count} times; it starts its {ranks} ranks itself",
                      "启动 {count} 次；它自己会启动 {ranks} 个 rank"};
constexpr Text kLabelOne{"started {count} times", "启动 {count} 次"};
constexpr Text kBecause{
    "the engine starts one process a GPU by itself; it is no program of MPI that shares the work "
    "out among its copies",
    "引擎自己为每张 GPU 启动一个进程；它不是由 MPI 的各个进程分担工作的程序"};
constexpr Text kOtherwise{
    "the copies take the same GPUs and the same port: all but one end while they start, and the "
    "launcher then ends that one as well",
    "各份会抢同样的 GPU 和端口：除一份外都在启动阶段退出，启动器随后把剩下的那份也结束掉"};
constexpr Text kOnce{"start it once: {launcher} with one task, or none of it",
                     "只启动一次：让 {launcher} 只起一个任务，或者不用它"};

// Ranks that are placed by hand: each copy is told which one it is.
constexpr std::array<std::string_view, 7> kByHand{"--node-rank",
                                                  "--headless",
                                                  "--data-parallel-rank",
                                                  "--data-parallel-start-rank",
                                                  "--data-parallel-address",
                                                  "--dist-init-addr",
                                                  "--nnodes"};

bool by_hand(const Case& c) {
  const bool placed = std::ranges::any_of(
      kByHand, [&c](std::string_view flag) { return c.serve.use_of(flag) != nullptr; });
  const bool unclear =
      std::ranges::any_of(c.serve.flags, [](const FlagUse& use) { return !use.complete; });
  return placed || unclear || c.serve.executor_backend.value_or("") == "external_launcher";
}

std::vector<Complaint> check(const Case& c) {
  // Of the others that are asked, MPI starts the ranks: they are programs of MPI.
  if (find_other_engine(c.serve.engine) != nullptr) return mpi_ranks(c);
  const auto started = started_copies(c.command.before);
  if (!started || started->count < 2 || by_hand(c)) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument name("launcher", started->launcher->name);
  const Argument count("count", started->count);
  d.title = {kTitle, {name, count}};
  const int ranks = c.serve.gpus_wanted().value_or(1);
  mark(d, c.command.words.front().span,
       ranks > 1 ? Message{kLabel, {count, {"ranks", ranks}}} : Message{kLabelOne, {count}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.no_fix = {kOnce, {name}};
  d.subject = "launcher";
  return {complaint};
}

}  // namespace

extern const Rule launcher_world_size{
    .code = "SX2126",
    .name = "launcher-world-size",
    .severity = Severity::Warning,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
