// Lines of the kernel's log that tell of GPUs, of PCIe and of processes killed for lack of memory;
// from dmesg or a journal, whatever stands in front.
#include <algorithm>

#include "base/strings.h"
#include "read/machine_text_parts.h"

namespace sx {
namespace {

constexpr std::size_t kMostEvents = 256;  // of unlike kinds; a storm is one kind
constexpr std::size_t kLongestMessage = 200;

bool digit(char c) { return c >= '0' && c <= '9'; }

// "[12345.678901] ", "[Tue Oct  1 13:00:00 2024] ", "Oct 01 13:00:00 host kernel: ",
// "4,1227,437812449932,-;": what a logger puts in front. Empty: the line has no such front.
std::string_view front_of(std::string_view line) {
  const auto kernel = line.find(" kernel: ");
  if (kernel != line.npos && kernel < 120) return line.substr(0, kernel + 9);
  if (line.starts_with("kernel: ")) return line.substr(0, 8);
  const auto raw = line.find(",-;");
  if (raw != line.npos && raw < 60 && digit(line.front())) return line.substr(0, raw + 3);
  if (!line.starts_with('[')) return {};
  const auto close = line.find("] ");
  if (close == line.npos || close > 40 || line.find_first_of("0123456789") > close) return {};
  return line.substr(0, close + 2);
}

std::string message_of(std::string_view line) {
  const std::string_view text = trimmed(line.substr(front_of(line).size()));
  return std::string(text.substr(0, kLongestMessage));
}

// Between two marks; empty when one is missing.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const auto at = text.find(begin);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + begin.size());
  const auto stop = rest.find(end);
  return stop == rest.npos ? std::string_view{} : rest.substr(0, stop);
}

// The number in front of a comma or the end: "79, pid=…".
std::optional<int> number_in_front(std::string_view text) {
  text = trimmed(text);
  const auto end = text.find_first_not_of("0123456789");
  const auto number = to_integer(text.substr(0, end));
  if (!number || *number > 1'000'000) return {};
  if (end != text.npos && text[end] != ',' && text[end] != ' ') return {};
  return static_cast<int>(*number);
}

// The first bus id of a line: "0000:3b:00.0", with marks around it.
std::string bus_id_in(std::string_view text) {
  for (std::string_view word : split(text, ' ')) {
    while (!word.empty() && (word.back() == ':' || word.back() == '.' || word.back() == ','))
      word.remove_suffix(1);
    if (word.starts_with("device=")) word.remove_prefix(7);
    if (word.starts_with('[')) word.remove_prefix(1);
    if (word.ends_with(']')) word.remove_suffix(1);
    // "Request device [3b:00.0]" leaves out the domain.
    if (is_bus_id(word)) return std::string(word);
    if (word.size() == 7 && is_bus_id("0000:" + std::string(word))) return std::string(word);
  }
  return {};
}

void keep(PastedParts& parts, KernelEvent event, const PastedLine& line) {
  auto& events = parts.state.kernel_events;
  if (!events.value) events = {std::vector<KernelEvent>{}, line.span};
  const auto same = std::ranges::find_if(*events.value, [&](const KernelEvent& other) {
    return other.kind == event.kind && other.code == event.code && other.pci == event.pci &&
           other.process == event.process && other.severe == event.severe;
  });
  if (same != events.value->end()) {
    same->times = std::min(same->times + 1, 1'000'000);
    return;
  }
  if (events.value->size() >= kMostEvents) return;
  event.text = message_of(line.text);
  event.span = line.span;
  events.value->push_back(std::move(event));
}

// "NVRM: Xid (PCI:0000:2a:00): 79, pid='<unknown>', name=<unknown>, …"; older ones have no "PCI:".
bool take_xid(std::string_view text, const PastedLine& line, PastedParts& parts) {
  const bool nvswitch = text.find("SXid (") != text.npos;
  const std::string_view mark = nvswitch ? "SXid (" : "Xid (";
  const auto at = text.find(mark);
  if (at == text.npos || (!nvswitch && text.find("NVRM") == text.npos)) return false;
  const std::string_view rest = text.substr(at + mark.size());
  const auto close = rest.find("): ");
  if (close == rest.npos || close > 40) return false;
  std::string_view pci = rest.substr(0, close);
  if (pci.starts_with("PCI:")) pci.remove_prefix(4);
  const auto code = number_in_front(rest.substr(close + 3));
  if (!code || pci.find_first_not_of("0123456789abcdefABCDEF:.") != pci.npos) return false;
  KernelEvent event{.kind = nvswitch ? KernelEvent::Kind::Sxid : KernelEvent::Kind::Xid,
                    .code = *code,
                    .pci = std::string(pci)};
  const std::string_view name = between(rest, "name=", ",");
  if (!name.starts_with('<')) event.process = std::string(name.substr(0, 60));
  event.severe = rest.find(", Fatal") != rest.npos || rest.find(" Fatal ") != rest.npos;
  keep(parts, std::move(event), line);
  return true;
}

// "NVRM: API mismatch: the client has the version 550.54.15, but" and, on the same line or the
// next, "this kernel module has the version 535.161.07."
bool take_mismatch(std::string_view text, const PastedLine& line, PastedParts& parts) {
  if (text.find("NVRM") == text.npos) return false;
  const auto version_behind = [&](std::string_view label) {
    std::string word = word_after(text, label);
    while (!word.empty() && (word.back() == '.' || word.back() == ',')) word.pop_back();
    return is_version(word) ? word : std::string();
  };
  const std::string library = version_behind("client has the version");
  const std::string module = version_behind("kernel module has the version");
  if (!library.empty()) tell(parts.state.driver_library, library, line);
  if (!module.empty()) tell(parts.state.driver_module, module, line);
  if (text.find("API mismatch") != text.npos)
    keep(parts, {.kind = KernelEvent::Kind::ApiMismatch}, line);
  return !library.empty() || !module.empty() || text.find("API mismatch") != text.npos;
}

bool take_bus(std::string_view text, const PastedLine& line, PastedParts& parts) {
  if (text.find("NVRM") != text.npos && text.find("fallen off the bus") != text.npos) {
    keep(parts, {.kind = KernelEvent::Kind::FellOffBus, .pci = bus_id_in(text)}, line);
    return true;
  }
  const bool aer = text.find("AER:") != text.npos && text.find("error") != text.npos;
  if (aer || text.find("PCIe Bus Error: severity=") != text.npos) {
    const bool severe = text.find("Uncorrect") != text.npos || text.find("Fatal") != text.npos;
    keep(parts, {.kind = KernelEvent::Kind::PcieError, .pci = bus_id_in(text), .severe = severe},
         line);
    return true;
  }
  const bool amd = text.find("AMD-Vi: ") != text.npos && text.find("IO_PAGE_FAULT") != text.npos;
  const bool intel = text.find("DMAR: [DMA") != text.npos && text.find("fault") != text.npos;
  if (!amd && !intel) return false;
  keep(parts, {.kind = KernelEvent::Kind::IommuFault, .pci = bus_id_in(text)}, line);
  return true;
}

// "Out of memory: Killed process 4242 (python3) total-vm:…", "Memory cgroup out of memory: Killed
// process …"; older kernels say "Kill process".
bool take_killed(std::string_view text, const PastedLine& line, PastedParts& parts) {
  if (text.find("ut of memory: Kill") == text.npos) return false;
  KernelEvent event{.kind = KernelEvent::Kind::OutOfMemory};
  event.process = std::string(between(text, "(", ")").substr(0, 60));
  event.severe = text.find("cgroup") != text.npos;
  keep(parts, std::move(event), line);
  return true;
}

}  // namespace

void KernelParser::take(const PastedLine& line, PastedParts& parts) {
  const std::string_view text = trimmed(line.text);
  const std::string_view message = trimmed(text.substr(front_of(text).size()));
  const bool of_driver =
      text.find("NVRM") != text.npos || text.find("nvidia-nvswitch") != text.npos;
  if (of_driver) {
    if (take_xid(message, line, parts) || take_mismatch(message, line, parts)) return;
  }
  if (take_bus(message, line, parts) || take_killed(message, line, parts)) return;
  // A log without any of these is an answer too: the cards' driver announces itself in it.
  auto& events = parts.state.kernel_events;
  const bool kernel = message.starts_with("NVRM: loading NVIDIA") ||
                      message.starts_with("nvidia-nvlink: Nvlink Core") ||
                      message.starts_with("Linux version ");
  if (kernel && !events.value) events = {std::vector<KernelEvent>{}, line.span};
  if (message.starts_with("Command line: "))
    tell(parts.state.kernel_command_line, std::string(message.substr(14)), line);
}

}  // namespace sx
