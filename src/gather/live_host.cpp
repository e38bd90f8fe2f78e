// This machine, asked piece by piece: the driver in a child process, the rest from /proc and /sys.
#include "gather/live_host.h"

#include <algorithm>

#include "base/strings.h"
#include "gather/gather_host_card.h"
#include "gather/host_file_names.h"
#include "gather/live_condition.h"
#include "sys/procfs.h"

namespace sx {
namespace {

constexpr Bytes kProcFile = mib(16);

constexpr Text kWhy{"{why}", "{why}"};
constexpr Text kNoNvml{"NVML was not found: no NVIDIA driver can be seen from here",
                       "没有找到 NVML：从这里看不到 NVIDIA 驱动"};
constexpr Text kNoAnswer{"the driver does not tell it", "驱动没有提供这一项"};
constexpr Text kNoFile{"the system does not tell it", "系统没有提供这一项"};
constexpr Text kNoGpus{"there are no GPUs", "没有 GPU"};
constexpr Text kNoLimit{"no limit is set", "没有设置上限"};

template <class T>
Fact<T> told(const std::optional<T>& value, Text why) {
  if (!value) return Fact<T>::unknown(why);
  return {*value, Origin::Device};
}

std::string compute_mode_word(const std::optional<int>& mode) {
  if (!mode) return {};
  switch (*mode) {
    case 0:
      return "Default";
    case 1:
      return "Exclusive_Thread";
    case 2:
      return "Prohibited";
    case 3:
      return "Exclusive_Process";
    default:
      return {};
  }
}

Gpu gpu_of(const NvmlGpu& asked, int index, const Files* files) {
  Gpu gpu;
  gpu.index = index;
  gpu.uuid = asked.uuid;
  gpu.pci = asked.pci;
  gpu.name = Fact<std::string>::unknown(kNoAnswer);
  if (!asked.name.empty()) gpu.name = {asked.name, Origin::Device};
  if (asked.memory) gpu.memory = {*asked.memory, Origin::Device};
  gpu.used = told(asked.used, kNoAnswer);
  if (asked.capability_major && asked.capability_minor) {
    gpu.capability = {ComputeCapability{*asked.capability_major, *asked.capability_minor},
                      Origin::Device};
  }
  gpu.mig = told(asked.mig, kNoAnswer);
  gpu.ecc = told(asked.ecc, kNoAnswer);
  gpu.persistence = told(asked.persistence, kNoAnswer);
  gpu.power_limit_w = told(asked.power_limit_w, kNoAnswer);
  gpu.compute_mode = compute_mode_word(asked.compute_mode);
  gpu.cpu_affinity = asked.cpu_affinity;
  auto node = files != nullptr ? numa_node_of(*files, asked.pci) : std::nullopt;
  if (!node) node = asked.numa;
  gpu.numa = told(node, kNoFile);
  if (node) gpu.numa_affinity = std::to_string(*node);
  gpu.state = condition_of(asked.condition, files);
  describe_card(gpu, kind_of(gpu), Origin::Measured);
  return gpu;
}

void links_tell_nvlink(HostSpec& host) {
  for (std::size_t i = 0; i < host.gpus.size() && i < host.links.classes.size(); ++i) {
    const auto& row = host.links.classes[i];
    host.gpus[i].nvlink = {
        std::ranges::any_of(row, [](const auto& cell) { return cell.starts_with("NV"); }),
        Origin::Device};
  }
}

void add_driver_answer(HostSpec& host, const NvmlAnswer& answer, const Files* files) {
  host.gpu_count = {static_cast<int>(answer.gpus.size()), Origin::Device};
  for (std::size_t i = 0; i < answer.gpus.size(); ++i) {
    host.gpus.push_back(gpu_of(answer.gpus[i], static_cast<int>(i), files));
  }
  host.links.classes = answer.classes;
  host.links.p2p = answer.p2p;
  host.links.why_unknown = kNoAnswer;
  if (host.links.known()) host.links.why_unknown = {};
  if (host.gpus.empty()) host.links.why_unknown = kNoGpus;
  // One GPU has no pairs: its matrix is known without asking.
  if (host.gpus.size() == 1) host.links = {{{"X"}}, {{"X"}}, {}};
  if (host.gpus.size() > 1) links_tell_nvlink(host);
  host.driver = host.cuda = Fact<std::string>::unknown(kNoAnswer);
  if (!answer.driver.empty()) host.driver = {answer.driver, Origin::Device};
  if (!answer.cuda.empty()) host.cuda = {answer.cuda, Origin::Device};
  for (const Both& unknown : answer.unknown)
    host.unknown.emplace_back("nvml", Message{kWhy, {{"why", unknown}}});
}

// The version that the kernel module tells, for a library that cannot be asked: "NVRM version: …
// x86_64  580.95.05".
std::optional<std::string> module_version(const Files* files) {
  if (files == nullptr) return {};
  const auto text = files->read("/proc/driver/nvidia/version", kProcFile);
  if (!text) return {};
  const std::string_view line = std::string_view(*text).substr(0, text->find('\n'));
  for (const std::string_view word : split(line, ' ')) {
    const bool version =
        word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos;
    if (version) return std::string(word);
  }
  return {};
}

void ask_driver(HostSpec& host, const Outside& outside) {
  const auto answer = outside.nvml ? outside.nvml() : fail(Error::Kind::Absent, in_both(kNoNvml));
  if (answer) {
    add_driver_answer(host, *answer, outside.files);
    return;
  }
  if (answer.error().kind == Error::Kind::Refused)
    host.state.driver_failure = {answer.error().what, Origin::Device};
  const bool absent = answer.error().kind == Error::Kind::Absent;
  const Message why = absent ? Message{kNoNvml} : Message{kWhy, {{"why", answer.error().words()}}};
  host.gpu_count = Fact<int>::unknown(why);
  host.links.why_unknown = why;
  host.driver = host.cuda = Fact<std::string>::unknown(why);
  if (const auto version = module_version(outside.files)) host.driver = {*version, Origin::Device};
  if (!absent) host.unknown.emplace_back("nvml", why);
}

void ask_memory(HostSpec& host, const Files& files) {
  const MemoryInfo memory = parse_meminfo(files.read("/proc/meminfo", kProcFile).value_or(""));
  host.memory = told(memory.total, kNoFile);
  host.memory_free = told(memory.available, kNoFile);
  host.memory_limit = told(control_group_memory_limit(files), kNoLimit);
  // The real file system knows what is free; a told one has only the mount's option.
  const auto space =
      &files == &real_files() ? space_of("/dev/shm") : fail(Error::Kind::Absent, in_both(kNoFile));
  if (space) {
    host.shared_memory = {space->size, Origin::Device};
    host.shared_memory_free = {space->free, Origin::Device};
    return;
  }
  host.shared_memory =
      told(shared_memory_size(files.read("/proc/mounts", kProcFile).value_or("")), kNoFile);
  host.shared_memory_free = Fact<Bytes>::unknown(kNoFile);
}

void ask_ports(HostSpec& host, const Files& files) {
  const auto four = files.read("/proc/net/tcp", kProcFile);
  const auto six = files.read("/proc/net/tcp6", kProcFile);
  if (!four && !six) {
    host.used_ports = Fact<std::vector<UsedPort>>::unknown(kNoFile);
    return;
  }
  std::vector<ListeningPort> listening = parse_listening_ports(four.value_or(""));
  const auto more = parse_listening_ports(six.value_or(""));
  listening.insert(listening.end(), more.begin(), more.end());
  std::ranges::sort(listening);
  std::vector<UsedPort> ports;
  for (ListeningPort& port : listening) ports.push_back({port.port, std::move(port.address)});
  host.used_ports = {std::move(ports), Origin::Device};
}

void ask_system(HostSpec& host, const Files& files, const Environment& environment) {
  ask_memory(host, files);
  const ProcessLimits limits =
      parse_limits(files.read("/proc/self/limits", kProcFile).value_or(""));
  host.locked_memory = told(limits.locked_memory, kNoFile);
  host.open_files = told(limits.open_files, kNoFile);
  const int processors = count_processors(files.read("/proc/cpuinfo", kProcFile).value_or(""));
  host.cpu_count = told(processors > 0 ? std::optional(processors) : std::nullopt, kNoFile);
  host.numa_nodes = told(count_numa_nodes(files), kNoFile);
  host.container = told(in_container(files, environment), kNoFile);
  host.nics = files.list("/sys/class/infiniband").value_or(std::vector<std::string>{});
  ask_ports(host, files);
}

}  // namespace

HostSpec live_host(const Outside& outside) {
  HostSpec host;
  host.from = HostFrom::Live;
  host.name = "this machine";
  if (outside.files != nullptr) host.state = condition_of_system(*outside.files);
  ask_driver(host, outside);
  if (outside.files != nullptr) ask_system(host, *outside.files, outside.environment);
  for (const auto& [name, value] : outside.environment.all()) {
    if (may_be_saved(name)) host.environment.emplace_back(name, value);
  }
  list_unknown(host);
  return host;
}

}  // namespace sx
