// What stands around the cards in a pasted text: `lscpu`, `numactl -H`, limits, memory, the fabric
// manager's service, network interfaces.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/strings.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

constexpr std::size_t kMostNodes = 64;
constexpr std::size_t kMostInterfaces = 256;
constexpr int kMostProcessors = 65536;

std::optional<int> small_number(std::string_view text, int most) {
  const auto number = to_integer(trimmed(text));
  if (!number || *number < 0 || *number > most) return {};
  return static_cast<int>(*number);
}

// Behind the colon of "Key:   value"; Chinese systems print a full-width one.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  if (!text.starts_with(key)) return {};
  std::string_view rest = trimmed(text.substr(key.size()));
  constexpr std::string_view kWide = "\uff1a";
  if (rest.starts_with(kWide)) return trimmed(rest.substr(kWide.size()));
  if (!rest.starts_with(':')) return {};
  // One report prints "Hypervisor vendor:: KVM".
  while (rest.starts_with(':')) rest.remove_prefix(1);
  return trimmed(rest);
}

// "0 1 2 3 8" as "0-3,8"; what is no number ends it.
std::string ranges_of(std::string_view list) {
  std::string text;
  int first = -1, last = -2;
  const auto close = [&] {
    if (first < 0) return;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last > first) text += '-' + std::to_string(last);
  };
  for (const std::string_view word : split(list, ' ')) {
    if (word.empty()) continue;
    const auto cpu = small_number(word, kMostProcessors);
    if (!cpu) break;
    if (*cpu != last + 1) {
      close();
      first = *cpu;
    }
    last = *cpu;
  }
  close();
  return text;
}

// "64M", "16G", "503Gi", "1.5T"; a bare number has no unit that can be known.
std::optional<Bytes> size_of(std::string_view word) {
  const auto end = word.find_first_not_of("0123456789.");
  if (end == word.npos || end == 0) return {};
  const auto number = to_number(word.substr(0, end));
  if (!number || *number < 0 || *number > 1e6) return {};
  switch (word[end]) {
    case 'K':
      return fraction_of(kib(1), *number);
    case 'M':
      return fraction_of(mib(1), *number);
    case 'G':
      return fraction_of(gib(1), *number);
    case 'T':
      return fraction_of(gib(1024), *number);
    default:
      return {};
  }
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

NumaNode* node_of(PastedParts& parts, std::string_view number, const PastedLine& line) {
  const auto node = small_number(number, 4096);
  if (!node) return nullptr;
  auto& all = parts.state.numa;
  if (!all.value) all = {std::vector<NumaNode>{}, line.span};
  const auto found = std::ranges::find(*all.value, *node, &NumaNode::node);
  if (found != all.value->end()) return &*found;
  if (all.value->size() >= kMostNodes) return nullptr;
  all.value->push_back({.node = *node});
  return &all.value->back();
}

}  // namespace

LineWords::LineWords(std::string_view text) {
  std::size_t at = 0;
  while (count_ < words_.size()) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) return;
    const std::size_t begin = at;
    while (at < text.size() && !is_blank(text[at])) ++at;
    words_[count_++] = text.substr(begin, at - begin);
  }
}

bool SystemParser::take_processors(const PastedLine& line, std::string_view text,
                                   PastedParts& parts) {
  const auto number = [&](std::string_view key, Told<int>& into, int most) {
    const auto value = value_of(text, key);
    if (!value) return false;
    if (const auto count = small_number(*value, most); count && *count > 0)
      tell(into, *count, line);
    return true;
  };
  const auto word = [&](std::string_view key, Told<std::string>& into) {
    const auto value = value_of(text, key);
    if (!value) return false;
    if (!value->empty()) tell(into, std::string(value->substr(0, 100)), line);
    return true;
  };
  if (number("Socket(s)", parts.state.sockets, 64) || number("座", parts.state.sockets, 64))
    return true;
  if (number("NUMA node(s)", parts.numa_nodes, 4096) || number("NUMA 节点", parts.numa_nodes, 4096))
    return true;
  if (number("CPU(s)", parts.cpu_count, kMostProcessors)) return true;
  if (word("Model name", parts.state.cpu_model) || word("型号名称", parts.state.cpu_model))
    return true;
  if (word("Hypervisor vendor", parts.state.hypervisor) ||
      word("超管理器厂商", parts.state.hypervisor))
    return true;
  // "NUMA node0 CPU(s):   0-31,64-95"
  constexpr std::string_view kNode = "NUMA node";
  const auto cpus = text.find(" CPU");
  if (!text.starts_with(kNode) || cpus == text.npos) return false;
  NumaNode* node = node_of(parts, text.substr(kNode.size(), cpus - kNode.size()), line);
  const auto list = value_of(text.substr(cpus + 1), "CPU(s)");
  if (node != nullptr && list && node->cpus.empty()) node->cpus = std::string(list->substr(0, 400));
  return true;
}

bool SystemParser::take_nodes(const PastedLine& line, std::string_view text, const LineWords& words,
                              PastedParts& parts) {
  if (words.size() < 2) return false;
  // "available: 2 nodes (0-1)"
  if (words[0] == "available:" && words.size() > 2 && words[2].starts_with("node")) {
    if (const auto count = small_number(words[1], 4096); count && *count > 0)
      tell(parts.numa_nodes, *count, line);
    return true;
  }
  if (words[0] == "node" && words[1].starts_with("distances")) {
    distances_ = true;
    return true;
  }
  const bool row = words[0].ends_with(':') && small_number(words[1], 255).has_value();
  if (words[0] != "node" && !row) distances_ = false;
  if (distances_ && row && parts.state.numa) {
    NumaNode* node = node_of(parts, words[0].substr(0, words[0].size() - 1), line);
    if (node == nullptr || !node->distances.empty()) return node != nullptr;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto distance = small_number(words[i], 255);
      if (!distance) break;
      node->distances.push_back(*distance);
    }
    return true;
  }
  if (words[0] != "node" || words.size() < 3 || !words[2].ends_with(':')) return false;
  NumaNode* node = node_of(parts, words[1], line);
  if (node == nullptr) return false;
  if (words[2] == "cpus:" && node->cpus.empty())
    node->cpus = ranges_of(text.substr(text.find("cpus:") + 5));
  if (words.size() < 5 || words[4] != "MB") return true;
  const auto size = to_integer(words[3]);
  if (!size || *size < 0 || *size > (1LL << 32)) return true;
  if (words[2] == "size:" && !node->memory) node->memory = mib(*size);
  if (words[2] == "free:" && !node->memory_free) node->memory_free = mib(*size);
  return true;
}

bool SystemParser::take_limits(const PastedLine& line, std::string_view text,
                               const LineWords& words, PastedParts& parts) {
  if (words.size() < 2) return false;
  // `ulimit -a`: "max locked memory  (kbytes, -l) 64"; /proc/PID/limits gives bytes.
  const bool locked =
      text.starts_with("max locked memory") || text.starts_with("Max locked memory");
  if (locked) {
    const bool process = text.starts_with("Max");
    const std::string_view word = process && words.size() > 3 ? words[3] : words.back();
    const auto number = to_integer(word);
    if (word == "unlimited") tell(parts.locked_memory, kUnlimited, line);
    if (number && *number >= 0 && *number < (1LL << 50))
      tell(parts.locked_memory, process ? Bytes{*number} : kib(*number), line);
    return true;
  }
  if (text.starts_with("open files") || text.starts_with("Max open files") ||
      text.starts_with("ulimit soft")) {
    const bool process = text.starts_with("Max") && words.size() > 3;
    if (const auto count = small_number(process ? words[3] : words.back(), 2'000'000'000);
        count && *count > 0)
      tell(parts.open_files, *count, line);
    return true;
  }
  for (const auto& [key, into] :
       {std::pair{"MemTotal:", &parts.memory}, std::pair{"MemAvailable:", &parts.memory_free}}) {
    if (words[0] != key || words.size() < 3 || words[2] != "kB") continue;
    const auto number = to_integer(words[1]);
    if (number && *number >= 0 && *number < (1LL << 50)) tell(*into, kib(*number), line);
    return true;
  }
  // `df -h /dev/shm`: "tmpfs  64M  0  64M  0% /dev/shm"
  if (words.size() >= 6 && words.back() == "/dev/shm" && words[4].ends_with('%')) {
    if (const auto size = size_of(words[1])) tell(parts.shared_memory, *size, line);
    if (const auto free = size_of(words[3])) tell(parts.shared_memory_free, *free, line);
    return true;
  }
  return false;
}

bool SystemParser::take_service(const PastedLine& line, std::string_view text,
                                const LineWords& words, PastedParts& parts) {
  constexpr std::string_view kName = "nvidia-fabricmanager";
  if (text.find(kName) != text.npos) {
    if (text.find("could not be found") != text.npos)
      tell(parts.state.fabric_manager, std::string("not installed"), line);
    fabric_manager_ = text.find(".service") != text.npos;
    return true;
  }
  if (fabric_manager_ && text.starts_with("Active: ")) {
    const std::string_view state = text.substr(8);
    const auto since = state.find(" since ");
    tell(parts.state.fabric_manager, std::string(state.substr(0, std::min(since, std::size_t{60}))),
         line);
    fabric_manager_ = false;
    return true;
  }
  if (text.starts_with("BOOT_IMAGE=")) {
    tell(parts.state.kernel_command_line, std::string(text.substr(0, 2000)), line);
    return true;
  }
  // /proc/driver/nvidia/version: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.07  Sat
  // …"
  if (text.starts_with("NVRM version:")) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = words[i];
      if (word.find('.') != word.npos && is_version(word)) {
        tell(parts.state.driver_module, std::string(word), line);
        break;
      }
    }
    return true;
  }
  if (const auto library = value_of(text, "NVML library version"); library) {
    const std::string version = first_word(*library);
    if (is_version(version)) tell(parts.state.driver_library, version, line);
    return true;
  }
  return false;
}

// `ip addr`, `ip -br addr`, `ifconfig`; RDMA devices of `ibstat` and `ibdev2netdev`.
bool SystemParser::take_network(const PastedLine& line, const LineWords& words,
                                PastedParts& parts) {
  const auto keep = [&](std::string_view name) {
    auto& all = parts.state.interfaces;
    name = name.substr(0, name.find('@'));
    if (name.empty() || name.size() > 15) return;  // what the kernel allows
    if (!all.value) all = {std::vector<std::string>{}, line.span};
    const bool told = std::ranges::find(*all.value, name) != all.value->end();
    if (!told && all.value->size() < kMostInterfaces) all.value->emplace_back(name);
  };
  if (words.size() < 2) return false;
  const bool numbered = words.size() > 2 && words[0].ends_with(':') && words[1].ends_with(':') &&
                        words[2].starts_with('<') &&
                        to_integer(words[0].substr(0, words[0].size() - 1)).has_value();
  if (numbered) {
    keep(words[1].substr(0, words[1].size() - 1));
    return true;
  }
  if (words[0].ends_with(':') && words[1].starts_with("flags=")) {
    keep(words[0].substr(0, words[0].size() - 1));
    return true;
  }
  if (words.size() > 2 && (words[1] == "UP" || words[1] == "DOWN" || words[1] == "UNKNOWN") &&
      (words[2].find('/') != words[2].npos || words[2].find(':') != words[2].npos)) {
    keep(words[0]);
    return true;
  }
  std::string_view device;
  if (words[0] == "CA" && words[1].size() > 2 && words[1].starts_with('\''))
    device = words[1].substr(1, words[1].find('\'', 1) - 1);
  if (words.size() > 3 && words[1] == "port" && words[3] == "==>") device = words[0];
  if (device.empty() || device.size() > 64 || parts.nics.size() >= kMostInterfaces) return false;
  if (std::ranges::find(parts.nics, device) == parts.nics.end()) parts.nics.emplace_back(device);
  return true;
}

void SystemParser::take(const PastedLine& line, PastedParts& parts) {
  const std::string_view text = trimmed(without_marks(line.text));
  if (text.empty()) return;
  if (take_processors(line, text, parts)) return;
  const LineWords words(text);
  if (take_nodes(line, text, words, parts) || take_limits(line, text, words, parts)) return;
  if (!take_service(line, text, words, parts)) take_network(line, words, parts);
}

}  // namespace sx
