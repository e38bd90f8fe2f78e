// SX2116. The long explanation and the scenes are in parallel_size_nonsense.md.
#include <array>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "check/split_reasons.h"

namespace sx::rules {
namespace {

constexpr Text kTooSmall{"{flag} {size} makes no layout: the smallest size is 1",
                         "{flag} {size} 构不成布局：最小值是 1"};
constexpr Text kTooLarge{"{flag} {size} is more than any launch has: at most {most} are taken here",
                         "{flag} {size} 超出任何启动的规模：这里最多认 {most}"};
constexpr Text kSmallLabel{"no rank to run on", "没有可运行的 rank"};
constexpr Text kLargeLabel{"ranks that no machine has GPUs for",
                           "没有机器有这么多 GPU 给这些 rank"};
constexpr Text kBecause{"a parallel size is the number of parts, and one part is the whole",
                        "并行数是份数，1 表示不切分"};
constexpr Text kOtherwise{"it exits while the configuration is checked, within seconds",
                          "几秒内在检查配置时退出"};
constexpr OfEngine kOtherwiseOf[] = {{"sglang", {"the server does not come up", "服务无法启动"}}};
constexpr Text kMoreToSay{
    "without {flag} another finding comes up: the rest of the command needs a look too",
    "去掉 {flag} 后还会有其他问题：命令的其余部分也要检查"};
constexpr Text kLeaveOut{"leave {flag} out: it is 1 then", "去掉 {flag}：即为 1"};

constexpr Need kDoubts[] = {Need::ParallelSizes};

// As for all layouts here: larger sizes are typing mistakes, and products of them must not
// overflow.
constexpr int kLargest = 4096;

struct Size {
  const Fact<int>* fact;
  std::string_view flag;
};

bool is_nonsense(const Fact<int>& size) {
  return size.asked() && (size.value() < 1 || size.value() > kLargest);
}

// Sizes that a layout of this host decides; the others go back to one.
bool layout_decides(std::string_view flag) {
  return flag == "--tensor-parallel-size" || flag == "--pipeline-parallel-size";
}

// A number past 32 bits was cut when it was read.
std::string as_typed(const Case& c, const Size& size) {
  constexpr std::size_t kShown = 20;
  const FlagUse* use = c.serve.use_of(size.flag);
  if (use == nullptr || use->values.empty()) return std::to_string(size.fact->value());
  return use->values.front().substr(0, kShown);
}

Complaint complaint_about(const Case& c, const Size& size) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const int value = size.fact->value();
  const std::string flag = own_flag(c.serve, size.flag);
  const std::vector<Argument> arguments{
      {"flag", flag}, {"size", as_typed(c, size)}, {"most", kLargest}};
  const bool small = value < 1;
  d.title = {small ? kTooSmall : kTooLarge, arguments};
  mark(d, *size.fact, {small ? kSmallLabel : kLargeLabel});
  d.because = kBecause;
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = size.flag;
  const bool layouts = layout_decides(size.flag) && c.visible.known;
  if (layouts) propose_layouts(c, complaint);
  complaint.proposals.push_back({.title = {kLeaveOut, {{"flag", flag}}},
                                 .changes = {remove_flag(std::string(size.flag))},
                                 .spare = true});
  if (!layouts) d.no_fix = {kMoreToSay, {{"flag", flag}}};
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  const std::array<Size, 6> sizes{{
      {&serve.tensor_parallel, "--tensor-parallel-size"},
      {&serve.pipeline_parallel, "--pipeline-parallel-size"},
      {&serve.data_parallel, "--data-parallel-size"},
      {&serve.prefill_context_parallel, "--prefill-context-parallel-size"},
      {&serve.decode_context_parallel, "--decode-context-parallel-size"},
      {&serve.node_count, "--nnodes"},
  }};
  std::vector<Complaint> complaints;
  for (const Size& size : sizes) {
    if (is_nonsense(*size.fact)) complaints.push_back(complaint_about(c, size));
  }
  return complaints;
}

}  // namespace

extern const Rule parallel_size_nonsense{
    .code = "SX2116",
    .name = "parallel-size-nonsense",
    .severity = Severity::Error,
    .doubts = kDoubts,
    .covers = {},
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
