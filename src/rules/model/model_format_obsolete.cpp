// SX4130. The long explanation and the scenes are in model_format_obsolete.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/model/weight_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{file} cannot be read any more: {what}", "{file} 已无法读取：{what}"};
constexpr Text kBecause{
    "only versions 2 and 3 of GGUF are read; older formats cannot be converted "
    "while loading",
    "只读取 GGUF 第 2 版和第 3 版；更旧的格式无法在加载时转换"};
constexpr Text kOtherwise{
    "the load ends within seconds: \"invalid magic characters\" or \"bad GGUF version\"",
    "几秒内加载失败：“invalid magic characters”或“bad GGUF version”"};
constexpr Text kAnother{"a newer GGUF file of the same model; most were published anew since 2023",
                        "换用同一模型较新的 GGUF 文件；2023 年以来大多已重新发布"};

constexpr Need kNeeds[] = {Need::ModelFiles};

std::vector<Complaint> check(const Case& c) {
  const auto files = files_in_state(c.model(), FileState::Obsolete);
  if (files.empty()) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"file", files.front()->path}, {"what", files.front()->detail}}};
  mark_files(c, d, files);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "model";
  d.no_fix = kAnother;
  return {complaint};
}

}  // namespace

extern const Rule model_format_obsolete{
    .code = "SX4130",
    .name = "model-format-obsolete",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
