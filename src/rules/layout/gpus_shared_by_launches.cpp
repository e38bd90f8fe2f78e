// SX2125. The long explanation and the scenes are in gpus_shared_by_launches.md.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
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
constexpr Text kOthers{"give this launch GPUs of its own: {gpus}", "让这个服务单独使用 GPU {gpus}"};
constexpr Text kShare{
    "the cards are not enough for both: let the fractions of both add up to less than 1, such as "
    "--gpu-memory-utilization 0.45 each",
    "卡不够两个服务分开用：让两者的显存占比之和小于 1，例如各自 --gpu-memory-utilization 0.45"};

// Estimates of a card's room are no closer: 0.5 and 0.5 start where nobody else holds memory.
constexpr double kWhole = 1.0;

std::optional<int> number(const std::string& text) {
  const auto value = to_integer(text);
  if (!value || !std::in_range<int>(*value)) return {};
  return static_cast<int>(*value);
}

// The machine's number of a card that the launch sees as `seen`.
std::optional<int> of_machine(const Case& c, int seen) {
  if (!c.around.contained()) return seen;
  if (c.around.gpu_devices.known()) {
    const auto& devices = c.around.gpu_devices.value();
    if (static_cast<std::size_t>(seen) >= devices.size()) return {};
    return number(devices[static_cast<std::size_t>(seen)]);
  }
  if (c.around.all_gpus.value_or(false) || c.around.gpu_count.known()) return seen;
  return {};
}

// Empty: not known.
std::set<int> gpus_of(const Case& c) {
  std::set<int> taken;
  const auto wanted = c.serve.gpus_wanted();
  if (!wanted || !c.visible.known) return {};
  const int first = c.serve.first_gpu.value_or(0);
  const int step = std::max(1, c.serve.gpu_step.value_or(1));
  const auto seen = static_cast<int>(c.visible.gpus.size());
  if (first < 0 || *wanted > seen) return {};
  for (int i = 0; i < *wanted; ++i) {
    const int at = first + i * step;
    if (at >= seen) return {};
    const auto gpu = of_machine(c, c.visible.gpus[static_cast<std::size_t>(at)]);
    if (!gpu) return {};
    taken.insert(*gpu);
  }
  return taken;
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

std::optional<double> share_of(const Case& c) {
  if (c.serve.kv_cache_bytes.known() || !c.serve.memory_fraction.known()) return {};
  return c.serve.memory_fraction.value();
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
  complaint.diagnostic.no_fix = kShare;
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

std::vector<Complaint> check(const Case& c) {
  if (c.all_launches == nullptr) return {};
  const auto own = gpus_of(c);
  const auto share = share_of(c);
  if (own.empty() || !share) return {};
  for (const Case& first : *c.all_launches) {
    if (first.launch >= c.launch) break;
    if (first.serve.engine != c.serve.engine || !together(c, first)) continue;
    const auto theirs = gpus_of(first);
    const auto both = common(own, theirs);
    const auto other = share_of(first);
    if (both.empty() || !other || *share + *other <= kWhole) continue;
    Complaint complaint;
    Diagnostic& d = complaint.diagnostic;
    d.title = {kTitle,
               {{"gpus", join(both)},
                {"line", first.command.line},
                {"share", std::int64_t{std::llround((*share + *other) * 100)}}}};
    mark_launch(d, c, kTakes, join(std::vector<int>(own.begin(), own.end())));
    mark_launch(d, first, kFirst, join(std::vector<int>(theirs.begin(), theirs.end())));
    d.because = kBecause;
    d.otherwise = kOtherwise;
    d.subject = "GPUs";
    propose(c, complaint, own.size());
    return {complaint};
  }
  return {};
}

// Asked of several launches only.
std::vector<Need> open(const Case& c) {
  if (c.all_launches == nullptr) return {};
  const bool beside = std::ranges::any_of(*c.all_launches, [&c](const Case& other) {
    return other.launch != c.launch && other.serve.engine == c.serve.engine && together(c, other);
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
    .engines = kOfVllm,
    .check = check,
    .open = open,
};

}  // namespace sx::rules
