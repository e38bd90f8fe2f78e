// The parts of a pasted text about a machine, put together: each line goes to every parser, then
// what they found of one GPU is merged.
#include "read/machine_text.h"

#include <algorithm>

#include "base/strings.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
// Shorter lines ("GPU 0: L4" has 9) say nothing by themselves; rows of matrices and CSV may be that
// short.
constexpr std::size_t kShortestTelling = 6;
constexpr std::size_t kShortestFailure = 20;

// Versions of the driver and of its CUDA: old words, and the ones of drivers from 610 on.
void take_versions(std::string_view text, PastedParts& parts) {
  const auto keep = [&](std::string& into, std::string_view label) {
    if (!into.empty()) return;
    const std::string word = word_after(text, label);
    if (is_version(word)) into = word;
  };
  const std::string_view line = trimmed(without_marks(text));
  const bool banner = text.find("NVIDIA-SMI") != text.npos;
  if (banner || line.starts_with("Driver Version")) keep(parts.driver, "Driver Version");
  if (banner || line.starts_with("KMD Version")) keep(parts.driver, "KMD Version");
  if (banner || line.starts_with("CUDA Version")) keep(parts.cuda, "CUDA Version");
  if (banner || line.starts_with("CUDA UMD Version")) keep(parts.cuda, "CUDA UMD Version");
  if (banner) keep(parts.driver, "NVIDIA-SMI");  // very old ones print it alone
}

// nvidia-smi's own troubles, which people paste as often as its answers.
void take_failure(const PastedLine& line, PastedParts& parts) {
  const std::string_view text = line.text;
  if (!parts.failure.empty() || text.size() < kShortestFailure) return;
  const bool failed = text.find("NVIDIA-SMI has failed") != text.npos ||
                      text.find("Failed to initialize NVML") != text.npos ||
                      text.find("No devices were found") != text.npos;
  if (!failed) return;
  parts.failure = std::string(trimmed(without_marks(text)).substr(0, 200));
  tell(parts.state.driver_failure, parts.failure, line);
}

Error nothing_read(const PastedParts& parts) {
  if (!parts.failure.empty()) {
    return {Error::Kind::Damaged,
            "nvidia-smi itself failed on that machine: '" + parts.failure + "'",
            "那台机器上 nvidia-smi 本身失败：'" + parts.failure + "'"};
  }
  return {Error::Kind::Damaged,
          "no machine can be read from the text: it should hold the output of `nvidia-smi`, "
          "`nvidia-smi -q`, "
          "`nvidia-smi -L`, `nvidia-smi topo -m`, `nvidia-smi --query-gpu=… --format=csv` or a "
          "collect_env report",
          "文本里读不出机器信息：应包含 `nvidia-smi`、`nvidia-smi -q`、`nvidia-smi "
          "-L`、`nvidia-smi topo -m`、"
          "`nvidia-smi --query-gpu=… --format=csv` 的输出，或 collect_env 报告"};
}

template <class T>
void prefer(T& into, const T& other, const T& nothing) {
  if (into == nothing) into = other;
}

bool cut(const std::string& name) { return name.ends_with("..."); }

void merge(PastedGpu& into, const PastedGpu& other) {
  if (into.name.empty() || (cut(into.name) && !other.name.empty() && !cut(other.name)))
    into.name = other.name;
  prefer(into.index, other.index, -1);
  prefer(into.uuid, other.uuid, {});
  prefer(into.pci, other.pci, {});
  prefer(into.memory, other.memory, {});
  prefer(into.used, other.used, {});
  prefer(into.free, other.free, {});
  prefer(into.mig, other.mig, {});
  prefer(into.ecc, other.ecc, {});
  prefer(into.persistence, other.persistence, {});
  prefer(into.capability, other.capability, {});
  prefer(into.compute_mode, other.compute_mode, {});
  prefer(into.power_limit_w, other.power_limit_w, {});
  if (!into.span) into.span = other.span;
  each_gpu_state(into.state, other.state, [](std::string_view, auto& mine, const auto& theirs) {
    if (!mine) mine = theirs;
  });
}

// "0000:1A:00.0", "00000000:1a:00.0" and "1a:00.0" are one place.
std::string bus_key(std::string_view pci) {
  std::string key = lower(pci);
  const auto colon = key.find(':');
  if (colon != key.npos && key.find(':', colon + 1) == key.npos) return key;
  const auto domain = key.find_first_not_of('0');
  return key.substr(std::min(domain, colon) == colon ? colon + 1 : domain);
}

bool same_gpu(const PastedGpu& a, const PastedGpu& b) {
  if (!a.uuid.empty() && !b.uuid.empty()) return a.uuid == b.uuid;
  if (!a.pci.empty() && !b.pci.empty()) return bus_key(a.pci) == bus_key(b.pci);
  return a.index >= 0 && a.index == b.index;
}

// `only_known`: the bus shows cards that no driver may have.
void add_all(std::vector<PastedGpu>& all, const std::vector<PastedGpu>& found,
             bool only_known = false) {
  for (const PastedGpu& gpu : found) {
    const auto same =
        std::ranges::find_if(all, [&](const PastedGpu& other) { return same_gpu(other, gpu); });
    if (same != all.end()) {
      merge(*same, gpu);
    } else if (!only_known && all.size() < kMostPastedGpus) {
      all.push_back(gpu);
    }
  }
}

// Rows without an index stand in its order: nvidia-smi lists by bus.
void number_rows(std::vector<PastedGpu>& gpus) {
  int next = 0;
  for (PastedGpu& gpu : gpus) {
    if (gpu.index < 0) gpu.index = next;
    next = gpu.index + 1;
  }
}

// Sorted by index; of two GPUs with one index the first told stays, the other is of another
// machine.
std::vector<PastedGpu> in_index_order(std::vector<PastedGpu> gpus) {
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < gpus.size(); ++i) order.emplace_back(gpus[i].index, i);
  std::ranges::sort(order);
  std::vector<PastedGpu> sorted;
  for (const auto& [index, i] : order) {
    if (sorted.empty() || sorted.back().index != index) sorted.push_back(std::move(gpus[i]));
  }
  return sorted;
}

// What is worth a machine without a single card in it: the reason why there is none, a kernel's
// log, cards on the bus.
bool tells_of_machine(const PastedParts& parts) {
  const HostState<Told>& state = parts.state;
  const bool events = state.kernel_events && !state.kernel_events.value->empty();
  const bool mismatch = state.driver_library && state.driver_module;
  return events || mismatch || state.pci_gpus || state.fabric_manager ||
         parts.failure.find("version mismatch") != parts.failure.npos;
}

void put_parts(MachineText& machine, PastedParts parts) {
  machine.driver = std::move(parts.driver);
  machine.cuda = std::move(parts.cuda);
  machine.state = std::move(parts.state);
  machine.memory = parts.memory;
  machine.memory_free = parts.memory_free;
  machine.shared_memory = parts.shared_memory;
  machine.shared_memory_free = parts.shared_memory_free;
  machine.locked_memory = parts.locked_memory;
  machine.open_files = parts.open_files;
  machine.cpu_count = parts.cpu_count;
  machine.numa_nodes = parts.numa_nodes;
  machine.nics = std::move(parts.nics);
  machine.unread = std::move(parts.unread);
}

}  // namespace

void PastedParts::could_not_read(int line, const Both& what) {
  if (unread.size() >= kMostUnread) return;
  const std::string number = std::to_string(line);
  unread.push_back(
      {"line " + number + ": " + what.english, "第 " + number + " 行：" + what.chinese});
}

Result<MachineText> parse_machine_text(const Sources& sources, int source) {
  const std::string_view text = sources.at(source).text;
  if (text.size() > kMostBytes) {
    return fail(Error::Kind::TooLarge, "the text about the machine is larger than 64 MiB",
                "机器文本超过 64 MiB");
  }
  PastedParts parts;
  SmiTableParser table;
  SmiCsvParser csv;
  SmiQueryParser query;
  ReportParser report;
  TopologyParser topology;
  NvlinkParser nvlink;
  PciParser pci;
  KernelParser kernel;
  SystemParser system;
  PastedLines lines(text, source);
  while (const auto line = lines.next()) {
    if (line->text.size() >= kShortestTelling) {
      if (line->text.find("Version") != line->text.npos) take_versions(line->text, parts);
      take_failure(*line, parts);
      table.take(*line, parts);
      query.take(*line, parts);
      report.take(*line, parts);
      nvlink.take(*line, parts);
      pci.take(*line, parts);
      kernel.take(*line, parts);
      system.take(*line, parts);
    }
    csv.take(*line, parts);
    topology.take(*line, parts);
  }
  topology.finish(parts);

  MachineText machine;
  for (auto* gpus : {&table.gpus, &csv.gpus, &query.gpus, &report.gpus}) {
    number_rows(*gpus);
    add_all(machine.gpus, *gpus);
  }
  add_all(machine.gpus, nvlink.gpus, true);
  add_all(machine.gpus, pci.gpus, true);
  machine.gpus = in_index_order(std::move(machine.gpus));
  machine.topology = std::move(topology.topology);
  machine.environment = std::move(report.environment);
  const bool told = !machine.gpus.empty() || !machine.topology.names.empty() ||
                    !parts.driver.empty() || tells_of_machine(parts);
  if (!told) return std::unexpected(nothing_read(parts));
  put_parts(machine, std::move(parts));
  return machine;
}

}  // namespace sx
