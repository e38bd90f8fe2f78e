// From a pasted text to a machine: GPUs in index order, links, affinities; the catalogue adds what
// the text does not tell.
#include <algorithm>

#include "base/strings.h"
#include "gather/gather_host_card.h"
#include "gather/gather_host_parts.h"

namespace sx {
namespace {

constexpr Text kTextOnly{"the text does not tell it", "文本里没有这一项"};
constexpr Text kNoMatrix{"the text has no matrix; give `nvidia-smi topo -m` with --topology",
                         "文本里没有拓扑矩阵；可用 --topology 提供 `nvidia-smi topo -m` 的输出"};
constexpr Text kOtherCount{"the matrix is of {matrix} GPUs and the machine has {gpus}",
                           "矩阵里有 {matrix} 张 GPU，而机器有 {gpus} 张"};
constexpr Text kOnlyMatrix{"the text is a matrix without names; give `nvidia-smi` too",
                           "文本只有矩阵，没有 GPU 名称；还需要 `nvidia-smi` 的输出"};
constexpr Text kNameHidden{"the text does not tell the name of the card", "文本没有给出 GPU 名称"};
constexpr Text kCutName{"{printed} is a cut name that fits several cards",
                        "{printed} 是被截断的名称，可能对应多种卡"};
constexpr Text kFailure{"nvidia-smi said: {said}", "nvidia-smi 报告：{said}"};
constexpr Text kNoGpus{"the text lists no GPUs", "文本里没有列出 GPU"};
constexpr Text kUnread{"part of the text could not be read: {part}",
                       "文本有一部分无法读取：{part}"};
constexpr Text kFullName{"{printed} is taken as {name}, by its memory",
                         "{printed} 按显存大小判断为 {name}"};

std::optional<ComputeCapability> capability_of(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 2) return {};
  const auto major = to_integer(parts[0]);
  const auto minor = to_integer(parts[1]);
  if (!major || !minor || *major < 0 || *major > 99 || *minor < 0 || *minor > 99) return {};
  return ComputeCapability{static_cast<int>(*major), static_cast<int>(*minor)};
}

template <class T>
Fact<T> told(const std::optional<T>& value, const std::optional<Span>& span) {
  if (!value) return Fact<T>::unknown(kTextOnly);
  return {*value, Origin::Device, span};
}

template <class T>
Fact<T> told(const Told<T>& thing) {
  if (!thing) return Fact<T>::unknown(kTextOnly);
  return {*thing.value, Origin::Device, thing.span};
}

// Into facts, all of one list.
constexpr auto kTell = [](std::string_view, auto& fact, const auto& thing) { fact = told(thing); };

// The first node of "0", "0-1", "0,3-9"; nothing for "N/A" and "".
std::optional<int> first_node(std::string_view affinity) {
  const auto end = affinity.find_first_not_of("0123456789");
  const auto node = to_integer(affinity.substr(0, end));
  if (!node || *node > 4096) return {};
  return static_cast<int>(*node);
}

// A name as printed, whole again where the catalogue knows only one card that it can be.
void name_card(HostSpec& host, Gpu& gpu, const PastedGpu& pasted) {
  if (pasted.name.empty()) {
    const Text why = pasted.span ? kNameHidden : kOnlyMatrix;
    gpu.name = Fact<std::string>::unknown(why);
    if (!gpu.memory.known()) gpu.memory = Fact<Bytes>::unknown(why);
    if (!gpu.capability.known()) gpu.capability = Fact<ComputeCapability>::unknown(why);
    describe_card(gpu, nullptr, Origin::Measured);
    return;
  }
  const GpuKind* kind = gpu_by_driver_name(pasted.name, pasted.memory);
  const bool cut = pasted.name.ends_with("...");
  if (cut && kind == nullptr) {
    gpu.name = Fact<std::string>::unknown({kCutName, {{"printed", pasted.name}}});
  } else {
    gpu.name = {cut ? std::string(kind->name) : pasted.name, Origin::Device, pasted.span};
  }
  if (cut && kind != nullptr) {
    Message said{kFullName, {{"printed", pasted.name}, {"name", kind->name}}};
    const auto same = [&](const Message& m) {
      return rendered(m, Language::English) == rendered(said, Language::English);
    };
    if (std::ranges::none_of(host.assumed, same)) host.assumed.push_back(std::move(said));
  }
  describe_card(gpu, kind, cut ? Origin::Assumed : Origin::Measured);
}

Gpu gpu_from(HostSpec& host, const PastedGpu& pasted) {
  Gpu gpu;
  gpu.index = pasted.index;
  gpu.uuid = pasted.uuid;
  gpu.pci = pasted.pci;
  if (pasted.memory) gpu.memory = {*pasted.memory, Origin::Device, pasted.span};
  if (const auto capability = capability_of(pasted.capability))
    gpu.capability = {*capability, Origin::Device, pasted.span};
  gpu.mig = told(pasted.mig, pasted.span);
  name_card(host, gpu, pasted);
  gpu.used = told(pasted.used, pasted.span);
  if (!pasted.used && pasted.free && pasted.memory) {
    gpu.used = {std::max(*pasted.memory - *pasted.free, Bytes{0}), Origin::Device, pasted.span};
  }
  gpu.ecc = told(pasted.ecc, pasted.span);
  gpu.persistence = told(pasted.persistence, pasted.span);
  gpu.power_limit_w = told(pasted.power_limit_w, pasted.span);
  gpu.numa = Fact<int>::unknown(kTextOnly);
  gpu.compute_mode = pasted.compute_mode;
  each_gpu_state(gpu.state, pasted.state, kTell);
  return gpu;
}

// The nodes together are the machine, where each tells its size.
void add_memory_of_nodes(HostSpec& host) {
  if (!host.state.numa.known() || host.state.numa.value().empty()) return;
  const auto& nodes = host.state.numa.value();
  if (!std::ranges::all_of(nodes, [](const NumaNode& n) { return n.memory.has_value(); })) return;
  Bytes all{0};
  for (const NumaNode& node : nodes) all = all + *node.memory;
  host.memory = {all, Origin::Device, host.state.numa.span()};
}

void nothing_else_is_told(HostSpec& host) {
  host.links.why_unknown = kNoMatrix;
  host.shared_memory = host.shared_memory_free = Fact<Bytes>::unknown(kTextOnly);
  host.memory = host.memory_free = host.memory_limit = Fact<Bytes>::unknown(kTextOnly);
  host.locked_memory = Fact<Bytes>::unknown(kTextOnly);
  host.open_files = host.cpu_count = host.numa_nodes = Fact<int>::unknown(kTextOnly);
  host.container = Fact<bool>::unknown(kTextOnly);
  host.used_ports = Fact<std::vector<UsedPort>>::unknown(kTextOnly);
  host.driver = host.cuda = Fact<std::string>::unknown(kTextOnly);
}

void add_system(HostSpec& host, const MachineText& text) {
  host.memory = told(text.memory);
  host.memory_free = told(text.memory_free);
  host.shared_memory = told(text.shared_memory);
  host.shared_memory_free = told(text.shared_memory_free);
  host.locked_memory = told(text.locked_memory);
  host.open_files = told(text.open_files);
  host.cpu_count = told(text.cpu_count);
  host.numa_nodes = told(text.numa_nodes);
  each_host_state(host.state, text.state, kTell);
  if (!host.memory.known()) add_memory_of_nodes(host);
}

// A row of links tells whether a card has NVLink better than its data sheet does.
void links_tell_nvlink(HostSpec& host) {
  for (std::size_t i = 0; i < host.gpus.size() && i < host.links.classes.size(); ++i) {
    const auto& row = host.links.classes[i];
    const bool has =
        std::ranges::any_of(row, [](const std::string& cell) { return cell.starts_with("NV"); });
    if (row.size() > 1) host.gpus[i].nvlink = {has, Origin::Device};
  }
}

}  // namespace

Result<int> add_topology(HostSpec& host, const PastedTopology& topology) {
  const std::size_t count = topology.names.size();
  if (host.gpu_count.known() && count != host.gpus.size()) {
    const std::string gpus = std::to_string(host.gpus.size());
    return fail(Error::Kind::Usage,
                "the topology is of " + std::to_string(count) + " GPUs and the machine has " + gpus,
                "拓扑里有 " + std::to_string(count) + " 张 GPU，而机器有 " + gpus + " 张");
  }
  if (!topology.classes.empty()) host.links.classes = topology.classes;
  if (!topology.p2p.empty()) host.links.p2p = topology.p2p;
  if (host.links.known()) host.links.why_unknown = {};
  if (!topology.nics.empty()) host.nics = topology.nics;
  for (std::size_t i = 0; i < count && i < host.gpus.size(); ++i) {
    Gpu& gpu = host.gpus[i];
    if (i < topology.cpu_affinity.size()) gpu.cpu_affinity = topology.cpu_affinity[i];
    if (i < topology.numa_affinity.size()) gpu.numa_affinity = topology.numa_affinity[i];
    if (const auto node = first_node(gpu.numa_affinity)) gpu.numa = {*node, Origin::Device};
  }
  links_tell_nvlink(host);
  return static_cast<int>(count);
}

HostSpec host_from_text(const MachineText& text, std::string name) {
  HostSpec host;
  host.from = HostFrom::File;
  host.name = std::move(name);
  nothing_else_is_told(host);
  for (const PastedGpu& pasted : text.gpus) host.gpus.push_back(gpu_from(host, pasted));
  if (text.gpus.empty()) {
    for (std::size_t i = 0; i < text.topology.names.size(); ++i) {
      PastedGpu pasted;
      pasted.index = static_cast<int>(i);
      host.gpus.push_back(gpu_from(host, pasted));
    }
  }
  host.gpu_count = {static_cast<int>(host.gpus.size()), Origin::Device};
  if (host.gpus.empty()) {
    host.gpu_count =
        text.state.driver_failure
            ? Fact<int>::unknown({kFailure, {{"said", *text.state.driver_failure.value}}})
            : Fact<int>::unknown(kNoGpus);
  }
  if (!text.topology.names.empty() && !add_topology(host, text.topology)) {
    host.links.why_unknown = {kOtherCount,
                              {{"matrix", text.topology.names.size()}, {"gpus", host.gpus.size()}}};
  }
  if (!text.driver.empty()) host.driver = {text.driver, Origin::Device};
  if (!text.cuda.empty()) host.cuda = {text.cuda, Origin::Device};
  host.environment = text.environment;
  add_system(host, text);
  if (host.nics.empty()) host.nics = text.nics;
  list_unknown(host);
  for (const Both& part : text.unread)
    host.unknown.emplace_back("text", Message{kUnread, {{"part", part}}});
  return host;
}

}  // namespace sx
