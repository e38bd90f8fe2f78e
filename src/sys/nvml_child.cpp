// Asking NVML. Every symbol is looked up by name and may be missing: an old driver then leaves a
// value unknown.
#include "sys/nvml_child.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "sys/nvml_call.h"
#include "sys/nvml_condition.h"
#include "sys/nvml_words.h"

namespace sx {
namespace {

using Device = void*;

constexpr std::size_t kTextBuffer = 256;  // twice what any NVML string may have
constexpr std::size_t kCpuWords = 64;     // 4096 CPUs
constexpr std::size_t kNodeWords = 16;    // 1024 NUMA nodes
constexpr unsigned kMostNvLinks = 36;     // ports of the newest generation

// nvmlPciInfo_t of version 3; earlier versions end before `bus_id` and have only the short one.
struct PciInfo {
  char short_bus_id[16];
  unsigned domain, bus, device, ids, subsystem;
  char bus_id[32];
  char room[128];
};
struct MemoryOne {
  unsigned long long total, free, used;
};
struct MemoryTwo {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
constexpr unsigned kMemoryTwoVersion = 0x02000028;  // its size and its number, as NVML wants it

// Terminated or not, of any bytes: what can be shown of a buffer.
std::string shown(const char* buffer, std::size_t size) {
  std::string text(buffer, ::strnlen(buffer, size));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

class Teller {
 public:
  Teller(void* library, int to) : library_(library), to_(to) {}

  // The first of the names that the library has, called.
  template <class... Arguments>
  int call(std::initializer_list<const char*> names, Arguments... arguments) {
    return nvml_call(library_, names, arguments...);
  }

  void say(std::string_view line) {
    const std::string text = std::string(line) + '\n';
    std::string_view rest = text;
    while (!rest.empty()) {
      const ssize_t count = ::write(to_, rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) ::_exit(1);  // the parent has gone
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void tell(std::string_view key, std::size_t gpu, const std::string& value) {
    say(std::string(key) + '\t' + std::to_string(gpu) + '\t' + value);
  }

  void say(std::string_view key, const Both& words) {
    say(std::string(key) + '\t' + words.english + '\t' + words.chinese);
  }
  void cannot_tell(const Both& what, int code) {
    const Both why = nvml_words(code);
    say("unknown", {what.english + ": " + why.english, what.chinese + "：" + why.chinese});
  }

  bool start();
  void tell_all();

 private:
  std::size_t tell_count();
  void tell_gpu(std::size_t gpu);
  void tell_identity(std::size_t gpu, Device device);
  void tell_memory(std::size_t gpu, Device device);
  void tell_modes(std::size_t gpu, Device device);
  void tell_affinity(std::size_t gpu, Device device);
  void find_nvlinks(std::size_t gpu);
  void tell_pair(std::size_t a, std::size_t b);

  void* library_;
  int to_;
  std::vector<Device> devices_;  // null: could not be opened
  std::vector<std::string> bus_ids_;
  std::vector<std::vector<int>> nvlinks_;  // from GPU to GPU
  std::vector<int> switch_links_;          // from GPU to a switch
};

bool Teller::start() {
  say("asking", {"initialisation", "初始化"});
  const int code = call({"nvmlInit_v2", "nvmlInit"});
  if (code == 0) return true;
  say("refused\t" + std::to_string(code));
  return false;
}

std::size_t Teller::tell_count() {
  say("asking", {"the number of GPUs", "GPU 数量"});
  std::array<char, kTextBuffer> driver{};
  if (call({"nvmlSystemGetDriverVersion"}, driver.data(), 80U) == 0)
    say("driver\t" + shown(driver.data(), 80));
  int cuda = 0;
  const int known =
      call({"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"}, &cuda);
  if (known == 0 && cuda > 0)
    say("cuda\t" + std::to_string(cuda / 1000) + '.' + std::to_string(cuda % 1000 / 10));
  unsigned count = 0;
  const int code = call({"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}, &count);
  if (code != 0) {
    cannot_tell({"the number of GPUs", "GPU 数量"}, code);
    return 0;
  }
  say("count\t" + std::to_string(count));
  if (count > kMostNvmlGpus) {
    const std::string all = std::to_string(count);
    const std::string asked = std::to_string(kMostNvmlGpus);
    say("unknown", {"the driver tells of " + all + " GPUs; the first " + asked + " were asked",
                    "驱动报告 " + all + " 张 GPU；只询问了前 " + asked + " 张"});
  }
  return std::min<std::size_t>(count, kMostNvmlGpus);
}

void Teller::tell_identity(std::size_t gpu, Device device) {
  std::array<char, kTextBuffer> text{};
  if (call({"nvmlDeviceGetName"}, device, text.data(), 96U) == 0)
    tell("name", gpu, shown(text.data(), 96));
  text.fill(0);
  if (call({"nvmlDeviceGetUUID"}, device, text.data(), 96U) == 0)
    tell("uuid", gpu, shown(text.data(), 96));
  PciInfo pci{};
  if (call({"nvmlDeviceGetPciInfo_v3"}, device, &pci) == 0) {
    bus_ids_[gpu] = shown(pci.bus_id, sizeof pci.bus_id);
  } else if (call({"nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo"}, device, &pci) == 0) {
    bus_ids_[gpu] = shown(pci.short_bus_id, sizeof pci.short_bus_id);
  }
  if (!bus_ids_[gpu].empty()) tell("pci", gpu, bus_ids_[gpu]);
  int major = 0;
  int minor = 0;
  if (call({"nvmlDeviceGetCudaComputeCapability"}, device, &major, &minor) == 0) {
    tell("major", gpu, std::to_string(major));
    tell("minor", gpu, std::to_string(minor));
  }
}

void Teller::tell_memory(std::size_t gpu, Device device) {
  const std::string name = "GPU " + std::to_string(gpu);
  say("asking", {"memory of " + name, name + " 的显存"});
  MemoryTwo two{};
  two.version = kMemoryTwoVersion;
  if (call({"nvmlDeviceGetMemoryInfo_v2"}, device, &two) == 0) {
    tell("total", gpu, std::to_string(two.total));
    tell("used", gpu, std::to_string(two.used));
    tell("free", gpu, std::to_string(two.free));
    return;
  }
  MemoryOne one{};
  const int code = call({"nvmlDeviceGetMemoryInfo"}, device, &one);
  if (code == 0) {
    tell("total", gpu, std::to_string(one.total));
    tell("used", gpu, std::to_string(one.used));
    tell("free", gpu, std::to_string(one.free));
    return;
  }
  cannot_tell({"memory of " + name, name + " 的显存"}, code);
}

void Teller::tell_modes(std::size_t gpu, Device device) {
  const std::string name = "GPU " + std::to_string(gpu);
  say("asking", {"modes of " + name, name + " 的工作模式"});
  unsigned now = 0;
  unsigned pending = 0;
  if (call({"nvmlDeviceGetMigMode"}, device, &now, &pending) == 0)
    tell("mig", gpu, now == 0 ? "0" : "1");
  if (call({"nvmlDeviceGetEccMode"}, device, &now, &pending) == 0)
    tell("ecc", gpu, now == 0 ? "0" : "1");
  if (call({"nvmlDeviceGetPersistenceMode"}, device, &now) == 0)
    tell("persistence", gpu, now == 0 ? "0" : "1");
  if (call({"nvmlDeviceGetComputeMode"}, device, &now) == 0)
    tell("compute", gpu, std::to_string(now));
  const int code =
      call({"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"}, device, &now);
  if (code == 0) tell("milliwatts", gpu, std::to_string(now));
}

// Bits of a set as "0-31,64-95".
std::string ranges_of(const unsigned long* words, std::size_t count) {
  std::string text;
  const std::size_t bits = count * 64;
  const auto set = [&](std::size_t bit) { return (words[bit / 64] >> (bit % 64) & 1UL) != 0; };
  for (std::size_t bit = 0; bit < bits; ++bit) {
    if (!set(bit)) continue;
    std::size_t last = bit;
    while (last + 1 < bits && set(last + 1)) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(bit);
    if (last > bit) text += '-' + std::to_string(last);
    bit = last;
  }
  return text;
}

void Teller::tell_affinity(std::size_t gpu, Device device) {
  std::array<unsigned long, kCpuWords> cpus{};
  if (call({"nvmlDeviceGetCpuAffinity"}, device, static_cast<unsigned>(kCpuWords), cpus.data()) ==
      0) {
    tell("cpus", gpu, ranges_of(cpus.data(), cpus.size()));
  }
  std::array<unsigned long, kNodeWords> nodes{};
  const unsigned scope = 0;  // the nodes next to the GPU, not its whole socket
  const int code = call({"nvmlDeviceGetMemoryAffinity"}, device, static_cast<unsigned>(kNodeWords),
                        nodes.data(), scope);
  const std::string list = ranges_of(nodes.data(), nodes.size());
  if (code == 0 && !list.empty()) tell("numa", gpu, list.substr(0, list.find_first_of(",-")));
}

void Teller::tell_gpu(std::size_t gpu) {
  const std::string name = "GPU " + std::to_string(gpu);
  say("asking", {name, name});
  Device device = nullptr;
  const int code = call({"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"},
                        static_cast<unsigned>(gpu), &device);
  if (code != 0) {
    cannot_tell({name, name}, code);
    return;
  }
  devices_[gpu] = device;
  tell_identity(gpu, device);
  tell_memory(gpu, device);
  tell_modes(gpu, device);
  tell_affinity(gpu, device);
  say("asking", {"the condition of " + name, name + " 的运行状态"});
  tell_nvml_condition(library_, device, [&](std::string_view key, const std::string& value) {
    tell(key, gpu, value);
  });
}

void Teller::find_nvlinks(std::size_t gpu) {
  const std::string name = "GPU " + std::to_string(gpu);
  say("asking", {"NVLink of " + name, name + " 的 NVLink"});
  int links = 0;
  int up = 0;
  for (unsigned link = 0; link < kMostNvLinks; ++link) {
    unsigned active = 0;
    if (call({"nvmlDeviceGetNvLinkState"}, devices_[gpu], link, &active) != 0) break;
    ++links;
    if (active == 0) continue;
    ++up;
    PciInfo remote{};
    std::string bus_id;
    if (call({"nvmlDeviceGetNvLinkRemotePciInfo_v2"}, devices_[gpu], link, &remote) == 0) {
      bus_id = shown(remote.bus_id, sizeof remote.bus_id);
    } else if (call({"nvmlDeviceGetNvLinkRemotePciInfo"}, devices_[gpu], link, &remote) == 0) {
      bus_id = shown(remote.short_bus_id, sizeof remote.short_bus_id);
    }
    const auto other = std::ranges::find(bus_ids_, bus_id);
    if (!bus_id.empty() && other != bus_ids_.end()) {
      ++nvlinks_[gpu][static_cast<std::size_t>(other - bus_ids_.begin())];
    } else if (!bus_id.empty()) {
      ++switch_links_[gpu];
    }
  }
  if (links == 0) return;
  tell("nvlinks", gpu, std::to_string(links));
  tell("nvlinks-up", gpu, std::to_string(up));
}

std::string_view class_of(int level) {
  switch (level) {
    case 0:
    case 10:
      return "PIX";
    case 20:
      return "PXB";
    case 30:
      return "PHB";
    case 40:
      return "NODE";
    case 50:
      return "SYS";
    default:
      return "";
  }
}

std::string_view status_of(int status) {
  constexpr std::array<std::string_view, 7> kStatuses{"OK", "CNS", "GNS", "TNS", "DR", "NS", "U"};
  if (status < 0 || static_cast<std::size_t>(status) >= kStatuses.size()) return "U";
  return kStatuses[static_cast<std::size_t>(status)];
}

void Teller::tell_pair(std::size_t a, std::size_t b) {
  const std::string pair = std::to_string(a) + '\t' + std::to_string(b) + '\t';
  const int links = std::max(nvlinks_[a][b], std::min(switch_links_[a], switch_links_[b]));
  int level = -1;
  if (links > 0) {
    say("link\t" + pair + "NV" + std::to_string(links));
  } else if (call({"nvmlDeviceGetTopologyCommonAncestor"}, devices_[a], devices_[b], &level) == 0 &&
             !class_of(level).empty()) {
    say("link\t" + pair + std::string(class_of(level)));
  }
  int read = 0;
  int write = 0;
  const int reading = 0;
  const int writing = 1;
  if (call({"nvmlDeviceGetP2PStatus"}, devices_[a], devices_[b], reading, &read) != 0) return;
  const bool both =
      read == 0 && call({"nvmlDeviceGetP2PStatus"}, devices_[a], devices_[b], writing, &write) == 0;
  say("p2p\t" + pair + std::string(status_of(both ? write : read)));
}

void Teller::tell_all() {
  const std::size_t count = tell_count();
  devices_.assign(count, nullptr);
  bus_ids_.assign(count, "");
  nvlinks_.assign(count, std::vector<int>(count, 0));
  switch_links_.assign(count, 0);
  for (std::size_t gpu = 0; gpu < count; ++gpu) tell_gpu(gpu);
  for (std::size_t gpu = 0; gpu < count; ++gpu) {
    if (devices_[gpu] != nullptr) find_nvlinks(gpu);
  }
  for (std::size_t a = 0; a < count; ++a) {
    const std::string name = "GPU " + std::to_string(a);
    say("asking", {"links of " + name, name + " 的链路"});
    for (std::size_t b = 0; b < count; ++b) {
      if (a != b && devices_[a] != nullptr && devices_[b] != nullptr) tell_pair(a, b);
    }
  }
  say("done");
}

}  // namespace

void tell_nvml(const std::string& library, int to) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  Teller teller(handle, to);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    teller.say("absent\t" + (why != nullptr ? shown(why, 300) : std::string()));
    return;
  }
  if (teller.start()) teller.tell_all();
}

}  // namespace sx
