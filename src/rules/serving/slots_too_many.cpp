// SX8109. The long explanation and the scenes are in slots_too_many.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/constants.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{slots} slots are more than the {most} that llama.cpp can have",
                      "{slots} 个槽位超过 llama.cpp 的上限 {most}"};
constexpr Text kMost{"at most {most}", "最多 {most}"};
constexpr Text kBecause{"the cache knows its sequences by a table of fixed size",
                        "缓存用固定大小的表登记各个序列"};
constexpr Text kOtherwise{"it exits after the weights are loaded: \"n_seq_max must be <= {most}\"",
                          "加载完权重后退出：“n_seq_max must be <= {most}”"};
constexpr Text kUse{"use {most} slots", "使用 {most} 个槽位"};

constexpr Need kNeeds[] = {Need::Flags};

std::vector<Complaint> check(const Case& c) {
  const auto limit = constant("llamacpp", "slots-most", c.serve.version);
  if (!limit || !c.serve.max_num_seqs.known()) return {};
  const int slots = c.serve.max_num_seqs.value();
  const int most = static_cast<int>(limit->value);
  if (slots <= most) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"slots", slots}, {"most", most}}};
  mark(d, c.serve.max_num_seqs, {kMost, {{"most", most}}});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {{"most", most}}};
  d.subject = "--parallel";
  complaint.proposals.push_back({.title = {kUse, {{"most", most}}},
                                 .changes = {set_flag("--parallel", std::to_string(most))},
                                 .safety = Safety::Trades});
  return {complaint};
}

}  // namespace

extern const Rule slots_too_many{
    .code = "SX8109",
    .name = "slots-too-many",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
