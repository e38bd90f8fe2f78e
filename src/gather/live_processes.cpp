// /proc alone: nothing is asked of the processes themselves, nothing is stopped.
#include "gather/live_processes.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>

#include "base/strings.h"
#include "facts/secret_names.h"
#include "sys/process_files.h"

namespace sx {
namespace {

constexpr std::size_t kMostProcesses = 256;  // ranks of one host and what surrounds them
constexpr Bytes kMostText = mib(1);
constexpr Bytes kMostMaps = mib(16);
constexpr std::size_t kMostLibraries = 16;
// Variables of engines and of the libraries beneath them; no other is anybody's business.
constexpr std::array<std::string_view, 13> kFronts{
    "NCCL_",           "CUDA_",      "VLLM_",   "SGLANG_",         "SGL_", "TORCH_", "GLOO_",
    "LD_LIBRARY_PATH", "LD_PRELOAD", "NVIDIA_", "OMP_NUM_THREADS", "RAY_", "UCX_"};
constexpr std::array<std::string_view, 7> kLibraries{
    "libnccl.", "libcuda.so", "libcudart", "libtorch_cuda.", "libcublas.", "libnvshmem", "libgloo"};

std::string text_of(const Files& files, const std::string& path, Bytes most = kMostText) {
  const auto text = files.read(path, most);
  return text ? *text : std::string();
}

// "State:\tS (sleeping)"
std::string status_line(std::string_view status, std::string_view name) {
  for (const std::string_view line : lines_of(status)) {
    if (line.starts_with(name)) return std::string(trimmed(line.substr(name.size())));
  }
  return {};
}

std::vector<std::string> libraries_of(const std::string& maps) {
  std::vector<std::string> found;
  std::set<std::string_view> seen;
  for (const std::string_view line : lines_of(maps)) {
    const auto slash = line.find('/');
    if (slash == line.npos) continue;
    const std::string_view path = line.substr(slash);
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const bool wanted = std::ranges::any_of(
        kLibraries, [&](std::string_view front) { return name.starts_with(front); });
    if (wanted && found.size() < kMostLibraries && seen.insert(path).second)
      found.emplace_back(path);
  }
  return found;
}

bool matters(std::string_view name) {
  return !may_name_secret(name) && std::ranges::any_of(kFronts, [&](std::string_view front) {
    return name.starts_with(front);
  });
}

LiveProcess process_of(const Files& files, int pid, int parent, ProcessFiles known) {
  const std::string folder = "/proc/" + std::to_string(pid);
  LiveProcess process{.pid = pid, .parent = parent, .words = std::move(known.words)};
  process.name = trimmed(text_of(files, folder + "/comm"));
  const std::string status = text_of(files, folder + "/status");
  process.state = status_line(status, "State:");
  const std::string resident = status_line(status, "VmRSS:");
  if (const auto kib = to_integer(resident.substr(0, resident.find(' '))))
    process.resident = Bytes(*kib * 1024);
  if (const auto threads = to_integer(status_line(status, "Threads:")))
    process.threads = static_cast<int>(std::min(*threads, 1'000'000LL));
  process.waits_in = trimmed(text_of(files, folder + "/wchan"));
  if (process.waits_in == "0") process.waits_in.clear();
  process.libraries = libraries_of(text_of(files, folder + "/maps", kMostMaps));
  process.locked_memory = known.limits.locked_memory;
  process.open_files = known.limits.open_files;
  if (known.environment) {
    for (auto& [name, value] : *known.environment) {
      if (matters(name)) process.environment.emplace_back(name, value);
    }
  }
  return process;
}

// Where standard output and error go, when that is a file.
void add_logs(const Files& files, int pid, std::vector<std::string>& logs) {
  for (const char* fd : {"/fd/1", "/fd/2"}) {
    const auto target = files.link_target("/proc/" + std::to_string(pid) + fd);
    if (!target || !target->starts_with('/')) continue;
    const auto info = files.info(*target);
    const bool file = info && info->kind == FileInfo::Kind::File;
    if (file && std::ranges::find(logs, *target) == logs.end()) logs.push_back(*target);
  }
}

}  // namespace

Result<LiveRun> live_run(const Outside& outside, int pid) {
  const Files& files = *outside.files;
  LiveRun run;
  std::deque<std::pair<int, int>> next{{pid, 0}};
  std::set<int> seen;
  while (!next.empty()) {
    const auto [one, parent] = next.front();
    next.pop_front();
    if (!seen.insert(one).second) continue;
    if (run.processes.size() >= kMostProcesses) {
      run.more = true;
      break;
    }
    auto known = process_files(files, one);
    if (!known) {
      if (one == pid) return std::unexpected(std::move(known).error());
      continue;  // it has ended meanwhile
    }
    run.processes.push_back(process_of(files, one, parent, std::move(*known)));
    add_logs(files, one, run.logs);
    for (const int child : children_of(files, one)) next.emplace_back(child, one);
  }
  return run;
}

}  // namespace sx
