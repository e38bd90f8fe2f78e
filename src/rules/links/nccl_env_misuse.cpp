// SX6107. The long explanation and the scenes are in nccl_env_misuse.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/launch_variables.h"
#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/library_variables.h"

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
                     "可以运行，但交换比 GPU 应有的速度慢许多倍"};
constexpr Text kFromMachine{"{name}={value} is set in the environment of the machine",
                            "机器的环境变量里设置了 {name}={value}"};
constexpr Text kMeant{"with {name}={value}, if that was meant",
                      "如果本意如此，设为 {name}={value}"};
constexpr Text kDrop{"without {name}, which is the same", "去掉 {name}，效果相同"};
constexpr Text kWithout{"without {name}: NCCL chooses", "去掉 {name}，由 NCCL 自行选择"};
constexpr Text kShared{"let host memory carry it: without NCCL_SHM_DISABLE",
                       "改由内存传输：去掉 NCCL_SHM_DISABLE"};
constexpr Text kUnset{"unset {name} where it is set, or give a value that NCCL knows",
                      "在设置处取消 {name}，或改成 NCCL 认识的值"};

constexpr Text kWords{"NCCL does not know {word} in {name}={value}",
                      "NCCL 不认识 {name}={value} 里的 {word}"};
constexpr Text kWordsLabel{"known: {words}", "可用：{words}"};
constexpr Text kWordsBecause{"the value is a word, or a list of words, out of a fixed set",
                             "取值是一组固定单词中的一个或几个"};
constexpr Text kWordsThen{
    "newer NCCL ends the launch at its first communicator over such a word; older ones pass it "
    "over",
    "较新的 NCCL 会在建立第一个通信器时报错退出；较旧的会忽略它"};
constexpr Text kNames{"{name}={value} names no interface: {part}",
                      "{name}={value} 里的 {part} 不是网卡名"};
constexpr Text kNamesLabel{"names of interfaces, with commas and no blanks",
                           "网卡名，用逗号分隔，不留空格"};
constexpr Text kNamesBecause{
    "the list holds beginnings of names; ^ (not these) or = (exactly these) stands once, in front "
    "of the whole list",
    "列表里是网卡名的开头；^（排除）或 =（精确匹配）只在整个列表最前面写一次"};
constexpr Text kNamesThen{
    "no interface fits that part: the ranks take another one, or end with \"no socket interface "
    "found\"",
    "没有网卡符合这一部分：各 rank 会改用别的网卡，或以“no socket interface found”退出"};

constexpr Need kNeeds[] = {Need::ParallelSizes};

// A word that a person takes for "on".
bool affirmative(std::string_view value) {
  const std::string word = lower(trimmed(value));
  return word == "true" || word == "yes" || word == "on" || word == "enable" || word == "enabled";
}

bool known_level(const LibraryVariable& row, std::string_view value) {
  return to_integer(value).has_value() || std::ranges::find(row.words, value) != row.words.end();
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
  if (const auto* row = find_library_variable(variable.name)) d.subject = row->name;
  d.no_fix = {kUnset, {{"name", variable.name}}};
  return complaint;
}

Complaint ignored_word(const LaunchVariable& variable) {
  const Argument name("name", variable.name);
  Complaint complaint = start(variable, {kWord, {name, {"value", variable.value}}}, kWordLabel,
                              kWordBecause, kAsIfAbsent);
  complaint.proposals.push_back({{kMeant, {name, {"value", "1"}}},
                                 {set_environment(std::string(variable.name), "1")},
                                 Safety::ChangesBehaviour});
  if (variable.span)
    complaint.proposals.push_back(
        {{kDrop, {name}}, {remove_environment(std::string(variable.name))}, Safety::Safe});
  return complaint;
}

Complaint ignored_level(const LibraryVariable& row, const LaunchVariable& variable) {
  const Argument name("name", variable.name);
  Complaint complaint = start(variable, {kLevel, {name, {"value", variable.value}}}, kLevelLabel,
                              kLevelBecause, kAsIfAbsent);
  std::string upper(trimmed(variable.value));
  for (char& letter : upper) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  if (known_level(row, upper)) {
    complaint.proposals.push_back({{kMeant, {name, {"value", upper}}},
                                   {set_environment(std::string(variable.name), upper)},
                                   Safety::ChangesBehaviour});
  }
  if (variable.span)
    complaint.proposals.push_back(
        {{kDrop, {name}}, {remove_environment(std::string(variable.name))}, Safety::Safe});
  return complaint;
}

// "allreduce:tree,ring;broadcast:ring", "^LL128": the words alone.
std::vector<std::string_view> words_of(std::string_view value) {
  std::vector<std::string_view> words;
  for (std::string_view part : split(value, ';')) {
    if (const auto colon = part.find(':'); colon != std::string_view::npos)
      part.remove_prefix(colon + 1);
    for (std::string_view word : split(part, ',')) {
      word = trimmed(word);
      if (word.starts_with('^')) word.remove_prefix(1);
      if (!word.empty()) words.push_back(word);
    }
  }
  return words;
}

std::optional<Complaint> unknown_word(const LibraryVariable& row, const LaunchVariable& variable) {
  for (const std::string_view word : words_of(variable.value)) {
    const bool known = std::ranges::any_of(
        row.words, [word](std::string_view other) { return lower(other) == lower(word); });
    if (known) continue;
    std::vector<std::string> words(row.words.begin(), row.words.end());
    const Argument name("name", variable.name);
    Complaint complaint =
        start(variable, {kWords, {{"word", word}, name, {"value", variable.value}}}, kWordLabel,
              kWordsBecause, row.type == "words_any_case" ? kAsIfAbsent : kWordsThen);
    Diagnostic& d = complaint.diagnostic;
    if (!d.labels.empty()) d.labels.front().text = {kWordsLabel, {{"words", join(words, ", ")}}};
    const auto near = closest(word, row.words, 1);
    if (!near.empty() && variable.span) {
      const std::string better = replaced(variable.value, word, near.front());
      complaint.proposals.push_back({{kMeant, {name, {"value", better}}},
                                     {set_environment(std::string(variable.name), better)},
                                     Safety::ChangesBehaviour});
    }
    if (variable.span)
      complaint.proposals.push_back({{kWithout, {name}},
                                     {remove_environment(std::string(variable.name))},
                                     Safety::ChangesBehaviour});
    return complaint;
  }
  return {};
}

// A part of the list that can be no name of an interface, and the list without the slip.
std::optional<Complaint> odd_interfaces(const LaunchVariable& variable) {
  std::string odd, better;
  std::string_view list = variable.value;
  for (std::string_view part : split(list, ',')) {
    const bool blank = part != trimmed(part) && !part.empty();
    std::string_view word = trimmed(part);
    const bool sign = !better.empty() && (word.starts_with('^') || word.starts_with('='));
    const bool address = word.contains('/') || std::ranges::count(word, '.') == 3;
    if (odd.empty() && (blank || sign || address)) odd = word;
    if (sign) word.remove_prefix(1);
    if (!address && !word.empty()) better += (better.empty() ? "" : ",") + std::string(word);
  }
  if (odd.empty()) return {};
  const Argument name("name", variable.name);
  Complaint complaint = start(variable, {kNames, {name, {"value", variable.value}, {"part", odd}}},
                              kNamesLabel, kNamesBecause, kNamesThen);
  if (!better.empty() && variable.span)
    complaint.proposals.push_back({{kMeant, {name, {"value", better}}},
                                   {set_environment(std::string(variable.name), better)},
                                   Safety::ChangesBehaviour});
  return complaint;
}

std::optional<Complaint> about(const LibraryVariable& row, const LaunchVariable& variable) {
  const std::string_view value = trimmed(variable.value);
  if (value.empty()) return {};
  if (row.type == "number" && affirmative(value)) return ignored_word(variable);
  if (row.type == "level" && !known_level(row, value)) return ignored_level(row, variable);
  if (row.type == "words" || row.type == "words_any_case" || row.type == "words_list" ||
      row.type == "algorithms")
    return unknown_word(row, variable);
  return row.type == "interfaces" ? odd_interfaces(variable) : std::nullopt;
}

bool is_one(const std::optional<LaunchVariable>& variable) {
  return variable && to_integer(trimmed(variable->value)) == 1;
}

// Most launches set none of them.
bool mentions_nccl(const Case& c) {
  const auto is_one_of_them = [](std::string_view name) { return name.starts_with("NCCL_"); };
  return std::ranges::any_of(c.command.environment, is_one_of_them, &Setting::name) ||
         std::ranges::any_of(c.host().environment,
                             [&](const auto& pair) { return is_one_of_them(pair.first); });
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  if (c.serve.world_size().value_or(1) < 2 || !mentions_nccl(c)) return complaints;
  for (const LibraryVariable& row : library_variables()) {
    if (row.library != "nccl") continue;
    const auto variable = launch_variable(c, row.name);
    if (!variable) continue;
    if (auto complaint = about(row, *variable)) complaints.push_back(*std::move(complaint));
  }
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
