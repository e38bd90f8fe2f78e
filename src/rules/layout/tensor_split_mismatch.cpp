// SX2124. The long explanation and the scenes are in tensor_split_mismatch.md.
#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kFewer{"{shares} shares are given for {gpus} GPUs: the others get no layers",
                      "{gpus} 张 GPU 只给了 {shares} 个比例：其余的分不到层"};
constexpr Text kMore{"{shares} shares are given for {gpus} GPUs: the last ones count for nothing",
                     "{gpus} 张 GPU 却给了 {shares} 个比例：最后几个不起作用"};
constexpr Text kGpus{"one share for each of {gpus} GPUs", "{gpus} 张 GPU 各要一个比例"};
constexpr Text kBasis{"{gpus} GPUs: {origin}", "{gpus} 张 GPU：{origin}"};
constexpr Text kBecause{
    "the shares belong to the devices in their order; a device without one has the share 0",
    "比例按设备顺序一一对应；没有写比例的设备按 0 计"};
constexpr Text kIdle{
    "it starts, the GPUs without a share stay empty, and the model has to fit on the others",
    "能启动，但没有比例的 GPU 空着，模型要靠其余的卡放下"};
constexpr Text kIgnored{"it starts; the shares left are scaled up to a whole",
                        "能启动；剩下的比例会按总和重新折算"};
constexpr Text kEqual{"a share for each GPU: {value}", "每张 GPU 一个比例：{value}"};
constexpr Text kCut{"only as many shares as GPUs: {value}", "比例个数与 GPU 相同：{value}"};
constexpr Text kFree{"leave it out: layers go by the memory that is free",
                     "去掉它：按空闲显存分配各层"};

constexpr Need kNeeds[] = {Need::VisibleDevices};

// Devices that the launch uses: those it names, else all that it sees.
std::size_t devices_of(const Case& c) {
  const FlagUse* named = c.serve.use_of("--device");
  if (named == nullptr || named->values.empty() || !named->complete) return c.visible.gpus.size();
  return split(named->values.front(), ',').size();
}

std::string written(std::vector<std::string_view> shares, std::size_t count) {
  while (shares.size() < count) shares.push_back(shares.back());
  shares.resize(count);
  const std::vector<std::string> texts(shares.begin(), shares.end());
  return join(texts, ",");
}

std::vector<Complaint> check(const Case& c) {
  const auto& split_fact = c.serve.tensor_split;
  const bool whole_model_on_one = c.serve.split_mode.value_or("layer") == "none";
  if (!split_fact.asked() || whole_model_on_one) return {};
  const std::size_t shares = split_fact.value().size();
  const std::size_t gpus = devices_of(c);
  if (shares == gpus || shares == 0 || gpus == 0) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const bool fewer = shares < gpus;
  d.title = {fewer ? kFewer : kMore, {{"shares", shares}, {"gpus", gpus}}};
  mark(d, split_fact, {kGpus, {{"gpus", gpus}}});
  d.basis.push_back({kBasis, {{"gpus", gpus}, {"origin", host_origin(c.host())}}});
  d.because = kBecause;
  d.otherwise = fewer ? kIdle : kIgnored;
  d.subject = "--tensor-split";
  const FlagUse* use = c.serve.use_of("--tensor-split");
  if (use == nullptr) return {complaint};
  const std::string typed = replaced(use->values.front(), "/", ",");
  const std::string value = written(split(typed, ','), gpus);
  complaint.proposals.push_back({.title = {fewer ? kEqual : kCut, {{"value", value}}},
                                 .changes = {set_flag("--tensor-split", value)}});
  complaint.proposals.push_back({.title = kFree, .changes = {remove_flag("--tensor-split")}});
  return {complaint};
}

}  // namespace

extern const Rule tensor_split_mismatch{
    .code = "SX2124",
    .name = "tensor-split-mismatch",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
