// SX1126. The long explanation and the scenes are in number_text_dropped.md.
#include <limits>
#include <set>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "engines/llamacpp/values.h"
#include "knowledge/flags.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{flag} {value} is read as {number}", "{flag} {value} 会被读成 {number}"};
constexpr Text kDropped{"what stands behind {number} is dropped", "{number} 之后的部分会被丢掉"};
constexpr Text kBecause{
    "numbers are read from the front, and the rest of the word is passed over without a complaint",
    "数字只从开头读起，词里剩下的部分会被悄悄忽略"};
constexpr Text kOtherwise{"the server starts with {number} and says nothing of it",
                          "服务以 {number} 启动，没有任何提示"};
constexpr Text kUnit{"write the number out: {number}", "把数字写全：{number}"};
constexpr Text kPlain{"write what it is read as: {number}", "写成实际读到的值：{number}"};

constexpr Need kNeeds[] = {Need::Flags};

// "8k" and "8K" of a count mean 8192 to most people who write it.
std::int64_t unit_of(std::string_view rest) {
  if (rest == "k" || rest == "K") return 1024;
  if (rest == "m" || rest == "M") return 1024 * 1024;
  return 0;
}

std::vector<Complaint> complaint_about(const FlagUse& use) {
  const std::string& value = use.values.front();
  const auto number = llamacpp::front_integer(value);
  if (!number || number->rest.empty()) return {};
  const std::string read = std::to_string(number->value);
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"flag", use.typed}, {"value", value}, {"number", read}}};
  mark(d, use.span, {kDropped, {{"number", read}}});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {{"number", read}}};
  d.subject = use.name;
  const std::int64_t unit = unit_of(number->rest);
  const bool small = number->value > 0 && number->value < std::numeric_limits<std::int32_t>::max();
  if (unit > 0 && small && number->value * unit <= std::numeric_limits<std::int32_t>::max()) {
    const std::string whole = std::to_string(number->value * unit);
    complaint.proposals.push_back(
        {.title = {kUnit, {{"number", whole}}}, .changes = {set_flag(use.name, whole)}});
  }
  if (!complaint.proposals.empty()) return {complaint};
  complaint.proposals.push_back({.title = {kPlain, {{"number", read}}},
                                 .changes = {set_flag(use.name, read)},
                                 .safety = Safety::Safe});
  return {complaint};
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  const EngineFlags* flags = engine_flags(c.serve.engine);
  if (flags == nullptr) return complaints;
  std::set<std::string_view> said;
  for (const FlagUse& use : c.serve.flags) {
    const FlagRow* row = flags->find(use.name);
    const bool counts = row != nullptr && row->kind == FlagKind::Integer && use.complete &&
                        use.values.size() == 1 && &use == c.serve.use_of(use.name);
    if (!counts || llamacpp::value_fault(*row, use.values.front(), c.serve.version)) continue;
    if (!said.insert(row->name).second) continue;
    for (Complaint& complaint : complaint_about(use)) complaints.push_back(std::move(complaint));
  }
  return complaints;
}

}  // namespace

extern const Rule number_text_dropped{
    .code = "SX1126",
    .name = "number-text-dropped",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
