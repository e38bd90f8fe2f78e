// SX4129. The long explanation and the scenes are in gguf_damaged.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/model/weight_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{file} is damaged: {what}", "{file} 已损坏：{what}"};
constexpr Text kBecause{
    "the header is checked as a whole before a tensor is read: counts, names, types, offsets",
    "读取张量之前会检查整个文件头：个数、名字、类型、偏移"};
constexpr Text kOtherwise{
    "the load ends within seconds: \"failed to read key-value pairs\", \"failed to read tensor "
    "info\" or the like",
    "几秒内加载失败：“failed to read key-value pairs”、“failed to read tensor info”之类"};

constexpr Need kNeeds[] = {Need::ModelFiles};

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  if (c.model().weight_format.value_or("") != "gguf") return complaints;
  const auto files = files_in_state(c.model(), FileState::Damaged);
  if (files.empty()) return complaints;
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"file", files.front()->path}, {"what", files.front()->detail}}};
  mark_files(c, d, files);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "model";
  d.no_fix = fetch_anew(c, files);
  return {complaint};
}

}  // namespace

extern const Rule gguf_damaged{
    .code = "SX4129",
    .name = "gguf-damaged",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
