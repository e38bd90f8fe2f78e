// SX8116. The long explanation and the scenes are in probe_path_unknown.md.
#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/traits.h"
#include "rules/serving/probes.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{probe} asks {path}, and {engine} has no such path",
                      "{probe} 访问 {path}，而 {engine} 没有这个路径"};
constexpr Text kAsked{"answered with 404", "返回 404"};
constexpr Text kBecause{
    "an answer of 404 counts as a failure of the probe; the server tells of its health under "
    "/health",
    "返回 404 算探针失败；健康检查的路径是 /health"};
constexpr Text kAskHealth{"let the {probe} ask /health", "让 {probe} 访问 /health"};

// Flags that move every path.
constexpr std::string_view kMoved[] = {"--root-path", "--fastapi-root-path", "--api-prefix"};

bool paths_are_moved(const ServeSpec& serve) {
  return std::ranges::any_of(
      kMoved, [&serve](std::string_view flag) { return serve.use_of(flag) != nullptr; });
}

// A slash at the end leads to the same path.
std::string_view without_slash(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

std::vector<Complaint> check(const Case& c) {
  if (!c.around.contained() || !listens_on_port(c) || paths_are_moved(c.serve)) return {};
  const auto paths = trait(c.serve.engine, "answers-get", c.serve.version);
  if (!paths) return {};
  const auto known = split(*paths, ' ');
  for (const HealthProbe& probe : c.around.probes) {
    // A wrong port is another rule's; whoever corrects it meets the path next.
    if (probe.path.empty() || probe.port <= 0) continue;
    if (std::ranges::find(known, without_slash(probe.path)) != known.end()) continue;
    if (others_may_answer(c, probe.port)) continue;
    Complaint complaint;
    Diagnostic& d = complaint.diagnostic;
    const Argument name("probe", probe_name(probe.kind));
    d.title = {kTitle, {name, {"path", probe.path}, {"engine", engine_name(c.serve)}}};
    mark(d, probe.path_span.source >= 0 ? probe.path_span : probe.span, kAsked);
    d.because = kBecause;
    d.otherwise = unanswered(probe);
    d.subject = std::string(probe_name(probe.kind));
    d.no_fix = {kAskHealth, {name}};
    return {complaint};
  }
  return {};
}

}  // namespace

extern const Rule probe_path_unknown{
    .code = "SX8116",
    .name = "probe-path-unknown",
    .severity = Severity::Warning,
    .check = check,
};

}  // namespace sx::rules
