// SX8115. The long explanation and the scenes are in probe_without_key.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/traits.h"
#include "read/settings.h"
#include "rules/serving/probes.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{probe} asks {path} without the key that the server demands",
                      "{probe} 访问 {path}，没有带服务要求的密钥"};
constexpr Text kAsked{"answered with 401", "返回 401"};
constexpr Text kKey{"a key is set here", "这里设置了密钥"};
constexpr Text kBecause{
    "with a key set the server answers 401 to everyone who sends none, on paths that begin with "
    "{paths}; /health asks for no key",
    "设置密钥后，不带密钥访问以 {paths} 开头的路径一律返回 401；/health 不需要密钥"};
constexpr Text kBecauseAllBut{
    "with a key set the server answers 401 to everyone who sends none, on all paths but those that "
    "begin with {paths}",
    "设置密钥后，除了以 {paths} 开头的路径，不带密钥的访问一律返回 401"};
constexpr Text kAskHealth{"let the {probe} ask /health", "让 {probe} 访问 /health"};

// The trait: fronts of the paths that are guarded, or behind "all but" of those that are not.
struct Guard {
  bool all_but = false;
  std::string_view fronts;

  explicit Guard(std::string_view trait) : all_but(trait.starts_with(kAllBut)), fronts(trait) {
    if (all_but) fronts.remove_prefix(kAllBut.size());
  }
  bool guards(std::string_view path) const {
    const bool named = std::ranges::any_of(
        split(fronts, ' '), [path](std::string_view front) { return path.starts_with(front); });
    return named != all_but;
  }
  static constexpr std::string_view kAllBut = "all but ";
};

struct Key {
  Span span;
  bool certain = true;  // false: its value comes from elsewhere, such as a Secret
};

// Nothing: no key is set, or it is not known whether.
std::optional<Key> key_of(const Case& c) {
  const Fact<bool>& told = c.serve.has_api_key;
  if (told.known())
    return told.value() ? std::optional(Key{told.span().value_or(Span{})}) : std::nullopt;
  const Setting* setting = last_setting(c.command.environment, "VLLM_API_KEY");
  if (c.serve.engine != "vllm" || setting == nullptr || setting->span.source < 0) return {};
  return Key{setting->span, false};
}

std::vector<Complaint> check(const Case& c) {
  const auto key = key_of(c);
  if (!c.around.contained() || !key) return {};
  const auto trait = sx::trait(c.serve.engine, "key-guards", c.serve.version);
  if (!trait) return {};
  const Guard guard(*trait);
  for (const HealthProbe& probe : c.around.probes) {
    if (probe.path.empty() || probe.headers || !guard.guards(probe.path)) continue;
    if (probe.port > 0 && (probe.port != c.serve.port.value_or(0))) continue;
    Complaint complaint;
    complaint.severity = key->certain ? severity_of_failure(probe.kind) : Severity::Warning;
    Diagnostic& d = complaint.diagnostic;
    const Argument name("probe", probe_name(probe.kind)), path("path", probe.path);
    d.title = {kTitle, {name, path}};
    mark(d, probe.path_span.source >= 0 ? probe.path_span : probe.span, kAsked);
    if (key->span.source >= 0) mark(d, key->span, kKey);
    const Both paths{replaced(guard.fronts, " ", ", "), replaced(guard.fronts, " ", "、")};
    d.because = {guard.all_but ? kBecauseAllBut : kBecause, {{"paths", paths}}};
    d.otherwise = unanswered(probe);
    d.subject = std::string(probe_name(probe.kind));
    d.no_fix = {kAskHealth, {name}};
    return {complaint};
  }
  return {};
}

}  // namespace

extern const Rule probe_without_key{
    .code = "SX8115",
    .name = "probe-without-key",
    .severity = Severity::Error,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
