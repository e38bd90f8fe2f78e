// SX6101. The long explanation and the scenes are in tp_group_weak_links.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/free_memory.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "fit/groups.h"
#include "fit/links.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "GPUs {gpus} form a tensor group and are joined by {weak}; GPUs {better} are joined by "
    "{strong}",
    "GPU {gpus} 同属一个张量并行组，之间只有 {weak}；而 GPU {better} 之间是 {strong}"};
constexpr Text kOrder{"tensor groups in this order of GPUs: {groups}",
                      "按这个顺序，张量并行组为：{groups}"};
constexpr Text kFlag{"tensor groups of {size}: GPUs {groups}", "每组 {size} 张：GPU {groups}"};
constexpr Text kWeak{"{class}: {meaning}", "{class}：{meaning}"};
constexpr Text kBecause{
    "the ranks of a tensor group exchange results twice a layer, at the pace of the slowest link "
    "between any two of them",
    "张量并行组的各 rank 每层要交换两次结果，速度取决于其中任意两张之间最慢的链路"};
constexpr Text kNvlinkLeft{
    "it runs, but every token crosses the slow link: several times slower exchange than over "
    "NVLink, and no message says so",
    "可以运行，但每个 token 都要走慢链路：交换比走 NVLink 慢几倍，而且没有任何提示"};
constexpr Text kPcieLeft{
    "it runs, but each exchange takes longer than it must, most of all for long prompts, and no "
    "message says so",
    "可以运行，但每次交换都比本来更久，长提示词尤其明显，而且没有任何提示"};
constexpr Text kUse{"tensor groups of GPUs {groups}; the weakest link is then {strong}",
                    "张量并行组改为 GPU {groups}，最弱的链路变为 {strong}"};

constexpr Need kNeeds[] = {Need::HostLinks, Need::Layout, Need::VisibleDevices};

using Groups = std::vector<std::vector<int>>;

bool between_nodes(std::string_view link) {
  const LinkClass* known = find_link_class(link);
  return known != nullptr && known->way == LinkWay::Far;
}

Both meaning(std::string_view link) {
  const LinkClass* known = find_link_class(link);
  if (known == nullptr) return {"a class that is not known", "未知的类别"};
  return {std::string(known->meaning), std::string(known->meaning_chinese)};
}

// The GPUs of each tensor group as the launch stands: ranks are numbered over stages and replicas
// in the order of the GPUs.
Groups groups_of(const std::vector<int>& order, int size, int count) {
  Groups groups;
  for (int group = 0; group < count; ++group) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(group) * size;
    groups.emplace_back(begin, begin + size);
  }
  return groups;
}

std::string text_of(const Groups& groups) {
  std::vector<std::string> parts;
  for (const auto& group : groups) parts.push_back(join(group, ","));
  return join(parts, " | ");
}

// Transfers between all of them are known to work directly.
bool peers(const HostSpec& host, const std::vector<int>& gpus) {
  const auto& p2p = host.links.p2p;
  return std::ranges::all_of(gpus, [&](int a) {
    return std::ranges::all_of(gpus, [&](int b) {
      const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
      return a == b || (row < p2p.size() && column < p2p[row].size() && p2p[row][column] == "OK");
    });
  });
}

// How good a group's weakest link is. Kinds of PCIe paths inside a node count only where transfers
// go directly: through host memory, two GPUs of one switch may even be slower than two of different
// ones.
int quality(const HostSpec& host, const std::vector<int>& group) {
  const auto set = judge_gpus(host, group);
  if (!set) return 0;
  const int strength = link_strength(set->weakest).value_or(0);
  if (is_nvlink(set->weakest) || between_nodes(set->weakest) || peers(host, group)) return strength;
  return weakest_score(LinkWay::Root).value_or(0);
}

std::vector<int> qualities(const HostSpec& host, const Groups& groups) {
  std::vector<int> all;
  for (const auto& group : groups) all.push_back(quality(host, group));
  std::ranges::sort(all);
  return all;
}

// GPUs that may be put in place of the launch's: of the same kind, and not known to be in use.
std::vector<int> candidates(const Case& c, const std::vector<int>& order) {
  constexpr Bytes kIdle = gib(1);  // more is somebody's
  const HostSpec& host = c.host();
  const auto first = std::ranges::find(host.gpus, order.front(), &Gpu::index);
  if (first == host.gpus.end()) return {};
  const std::string kind = first->name.value_or("");
  std::vector<int> all;
  for (const Gpu& gpu : host.gpus) {
    const bool own = std::ranges::find(order, gpu.index) != order.end();
    if (gpu.name.value_or("") != kind) {
      if (own) return {};  // unlike cards in one launch: their order has other reasons
      continue;
    }
    if (own || gpu.used.value_or(Bytes{0}) <= kIdle) all.push_back(gpu.index);
  }
  return all;
}

struct Better {
  Groups now, then;
};

std::optional<Better> better_order(const Case& c) {
  const ServeSpec& serve = c.serve;
  const int size = serve.tensor_parallel.value();
  const bool one_machine =
      serve.node_count.value_or(1) <= 1 && serve.prefill_context_parallel.value_or(1) == 1;
  const auto wanted = serve.gpus_wanted();
  if (size < 2 || !one_machine || !wanted || *wanted % size != 0) return {};
  if (c.visible.gpus.size() < static_cast<std::size_t>(*wanted))
    return {};  // too few: another rule's
  const std::vector<int> order(c.visible.gpus.begin(), c.visible.gpus.begin() + *wanted);
  const int count = *wanted / size;
  const auto best = best_groups(c.host(), count, size, candidates(c, order));
  if (!best) return {};
  Better better{groups_of(order, size, count), *best};
  if (qualities(c.host(), better.then) <= qualities(c.host(), better.now)) return {};
  return better;
}

std::vector<int> worst_of(const HostSpec& host, const Groups& groups) {
  return *std::ranges::min_element(groups, {},
                                   [&host](const auto& group) { return quality(host, group); });
}

std::vector<int> flat(const Groups& groups) {
  std::vector<int> all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

std::vector<Complaint> check(const Case& c) {
  const auto better = better_order(c);
  if (!better) return {};
  const HostSpec& host = c.host();
  std::vector<int> worst = worst_of(host, better->now);
  const int quality_now = quality(host, worst);
  // A group that shows what is possible: new, and better than the worst one of now.
  const auto shown = std::ranges::find_if(better->then, [&](const auto& group) {
    const bool there = std::ranges::find(better->now, group) != better->now.end();
    return !there && quality(host, group) > quality_now;
  });
  if (shown == better->then.end()) return {};
  std::ranges::sort(worst);
  const std::string weak = judge_gpus(host, worst)->weakest,
                    strong = judge_gpus(host, *shown)->weakest;

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle,
             {{"gpus", join(worst, ",")},
              {"better", join(*shown, ",")},
              {"weak", weak},
              {"strong", strong}}};
  const Argument groups("groups", text_of(better->now));
  if (c.serve.visible_devices.span()) {
    mark(d, c.serve.visible_devices, {kOrder, {groups}});
    mark(d, c.serve.tensor_parallel, {});
  } else {
    mark(d, c.serve.tensor_parallel, {kFlag, {groups, {"size", c.serve.tensor_parallel.value()}}});
  }
  d.basis.push_back({kWeak, {{"class", weak}, {"meaning", meaning(weak)}}});
  d.basis.push_back({kWeak, {{"class", strong}, {"meaning", meaning(strong)}}});
  d.because = kBecause;
  d.otherwise = is_nvlink(strong) && !is_nvlink(weak) ? kNvlinkLeft : kPcieLeft;
  d.subject = "CUDA_VISIBLE_DEVICES";
  std::vector<Change> changes{
      set_environment("CUDA_VISIBLE_DEVICES", join(flat(better->then), ","))};
  if (c.visible.order_unsure) changes.push_back(set_environment("CUDA_DEVICE_ORDER", "PCI_BUS_ID"));
  const std::string weakest_then = judge_gpus(host, worst_of(host, better->then))->weakest;
  complaint.proposals.push_back(
      {{kUse, {{"groups", text_of(better->then)}, {"strong", weakest_then}}},
       std::move(changes),
       Safety::Safe});
  return {complaint};
}

}  // namespace

extern const Rule tp_group_weak_links{
    .code = "SX6101",
    .name = "tp-group-weak-links",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
