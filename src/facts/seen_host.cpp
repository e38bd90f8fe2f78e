// Docker, compose and Kubernetes alike: only what their texts say differs.
#include "facts/seen_host.h"

#include <algorithm>

#include "base/strings.h"
#include "knowledge/constants.h"

namespace sx {
namespace {

constexpr Text kStartedElsewhere{"the container was started by another command",
                                 "容器是由另一条命令启动的"};
constexpr Text kNotSaid{"the container's own limit is not said here", "这里没有写明容器自己的限制"};
constexpr Text kNotInUnit{
    "the unit sets no limit of its own, and systemd's default is not known here",
    "单元文件没有写这个限制，而 systemd 的默认值在这里未知"};
constexpr Text kOtherShm{"/dev/shm is shared with another container", "/dev/shm 与另一个容器共用"};
constexpr Text kHeldByItself{"the process runs already and holds it itself",
                             "进程已在运行，由它自己占用"};
constexpr Text kCannotTell{"which GPUs the container gets cannot be told",
                           "无法确定容器分到哪些 GPU"};

// Rows and columns of the chosen GPUs.
std::vector<std::vector<std::string>> part_of(const std::vector<std::vector<std::string>>& matrix,
                                              const std::vector<std::size_t>& chosen) {
  std::vector<std::vector<std::string>> part;
  for (const std::size_t row : chosen) {
    if (row >= matrix.size()) return {};
    auto& cells = part.emplace_back();
    for (const std::size_t column : chosen) {
      if (column >= matrix[row].size()) return {};
      cells.push_back(matrix[row][column]);
    }
  }
  return part;
}

// Index of the GPU that an index or a UUID names.
std::optional<std::size_t> named(const HostSpec& host, std::string_view device) {
  if (const auto number = to_integer(device)) {
    const auto index = static_cast<std::size_t>(*number);
    return *number >= 0 && index < host.gpus.size() ? std::optional(index) : std::nullopt;
  }
  for (std::size_t i = 0; i < host.gpus.size(); ++i) {
    if (!host.gpus[i].uuid.empty() && lower(host.gpus[i].uuid).starts_with(lower(device))) return i;
  }
  return {};
}

void keep(HostSpec& host, const std::vector<std::size_t>& chosen, const std::optional<Span>& span) {
  std::vector<Gpu> gpus;
  for (const std::size_t i : chosen) {
    gpus.push_back(host.gpus[i]);
    gpus.back().index = static_cast<int>(gpus.size()) - 1;
  }
  host.gpus = std::move(gpus);
  host.links.classes = part_of(host.links.classes, chosen);
  host.links.p2p = part_of(host.links.p2p, chosen);
  host.gpu_count = {static_cast<int>(chosen.size()), Origin::Flag, span};
}

void hand_in_gpus(HostSpec& host, const Surroundings& around) {
  if (!host.gpu_count.known()) {
    // The line alone tells how many there are.
    if (around.gpu_count.known()) host.gpu_count = around.gpu_count;
    return;
  }
  if (!around.gpu_count.known() && !around.gpu_count.why_unknown().empty()) {
    host.gpu_count = Fact<int>::unknown(kCannotTell);
    return;
  }
  const int there = host.gpu_count.value();
  std::vector<std::size_t> chosen;
  if (around.gpu_devices.known()) {
    for (const std::string& device : around.gpu_devices.value()) {
      const auto index = named(host, device);
      if (!index) {
        // A UUID of a machine whose UUIDs are not known, a MIG slice: their number is all we know.
        const bool only_counted = !to_integer(device);
        if (only_counted) host.gpu_count = Fact<int>::unknown(kCannotTell);
        if (only_counted) return;
        continue;
      }
      if (std::ranges::find(chosen, *index) == chosen.end()) chosen.push_back(*index);
    }
    std::ranges::sort(chosen);  // inside they are numbered in bus order, whatever the list's order
    keep(host, chosen, around.gpu_devices.span());
  } else if (around.gpu_count.known() && around.gpu_count.value() < there) {
    for (int i = 0; i < around.gpu_count.value(); ++i)
      chosen.push_back(static_cast<std::size_t>(i));
    keep(host, chosen, around.gpu_count.span());
  } else if (around.gpu_count.known()) {
    host.gpu_count = {there, Origin::Flag, around.gpu_count.span()};
  }
}

void share_memory(HostSpec& host, const Surroundings& around) {
  if (around.host_ipc.known() && around.host_ipc.value()) return;  // the host's own
  host.shared_memory_free = {};
  if (around.shared_memory.known()) {
    host.shared_memory = around.shared_memory;
    return;
  }
  if (!around.shared_memory.why_unknown().empty()) {
    host.shared_memory = around.shared_memory;
    return;
  }
  if (!around.host_ipc.known() && !around.host_ipc.why_unknown().empty()) {
    host.shared_memory = Fact<Bytes>::unknown(kOtherShm);
    return;
  }
  const auto standard = constant({}, "container-shared-memory", {});
  host.shared_memory = standard ? Fact<Bytes>(mib(static_cast<std::int64_t>(standard->value)),
                                              Origin::Default, around.image.span())
                                : Fact<Bytes>::unknown(kNotSaid);
}

void limit(HostSpec& host, const Surroundings& around) {
  if (around.memory_limit.known()) host.memory_limit = around.memory_limit;
  host.locked_memory =
      around.locked_memory.known() ? around.locked_memory : Fact<Bytes>::unknown(kNotSaid);
  host.open_files = around.open_files.known() ? around.open_files : Fact<int>::unknown(kNotSaid);
}

// A process that runs already holds GPU memory and its port itself: they are not others' hold.
HostSpec seen_by_process(const HostSpec& whole, const Surroundings& around) {
  HostSpec host = whole;
  for (Gpu& gpu : host.gpus) gpu.used = Fact<Bytes>::unknown(kHeldByItself);
  host.used_ports = Fact<std::vector<UsedPort>>::unknown(kHeldByItself);
  host.shared_memory_free = {};
  if (around.locked_memory.known()) host.locked_memory = around.locked_memory;
  if (around.open_files.known()) host.open_files = around.open_files;
  return host;
}

// A unit gets what systemd gives it; the limits of the shell that asks are not its own.
HostSpec seen_by_unit(const HostSpec& whole, const Surroundings& around) {
  HostSpec host = whole;
  if (around.memory_limit.known()) host.memory_limit = around.memory_limit;
  host.locked_memory =
      around.locked_memory.known() ? around.locked_memory : Fact<Bytes>::unknown(kNotInUnit);
  host.open_files = around.open_files.known() ? around.open_files : Fact<int>::unknown(kNotInUnit);
  return host;
}

}  // namespace

bool sees_less(const Surroundings& around) {
  return around.contained() || around.kind == Surroundings::Kind::Process ||
         around.kind == Surroundings::Kind::Systemd;
}

HostSpec seen_host(const HostSpec& whole, const Surroundings& around) {
  if (!sees_less(around)) return whole;
  if (around.kind == Surroundings::Kind::Process) return seen_by_process(whole, around);
  if (around.kind == Surroundings::Kind::Systemd) return seen_by_unit(whole, around);
  HostSpec host = whole;
  host.container = {true, Origin::Flag, around.image.span()};
  if (around.joined) {
    host.shared_memory = Fact<Bytes>::unknown(kStartedElsewhere);
    host.shared_memory_free = {};
    host.locked_memory = Fact<Bytes>::unknown(kStartedElsewhere);
    host.open_files = Fact<int>::unknown(kStartedElsewhere);
    return host;
  }
  hand_in_gpus(host, around);
  share_memory(host, around);
  limit(host, around);
  return host;
}

}  // namespace sx
