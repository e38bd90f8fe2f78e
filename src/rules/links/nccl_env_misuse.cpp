// SX6107. The long explanation and the scenes are in nccl_env_misuse.md.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/launch_variables.h"
#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kWord{"NCCL reads {name}={value} as 0, so it changes nothing",
                     "NCCL 把 {name}={value} 当作 0，不起任何作用"};
constexpr Text kWordLabel{"not a number", "不是数字"};
constexpr Text kWordBecause{
    "NCCL takes a number here; a word such as true, yes or on counts as 0 without a warning",
    "NCCL 在这里要的是数字；true、yes、on 之类的词按 0 处理，也不会警告"};
constexpr Text kLevel{"NCCL does not know {name}={value} and ignores it",
                      "NCCL 不认识 {name}={value}，会直接忽略"};
constexpr Text kLevelLabel{"known: LOC, NVL, PIX, PXB, PHB, SYS, in capitals",
                           "可用：LOC、NVL、PIX、PXB、PHB、SYS，须大写"};
constexpr Text kLevelBecause{"the names of distances are compared letter by letter",
                             "距离名称按字母逐个比较"};
constexpr Text kSockets{"NCCL_SHM_DISABLE=1 and NCCL_P2P_DISABLE=1 leave only network sockets",
                        "NCCL_SHM_DISABLE=1 加 NCCL_P2P_DISABLE=1，只剩网络套接字可用"};
constexpr Text kSocketsLabel{"host memory is turned off too", "连经过内存的通路也关掉了"};
constexpr Text kSocketsBecause{
    "ranks of one machine reach each other directly or through host memory; with both off they use "
    "the network, even inside the machine",
    "同一台机器的 rank 之间，要么直连，要么经过内存；两者都关掉后，机器内部也走网络"};
constexpr Text kAsIfAbsent{"the engine runs as if it were not set, and no message says so",
                           "引擎照常运行，如同没有设置，也没有任何提示"};
constexpr Text kSlow{"it runs, with an exchange many times slower than the cards can",
                     "可以运行，但交换比显卡应有的速度慢许多倍"};
constexpr Text kFromMachine{"{name}={value} is set in the environment of the machine",
                            "机器的环境变量里设置了 {name}={value}"};
constexpr Text kMeant{"with {name}={value}, if that was meant",
                      "如果本意如此，设为 {name}={value}"};
constexpr Text kDrop{"without {name}, which is the same", "去掉 {name}，效果相同"};
constexpr Text kShared{"let host memory carry it: without NCCL_SHM_DISABLE",
                       "改由内存传输：去掉 NCCL_SHM_DISABLE"};
constexpr Text kUnset{"unset {name} where it is set, or give a value that NCCL knows",
                      "在设置处取消 {name}，或改成 NCCL 认识的值"};

constexpr Need kNeeds[] = {Need::Layout};

// Switches that are off unless a number says otherwise; with the others a word turns something off.
constexpr std::array<std::string_view, 3> kSwitches{"NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE",
                                                    "NCCL_IB_DISABLE"};

// A word that a person takes for "on".
bool affirmative(std::string_view value) {
  const std::string word = lower(trimmed(value));
  return word == "true" || word == "yes" || word == "on" || word == "enable" || word == "enabled";
}

bool known_level(std::string_view value) {
  constexpr std::array<std::string_view, 10> kLevels{"LOC", "NVL", "NVB", "C2C", "PIX",
                                                     "PXB", "P2C", "PXN", "PHB", "SYS"};
  return to_integer(value).has_value() || std::ranges::find(kLevels, value) != kLevels.end();
}

void place(Diagnostic& d, const LaunchVariable& variable, const Text& label) {
  if (variable.span) {
    mark(d, *variable.span, label);
  } else {
    d.basis.push_back({kFromMachine, {{"name", variable.name}, {"value", variable.value}}});
  }
}

Complaint start(const LaunchVariable& variable, Message title, const Text& label,
                const Text& because, const Text& otherwise) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = std::move(title);
  place(d, variable, label);
  d.because = because;
  d.otherwise = otherwise;
  d.subject = variable.name;
  d.no_fix = {kUnset, {{"name", variable.name}}};
  return complaint;
}

Complaint ignored_word(const LaunchVariable& variable) {
  const Argument name("name", variable.name);
  Complaint complaint = start(variable, {kWord, {name, {"value", variable.value}}}, kWordLabel,
                              kWordBecause, kAsIfAbsent);
  complaint.proposals.push_back({{kMeant, {name, {"value", "1"}}},
                                 {set_environment(variable.name, "1")},
                                 Safety::ChangesBehaviour});
  if (variable.span)
    complaint.proposals.push_back(
        {{kDrop, {name}}, {remove_environment(variable.name)}, Safety::Safe});
  return complaint;
}

Complaint ignored_level(const LaunchVariable& variable) {
  const Argument name("name", variable.name);
  Complaint complaint = start(variable, {kLevel, {name, {"value", variable.value}}}, kLevelLabel,
                              kLevelBecause, kAsIfAbsent);
  std::string upper(trimmed(variable.value));
  for (char& letter : upper) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  if (known_level(upper)) {
    complaint.proposals.push_back({{kMeant, {name, {"value", upper}}},
                                   {set_environment(variable.name, upper)},
                                   Safety::ChangesBehaviour});
  }
  if (variable.span)
    complaint.proposals.push_back(
        {{kDrop, {name}}, {remove_environment(variable.name)}, Safety::Safe});
  return complaint;
}

bool is_one(const std::optional<LaunchVariable>& variable) {
  return variable && to_integer(trimmed(variable->value)) == 1;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  if (c.serve.world_size().value_or(1) < 2) return complaints;
  for (const std::string_view name : kSwitches) {
    const auto variable = launch_variable(c, name);
    if (variable && affirmative(variable->value)) complaints.push_back(ignored_word(*variable));
  }
  const auto level = launch_variable(c, "NCCL_P2P_LEVEL");
  if (level && !trimmed(level->value).empty() && !known_level(trimmed(level->value)))
    complaints.push_back(ignored_level(*level));
  const auto shared = launch_variable(c, "NCCL_SHM_DISABLE");
  if (is_one(shared) && is_one(launch_variable(c, "NCCL_P2P_DISABLE"))) {
    Complaint complaint = start(*shared, kSockets, kSocketsLabel, kSocketsBecause, kSlow);
    if (shared->span)
      complaint.proposals.push_back(
          {kShared, {remove_environment("NCCL_SHM_DISABLE")}, Safety::Safe});
    complaints.push_back(std::move(complaint));
  }
  return complaints;
}

}  // namespace

extern const Rule nccl_env_misuse{
    .code = "SX6107",
    .name = "nccl-env-misuse",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
