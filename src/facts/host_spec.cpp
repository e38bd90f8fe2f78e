// What can be said of a machine as a whole.
#include "facts/host_spec.h"

#include <algorithm>

namespace sx {
namespace {

constexpr Text kNotTold{"no input tells it", "输入里没有这项信息"};

Message reason(const Message& why) { return why.empty() ? Message{kNotTold} : why; }

template <class T>
void list_if_unknown(HostSpec& host, std::string name, const Fact<T>& fact) {
  if (!fact.known()) host.unknown.emplace_back(std::move(name), reason(fact.why_unknown()));
}

// The same fact of all GPUs in one entry, with the reason of the first that lacks it.
template <class T>
void list_gpu_fact(HostSpec& host, std::string name, Fact<T> Gpu::* fact) {
  const auto lacks = [fact](const Gpu& gpu) { return !(gpu.*fact).known(); };
  const auto first = std::ranges::find_if(host.gpus, lacks);
  if (first == host.gpus.end()) return;
  host.unknown.emplace_back(std::move(name), reason(((*first).*fact).why_unknown()));
}

}  // namespace

bool HostSpec::uniform() const {
  if (gpus.empty() || !gpus.front().name.known()) return false;
  const Gpu& first = gpus.front();
  return std::ranges::all_of(gpus, [&](const Gpu& gpu) {
    if (!gpu.name.known() || gpu.name.value() != first.name.value()) return false;
    // One name can be sold in two memory sizes, so a size that is told must agree too.
    if (!gpu.memory.known() || !first.memory.known()) return true;
    return gpu.memory.value() == first.memory.value();
  });
}

void list_unknown(HostSpec& host) {
  // What a text or the driver's library could not tell is no fact of ours and stays.
  std::erase_if(host.unknown,
                [](const auto& entry) { return entry.first != "text" && entry.first != "nvml"; });
  list_if_unknown(host, "gpus", host.gpu_count);
  list_gpu_fact(host, "gpus.name", &Gpu::name);
  list_gpu_fact(host, "gpus.memory", &Gpu::memory);
  list_gpu_fact(host, "gpus.usable", &Gpu::usable);
  list_gpu_fact(host, "gpus.used", &Gpu::used);
  list_gpu_fact(host, "gpus.capability", &Gpu::capability);
  list_gpu_fact(host, "gpus.numa", &Gpu::numa);
  if (!host.links.known()) host.unknown.emplace_back("links", reason(host.links.why_unknown));
  list_if_unknown(host, "driver", host.driver);
  list_if_unknown(host, "cuda", host.cuda);
  list_if_unknown(host, "memory", host.memory);
  list_if_unknown(host, "shared_memory", host.shared_memory);
  list_if_unknown(host, "locked_memory", host.locked_memory);
  list_if_unknown(host, "open_files", host.open_files);
  list_if_unknown(host, "cpus", host.cpu_count);
  list_if_unknown(host, "numa_nodes", host.numa_nodes);
  list_if_unknown(host, "container", host.container);
  list_if_unknown(host, "ports", host.used_ports);
}

}  // namespace sx
