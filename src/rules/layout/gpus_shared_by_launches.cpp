// SX2125. The long explanation and the scenes are in gpus_shared_by_launches.md.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "rules/layout/shared_cards.h"
#include "rules/serving/side_by_side.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "GPU {gpus}: also taken by the launch in line {line}; together they ask for {share}% of it",
    "GPU {gpus} 与第 {line} 行的启动命令共用，两者合计要占它的 {share}%"};
constexpr Text kTakes{"takes GPU {gpus}", "占用 GPU {gpus}"};
constexpr Text kFirst{"takes GPU {gpus} first", "先占用 GPU {gpus}"};
constexpr Text kBecause{
    "each launch takes its share of the whole card, whatever another one holds; without a mask all "
    "of them begin with GPU 0",
    "每个启动命令都按整张卡的比例占用显存，不管别人占了多少；没有设置可见设备时都从 GPU 0 开始"};
constexpr Text kOtherwise{
    "whichever comes second ends while it starts: \"Free memory on device … is less than "
    "desired\", "
    "or out of memory while it loads",
    "后启动的在启动阶段退出：“Free memory on device … is less than desired”，或者加载时显存不足"};
constexpr Text kMixedBecause{
    "each launch takes memory of its cards as if it were alone there; without a mask all of them "
    "begin with GPU 0",
    "每个启动命令都当作独占显卡来占用显存；没有设置可见设备时都从 GPU 0 开始"};
constexpr Text kMixedOtherwise{
    "whichever comes second finds too little free: it ends while it starts, out of memory, or has "
    "no room for its cache",
    "后启动的发现空闲显存不够：启动阶段因显存不足退出，或者没有地方放缓存"};
constexpr Text kMixedShare{
    "the cards are not enough for both: a smaller share for one of them (vLLM: "
    "--gpu-memory-utilization, SGLang: --mem-fraction-static), a shorter context, or other cards",
    "卡不够两个服务分开用：减小其中一个的显存占比（vLLM：--gpu-memory-utilization，"
    "SGLang：--mem-fraction-static）、缩短上下文，或换别的卡"};
constexpr Text kOthers{"give this launch GPUs of its own: {gpus}", "让这个服务单独使用 GPU {gpus}"};
constexpr Text kShare{
    "the cards are not enough for both: let the fractions of both add up to less than 1, such as "
    "--gpu-memory-utilization 0.45 each",
    "卡不够两个服务分开用：让两者的显存占比之和小于 1，例如各自 --gpu-memory-utilization 0.45"};

// Empty: not known.
std::set<int> gpus_of(const Case& c) {
  const auto taken = machine_gpus_of(c);
  return {taken.begin(), taken.end()};
}

std::vector<int> common(const std::set<int>& a, const std::set<int>& b) {
  std::vector<int> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

// Services of a compose file run together unless profiles choose among them; pods and units have
// managers of their own.
bool together(const Case& c, const Case& first) {
  using Kind = Surroundings::Kind;
  if (first.command.source != c.command.source || c.command.source < 0) return false;
  if (c.around.kind != first.around.kind || c.around.joined || first.around.joined) return false;
  if (c.around.kind == Kind::Compose)
    return !c.sources->at(c.command.source).text.contains("profiles:");
  if (c.around.kind != Kind::Bare && c.around.kind != Kind::Docker) return false;
  return in_background(first.command) && !ended_between(c, first.command, c.command);
}

// As many cards as the launch takes that no launch of the file has.
std::vector<int> cards_of_its_own(const Case& c, std::size_t wanted) {
  std::set<int> taken;
  for (const Case& other : *c.all_launches) {
    if (other.launch != c.launch) taken.merge(gpus_of(other));
  }
  std::vector<int> own;
  for (int gpu = 0; gpu < c.machine().gpu_count.value_or(0) && own.size() < wanted; ++gpu) {
    if (!taken.contains(gpu)) own.push_back(gpu);
  }
  return own.size() == wanted ? own : std::vector<int>{};
}

void propose(const Case& c, Complaint& complaint, std::size_t wanted) {
  const auto own = cards_of_its_own(c, wanted);
  if (own.empty() || c.around.kind != Surroundings::Kind::Bare || c.serve.first_gpu.asked()) return;
  complaint.proposals.push_back({{kOthers, {{"gpus", join(own)}}},
                                 {set_environment("CUDA_VISIBLE_DEVICES", join(own, ","))}});
}

void mark_launch(Diagnostic& d, const Case& c, const Text& text, const std::string& gpus) {
  const Message label{text, {{"gpus", gpus}}};
  if (c.serve.visible_devices.span()) return mark(d, *c.serve.visible_devices.span(), label);
  if (c.serve.first_gpu.asked()) return mark(d, c.serve.first_gpu, label);
  const Span& program = c.command.words.front().span;
  if (program.source >= 0 && program.begin < program.end) return mark(d, program, label);
  // The image's own program stands nowhere.
  if (c.around.gpu_devices.span()) return mark(d, *c.around.gpu_devices.span(), label);
  mark(d, c.around.name_span, label);
}

bool both_vllm(const Case& c, const Case& first) {
  return c.serve.engine == "vllm" && first.serve.engine == "vllm";
}

void say(const Case& c, const Case& first, const std::vector<int>& both, double asked,
         Diagnostic& d) {
  d.title = {kTitle,
             {{"gpus", join(both)},
              {"line", first.command.line},
              {"share", std::int64_t{std::llround(asked * 100)}}}};
  const auto own = gpus_of(c), theirs = gpus_of(first);
  mark_launch(d, c, kTakes, join(std::vector<int>(own.begin(), own.end())));
  mark_launch(d, first, kFirst, join(std::vector<int>(theirs.begin(), theirs.end())));
  const bool alike = both_vllm(c, first);
  d.because = alike ? kBecause : kMixedBecause;
  d.otherwise = alike ? kOtherwise : kMixedOtherwise;
  d.no_fix = alike ? kShare : kMixedShare;
  d.subject = "GPUs";
}

std::vector<Complaint> check(const Case& c) {
  if (c.all_launches == nullptr) return {};
  const auto own = gpus_of(c);
  if (own.empty()) return {};
  for (const Case& first : *c.all_launches) {
    if (first.launch >= c.launch) break;
    if (!together(c, first)) continue;
    const auto both = common(own, gpus_of(first));
    const auto found = both.empty() ? std::nullopt : squeeze(first, c, both.front());
    if (!found) continue;
    Complaint complaint;
    if (!found->certain) complaint.severity = Severity::Warning;
    say(c, first, both, found->asked, complaint.diagnostic);
    propose(c, complaint, own.size());
    return {complaint};
  }
  return {};
}

// Asked of several launches only.
std::vector<Need> open(const Case& c) {
  if (c.all_launches == nullptr) return {};
  const bool beside = std::ranges::any_of(*c.all_launches, [&c](const Case& other) {
    return other.launch != c.launch && together(c, other);
  });
  if (!beside) return {};
  std::vector<Need> needs{Need::ParallelSizes, Need::HostGpus, Need::VisibleDevices};
  std::erase_if(needs, [&c](Need need) { return met(need, c); });
  return needs;
}

}  // namespace

extern const Rule gpus_shared_by_launches{
    .code = "SX2125",
    .name = "gpus-shared-by-launches",
    .severity = Severity::Error,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
