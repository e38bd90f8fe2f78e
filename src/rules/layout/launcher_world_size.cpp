// SX2126. The long explanation and the scenes are in launcher_world_size.md.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/other_engines.h"
#include "rules/layout/mpi_ranks.h"

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

struct Launcher {
  std::string_view name;
  std::array<std::string_view, 3> counts;  // options that say how many are started
};
constexpr std::array<Launcher, 4> kLaunchers{
    {{"srun", {"-n", "--ntasks", "--ntasks-per-node"}},
     {"mpirun", {"-n", "-np", "--np"}},
     {"mpiexec", {"-n", "-np", "--np"}},
     {"torchrun", {"--nproc-per-node", "--nproc_per_node", ""}}}};
// Ranks that are placed by hand: each copy is told which one it is.
constexpr std::array<std::string_view, 7> kByHand{"--node-rank",
                                                  "--headless",
                                                  "--data-parallel-rank",
                                                  "--data-parallel-start-rank",
                                                  "--data-parallel-address",
                                                  "--dist-init-addr",
                                                  "--nnodes"};

std::optional<int> count_in(std::string_view text) {
  const auto value = to_integer(text);
  if (!value || !std::in_range<int>(*value)) return {};
  return static_cast<int>(*value);
}

// "-n 4", "-n4", "--ntasks=4", "--ntasks 4".
std::optional<int> count_of(const Launcher& launcher, const std::vector<std::string>& words,
                            std::size_t at) {
  for (const std::string_view option : launcher.counts) {
    const std::string_view word = words[at];
    if (option.empty() || !word.starts_with(option)) continue;
    const std::string_view rest = word.substr(option.size());
    if (rest.empty()) return at + 1 < words.size() ? count_in(words[at + 1]) : std::nullopt;
    if (rest.front() == '=') return count_in(rest.substr(1));
    if (!option.starts_with("--")) {
      if (const auto count = count_in(rest)) return count;
    }
  }
  return {};
}

struct Started {
  std::string_view launcher;
  int count = 0;
};

std::optional<Started> started(const std::vector<std::string>& before) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::string_view name = std::string_view(before[i]).substr(before[i].rfind('/') + 1);
    const auto launcher = std::ranges::find(kLaunchers, name, &Launcher::name);
    if (launcher == kLaunchers.end()) continue;
    for (std::size_t at = i + 1; at < before.size(); ++at) {
      // One copy on each of several machines may be meant.
      if (name == "srun" && (before[at].starts_with("-N") || before[at].starts_with("--nodes")))
        return {};
      if (const auto count = count_of(*launcher, before, at))
        return Started{launcher->name, *count};
    }
  }
  return {};
}

bool by_hand(const Case& c) {
  const bool placed = std::ranges::any_of(
      kByHand, [&c](std::string_view flag) { return c.serve.use_of(flag) != nullptr; });
  const bool unclear =
      std::ranges::any_of(c.serve.flags, [](const FlagUse& use) { return !use.complete; });
  return placed || unclear || c.serve.executor_backend.value_or("") == "external_launcher";
}

std::vector<Complaint> check(const Case& c) {
  // Of the others that are asked, mpirun starts the ranks: they are programs of MPI.
  if (find_other_engine(c.serve.engine) != nullptr) return mpi_ranks(c);
  const auto launcher = started(c.command.before);
  if (!launcher || launcher->count < 2 || by_hand(c)) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument name("launcher", launcher->launcher);
  const Argument count("count", launcher->count);
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
