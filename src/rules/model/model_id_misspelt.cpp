// SX4137. The long explanation and the scenes are in model_id_misspelt.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "facts/paths.h"
#include "knowledge/model_slips.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"no model {asked} is known here; {near} differs by a letter or two",
                      "这里没有模型 {asked} 的数据；{near} 与它只差一两个字母"};
constexpr Text kLabel{"{near}?", "{near}？"};
constexpr Text kBecause{
    "a name that is no folder and lies in no cache is asked of the hub, letter by letter",
    "既不是目录、缓存里也没有的名字会原样拿去查询 Hub，一个字母都不能错"};
constexpr Text kOtherwise{
    "the engine exits within seconds, as the hub answers 401 or 404: \"Repository Not Found\"",
    "引擎在几秒内退出：Hub 返回 401 或 404，“Repository Not Found”"};
constexpr Text kUse{"the model that the catalogue knows: {near}", "使用已知的模型：{near}"};

std::vector<Complaint> check(const Case& c) {
  if (c.model().from != ModelFrom::Nowhere || !c.serve.model.known()) return {};
  const std::string& asked = c.serve.model.value();
  if (names_path(asked) || asked.find("://") != std::string::npos) return {};
  const auto near = id_without_slip(asked);
  if (!near) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Likely;
  const Argument name("near", *near);
  d.title = {kTitle, {{"asked", asked}, name}};
  mark(d, c.serve.model, {kLabel, {name}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "model";
  complaint.proposals.push_back(
      {.title = {kUse, {name}}, .changes = {set_model(std::string(*near))}});
  return {complaint};
}

}  // namespace

extern const Rule model_id_misspelt{
    .code = "SX4137",
    .name = "model-id-misspelt",
    .severity = Severity::Warning,
    .check = check,
};

}  // namespace sx::rules
