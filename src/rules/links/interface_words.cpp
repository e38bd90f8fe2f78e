// Names of network interfaces in variables, compared with those of the machine.
#include "rules/links/interface_words.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{name}={value} names no interface of this machine ({there})",
                      "{name}={value} 不是这台机器的网络接口（现有：{there}）"};
constexpr Text kPrefix{"no interface begins so", "没有以此开头的接口"};
constexpr Text kExact{"no interface has this name", "没有叫这个名字的接口"};
constexpr Text kThereLabel{"interfaces of the machine", "机器上的网络接口"};
constexpr Text kThere{"interfaces: {there}", "网络接口：{there}"};
constexpr Text kFromMachine{"{name}={value} is set in the environment of the machine",
                            "机器的环境变量里设置了 {name}={value}"};
constexpr Text kBecause{
    "ranks find each other over one network interface before they exchange anything, also inside "
    "one "
    "machine; names differ from machine to machine",
    "各 rank 在交换数据之前先经一个网络接口互相联系，单机也是如此；接口名因机器而异"};
constexpr Text kUse{"over {interface}", "使用 {interface}"};
constexpr Text kDrop{"without {name}: the interface is picked by itself",
                     "去掉 {name}：自动选择接口"};
constexpr Text kNoFix{"set {name} to one of: {there}", "把 {name} 设为其中之一：{there}"};

constexpr std::size_t kMostShown = 6;

// Interfaces that reach nobody else.
bool inner(std::string_view name) {
  return name == "lo" || name.starts_with("docker") || name.starts_with("veth") ||
         name.starts_with("br-") || name.starts_with("virbr") || name.starts_with("cni") ||
         name.starts_with("flannel") || name.starts_with("cali");
}

}  // namespace

std::vector<std::string> outer_interfaces(const std::vector<std::string>& interfaces) {
  std::vector<std::string> outer;
  std::ranges::copy_if(interfaces, std::back_inserter(outer),
                       [](const std::string& name) { return !inner(name); });
  return outer;
}

std::string shown_interfaces(const std::vector<std::string>& interfaces) {
  std::vector<std::string> some(
      interfaces.begin(),
      interfaces.begin() + static_cast<std::ptrdiff_t>(std::min(interfaces.size(), kMostShown)));
  return join(some, ", ") + (interfaces.size() > kMostShown ? ", …" : "");
}

bool nccl_finds(std::string_view list, const std::vector<std::string>& interfaces) {
  list = trimmed(list);
  // What is left out leaves others.
  if (list.empty() || list.starts_with('^')) return true;
  const bool exact = list.starts_with('=');
  if (exact) list.remove_prefix(1);
  for (const std::string_view entry : split(list, ',')) {
    const std::string_view name = trimmed(entry).substr(0, trimmed(entry).find(':'));
    const bool found = std::ranges::any_of(interfaces, [&](const std::string& one) {
      return exact ? one == name : one.starts_with(name);
    });
    if (found) return true;
  }
  return false;
}

bool gloo_finds(std::string_view list, const std::vector<std::string>& interfaces) {
  list = trimmed(list);
  if (list.empty()) return true;
  const std::string_view first = trimmed(list.substr(0, list.find(',')));
  return std::ranges::find(interfaces, first) != interfaces.end();
}

Complaint no_such_interface(const Case& c, const LaunchVariable& variable, const Text& otherwise) {
  const auto& interfaces = c.host().state.interfaces;
  const Argument name("name", variable.name), value("value", variable.value);
  const Argument there("there", shown_interfaces(interfaces.value()));
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {name, value, there}};
  if (variable.span) {
    const bool begins = variable.name.starts_with("NCCL_") && !variable.value.starts_with('=');
    mark(d, *variable.span, begins ? kPrefix : kExact);
  } else {
    d.basis.push_back({kFromMachine, {name, value}});
  }
  show(d, interfaces, kThereLabel, {kThere, {there}});
  d.because = kBecause;
  d.otherwise = otherwise;
  d.subject = variable.name;
  d.no_fix = {kNoFix, {name, there}};
  const auto outer = outer_interfaces(interfaces.value());
  // With several, which one reaches the others cannot be known here.
  if (outer.size() == 1)
    complaint.proposals.push_back({{kUse, {{"interface", outer.front()}}},
                                   {set_environment(std::string(variable.name), outer.front())},
                                   Safety::ChangesBehaviour});
  if (variable.span)
    complaint.proposals.push_back({{kDrop, {name}},
                                   {remove_environment(std::string(variable.name))},
                                   Safety::ChangesBehaviour});
  return complaint;
}

}  // namespace sx::rules
