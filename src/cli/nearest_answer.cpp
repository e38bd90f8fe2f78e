// What is said of an engine that is only recognised: what was looked at, what was not, and the
// nearest launch that has been checked whole.
#include "cli/nearest_answer.h"

#include <algorithm>

#include "base/strings.h"
#include "check/run_rules.h"
#include "check/secrets.h"
#include "cli/check.h"
#include "knowledge/engine_names.h"
#include "knowledge/other_engines.h"
#include "rules/all.h"

namespace sx {
namespace {

constexpr Text kRecognised{"{engine} is recognised, not checked in depth: looked at were {checked}",
                           "已识别 {engine}，但不做深入检查：检查了{checked}"};
constexpr Text kLeft{"not looked at: {left}", "没有检查：{left}"};
constexpr Text kLeftOut{"without a counterpart in {engine}, left out: {flags}",
                        "{engine} 没有对应的参数，已略去：{flags}"};
constexpr Text kCorrected{"corrected for {engine}, where it would break: {codes}",
                          "已按 {engine} 修正，原样会触发：{codes}"};
constexpr Text kNoneStands{
    "the same with {engine} does not start here ({codes}), and no correction was found",
    "换成 {engine} 在这里也无法启动（{codes}），且没有找到修正"};

std::string error_codes(const Outcome& outcome) {
  std::vector<std::string> codes;
  for (const Diagnostic& d : outcome.diagnostics) {
    const std::string code(d.code);
    const bool said = std::ranges::find(codes, code) != codes.end();
    if (d.severity == Severity::Error && !said) codes.push_back(code);
  }
  return join(codes, ", ");
}

void add_nearest(Translated& to, const GatheredCases::Nearest& nearest) {
  const Case& c = nearest.cases->cases.front();
  const Outcome outcome = run_rules(rules::all(), c);
  const Argument engine("engine", shown_engine(c.serve.engine));
  to.engine = shown_engine(c.serve.engine);
  const auto command = corrected(outcome, c);
  const std::string codes = error_codes(outcome);
  if (!command) {
    to.said.push_back({kNoneStands, {engine, {"codes", codes}}});
    return;
  }
  to.command = without_secrets(*command, secrets_of(c));
  if (!codes.empty()) to.said.push_back({kCorrected, {engine, {"codes", codes}}});
  if (!nearest.left_out.empty())
    to.said.push_back({kLeftOut, {engine, {"flags", join(nearest.left_out, ", ")}}});
}

}  // namespace

Translated nearest_answer(const GatheredCases& all, const Case& c) {
  Translated to;
  const OtherEngine* other = find_other_engine(c.serve.engine);
  if (other == nullptr) return to;
  to.recognised_only = true;
  to.said.push_back({kRecognised, {{"engine", other->shown}, {"checked", other->checked}}});
  to.said.push_back({kLeft, {{"left", other->left}}});
  const auto nearest = all.nearest.find(c.launch);
  if (nearest != all.nearest.end()) add_nearest(to, nearest->second);
  return to;
}

}  // namespace sx
