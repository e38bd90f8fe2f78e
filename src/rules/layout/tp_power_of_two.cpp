// SX2128. The long explanation and the scenes are in tp_power_of_two.md.
#include <bit>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr std::string_view kOfLmdeploy[] = {"lmdeploy"};
constexpr std::string_view kCovers[] = {"SX2103"};  // the heads that leave a rest: said here

constexpr Text kTitle{"LMDeploy splits over a power of two of GPUs, and {tp} is none",
                      "LMDeploy 只能切分到 2 的幂张 GPU 上，{tp} 不是 2 的幂"};
constexpr Text kNear{"{below} or {above} would be one", "最近的是 {below} 或 {above}"};
constexpr Text kHeads{"{heads} attention heads / {tp} leaves {left} over as well",
                      "{heads} 个注意力头 / {tp} 也余 {left}"};
constexpr Text kBecause{"TurboMind, its default engine, is made for 1, 2, 4, 8 … GPUs",
                        "它默认的 TurboMind 引擎只为 1、2、4、8 … 张 GPU 设计"};
constexpr Text kOtherwise{
    "it exits as the engine is made, before weights are loaded: \"tp should be 2^n\"",
    "创建引擎时就退出，此时尚未加载权重：“tp should be 2^n”"};
constexpr Text kMaybe{
    "many versions exit at once: \"tp should be 2^n\"; some newer ones only ask that the heads "
    "divide",
    "很多版本会立即退出：“tp should be 2^n”；部分新版本只要求注意力头能整除"};
constexpr Text kUse{"split over {tp} GPUs", "切分到 {tp} 张 GPU 上"};

constexpr Need kNeeds[] = {Need::ParallelSizes};
constexpr Need kDoubts[] = {Need::Layout};

bool torch_engine(const ServeSpec& serve) {
  const FlagUse* use = serve.use_of("--backend");
  return use != nullptr && !use->values.empty() && use->values.front() == "pytorch";
}

std::vector<Complaint> check(const Case& c) {
  const int tp = c.serve.tensor_parallel.value();
  if (std::has_single_bit(static_cast<unsigned>(tp)) || torch_engine(c.serve)) return {};
  const auto below = static_cast<int>(std::bit_floor(static_cast<unsigned>(tp)));

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"tp", tp}}};
  mark(d, c.serve.tensor_parallel, {kNear, {{"below", below}, {"above", 2 * below}}});
  // Heads that leave a rest stop every version; without that knowledge newer ones may go on.
  const int heads = c.model().heads.value_or(0);
  const bool sure = heads > 0 && heads % tp != 0;
  if (sure) d.basis.push_back({kHeads, {{"heads", heads}, {"tp", tp}, {"left", heads % tp}}});
  if (!sure) complaint.severity = Severity::Warning;
  d.because = kBecause;
  d.otherwise = sure ? kOtherwise : kMaybe;
  d.subject = "--tensor-parallel-size";
  for (const int size : {below, 2 * below}) {
    complaint.proposals.push_back(
        {.title = {kUse, {{"tp", size}}},
         .changes = {set_flag("--tensor-parallel-size", std::to_string(size))}});
  }
  return {complaint};
}

}  // namespace

extern const Rule tp_power_of_two{
    .code = "SX2128",
    .name = "tp-power-of-two",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = kCovers,
    .engines = kOfLmdeploy,
    .check = check,
};

}  // namespace sx::rules
