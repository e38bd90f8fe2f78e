// SX4105. The long explanation and the scenes are in model_not_found.md.
#include <algorithm>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "facts/paths.h"
#include "knowledge/models.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"there is no model folder {path}", "没有模型目录 {path}"};
constexpr Text kTilde{"~ is not expanded by the engine, and there is no folder {path}",
                      "引擎不会展开 ~，而目录 {path} 不存在"};
constexpr Text kBecause{
    "a path that does not exist is taken for the name of a repository on the hub",
    "不存在的路径会被当成 Hub 上的仓库名"};
constexpr Text kOtherwise{
    "the engine exits within seconds: \"Repo id must be in the form 'repo_name' or "
    "'namespace/repo_name'\", or that the repository "
    "was not found",
    "引擎在几秒内退出：“Repo id must be in the form 'repo_name' or "
    "'namespace/repo_name'”，或提示找不到仓库"};
constexpr Text kFromHub{"the model of that name from the hub: {id} (downloaded at the first start)",
                        "改用 Hub 上的同名模型：{id}（首次启动时下载）"};
constexpr Text kCheck{"check the spelling, and whether the folder is mounted where the engine runs",
                      "检查拼写，以及引擎运行的地方是否挂载了该目录"};

constexpr Need kNeeds[] = {Need::HostFolders};

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  if (model.from != ModelFrom::Nowhere || !c.serve.model.known() || !runs_here(c)) return {};
  const std::string& asked = c.serve.model.value();
  if (!names_path(asked) || asked.find("://") != std::string::npos) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {asked.starts_with('~') ? kTilde : kTitle, {{"path", asked}}};
  mark(d, c.serve.model, {});
  if (asked.starts_with('.') && !model.why_unknown.empty()) d.basis.push_back(model.why_unknown);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "model";
  d.no_fix = kCheck;
  std::string_view name = asked;
  while (name.ends_with('/')) name.remove_suffix(1);
  const ModelMatch match = match_model(name.substr(name.rfind('/') + 1));
  if (match.row) {
    const std::string id(match.row->id());
    complaint.proposals.push_back({.title = {kFromHub, {{"id", id}}}, .changes = {set_model(id)}});
  }
  return {complaint};
}

}  // namespace

extern const Rule model_not_found{
    .code = "SX4105",
    .name = "model-not-found",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
