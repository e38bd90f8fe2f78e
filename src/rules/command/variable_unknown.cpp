// SX1128. The long explanation and the scenes are in variable_unknown.md.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/secret_names.h"
#include "knowledge/flags.h"
#include "rules/command/flag_words.h"
#include "rules/command/variable_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"nothing reads the variable {name}; {near} is read",
                      "没有程序读取变量 {name}；会读取的是 {near}"};
constexpr Text kFlagTitle{"{engine} reads no variable {name}; the setting is the flag {flag}",
                          "{engine} 不读取变量 {name}；这项设置是参数 {flag}"};
constexpr Text kUnknown{"{engine} reads no variable {name}", "{engine} 不读取变量 {name}"};
constexpr Text kNear{"nearest: {near}", "最接近的：{near}"};
constexpr Text kNoNear{"no variable of a similar name", "没有名称相近的变量"};
constexpr Text kIsFlag{"a variable of this name does nothing", "这个名字的变量不起作用"};
constexpr Text kBecause{
    "a program asks for the variables it knows by name; one that nobody asks for is passed over",
    "程序只按名字读取它认识的变量；没有程序读取的变量会被忽略"};
constexpr Text kOtherwise{"it runs as if the variable were not set; no message says so",
                          "照常运行，如同没有设置这个变量，也没有任何提示"};
constexpr Text kLogged{
    "it runs as if the variable were not set; newer versions log \"Unknown vLLM environment "
    "variable detected\"",
    "照常运行，如同没有设置；较新的版本会在日志里写“Unknown vLLM environment variable detected”"};
constexpr OfEngine kOtherwiseOf[] = {{"vllm", kLogged}};
constexpr Text kRename{"set {near} instead", "改为设置 {near}"};
constexpr Text kUseFlag{"give it as the flag {flag}", "改用参数 {flag}"};
constexpr Text kInFile{"correct the name where it is set", "在设置处改正名称"};

constexpr Need kNeeds[] = {Need::Flags};

struct Family {
  std::string_view engine;  // empty: of libraries, for every engine
  std::string_view prefix;
};
constexpr std::array kFamilies{
    Family{"vllm", "VLLM_"},  Family{"sglang", "SGLANG_"},
    Family{"sglang", "SGL_"}, Family{"llamacpp", "LLAMA_ARG_"},
    Family{"", "NCCL_"},      Family{"", "TORCH_NCCL_"},
    Family{"", "CUDA_"},      Family{"", "HF_"},
    Family{"", "PYTORCH_"},
};

// More letters changed than this are another word, not a slip.
constexpr int kMostEdits = 2;

const Family* family_of(const Case& c, std::string_view name) {
  for (const Family& family : kFamilies) {
    const bool here = family.engine.empty() || family.engine == c.serve.engine;
    if (here && name.starts_with(family.prefix) && name.size() > family.prefix.size())
      return &family;
  }
  return nullptr;
}

std::multiset<std::string_view> parts(std::string_view name) {
  const auto all = split(name, '_');
  return {all.begin(), all.end()};
}

// The same words in another order count as near: NCCL_DISABLE_P2P.
int distance(std::string_view a, std::string_view b) {
  if (parts(a) == parts(b)) return 1;
  return edit_distance(a, b, kMostEdits + 1);
}

std::vector<std::string_view> candidates(const Case& c, const Family& family) {
  std::vector<std::string_view> names;
  for (const std::string_view name : variable_names(c.serve.engine)) {
    if (!name.starts_with(family.prefix)) continue;
    const VariableRow* row = find_variable(c.serve.engine, name);
    const Standing standing = variable_standing(c.serve.engine, *row, c.serve.version);
    if (standing != Standing::Removed && standing != Standing::NotYet) names.push_back(name);
  }
  for (const LibraryVariable& one : library_variables()) {
    if (one.name.starts_with(family.prefix) && one.successor.empty()) names.push_back(one.name);
  }
  return names;
}

std::optional<std::string_view> nearest(const Case& c, const Family& family,
                                        std::string_view name) {
  std::optional<std::string_view> best;
  int least = kMostEdits + 1;
  for (const std::string_view other : candidates(c, family)) {
    const int edits = distance(name, other);
    if (edits < least && !sets(c, other)) {
      least = edits;
      best = other;
    }
  }
  return best;
}

// VLLM_MAX_MODEL_LEN is the flag --max-model-len to those who guess it.
const FlagRow* flag_of(const Case& c, const Family& family, std::string_view name) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  if (flags == nullptr || family.engine.empty()) return nullptr;
  const std::string flag = "--" + replaced(lower(name.substr(family.prefix.size())), "_", "-");
  const FlagRow* row = flags->find(flag);
  if (row == nullptr || row->kind == FlagKind::Json) return nullptr;
  return flags->standing(*row, c.serve.version) == Standing::Known ? row : nullptr;
}

void as_flag(Complaint& complaint, const Case& c, const Setting& setting, const FlagRow& row) {
  Diagnostic& d = complaint.diagnostic;
  d.title = {kFlagTitle,
             {{"engine", engine_name(c.serve)}, {"name", setting.name}, {"flag", row.name}}};
  mark_setting(d, setting, kIsFlag);
  const bool used = c.serve.use_of(row.name) != nullptr;
  const bool taken = row.kind == FlagKind::Switch ? says_on(setting.value) : !setting.value.empty();
  if (used || !taken || !setting.complete || names_secret(setting.name)) return;
  const std::string flag(row.name);
  complaint.proposals.push_back(
      {.title = {kUseFlag, {{"flag", row.name}}},
       .changes = {remove_environment(setting.name), row.kind == FlagKind::Switch
                                                         ? add_switch(flag)
                                                         : set_flag(flag, setting.value)}});
}

std::optional<Complaint> about(const Case& c, const Setting& setting) {
  const Family* family = family_of(c, setting.name);
  if (family == nullptr || somebody_reads(c, setting.name)) return {};
  if (used_in_text(c, setting.span, setting.name)) return {};  // the script's own
  const auto near = nearest(c, *family, setting.name);
  const FlagRow* flag = near ? nullptr : flag_of(c, *family, setting.name);
  // The libraries have names that their manuals do not list.
  if (!near && flag == nullptr && (family->engine.empty() || newer_than_read(c.serve))) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.because = kBecause;
  d.otherwise = family->engine.empty() ? kOtherwise : of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = setting.name;
  d.no_fix = kInFile;
  if (near) {
    d.title = {kTitle, {{"name", setting.name}, {"near", *near}}};
    mark_setting(d, setting, {kNear, {{"near", *near}}});
    if (setting.complete)
      complaint.proposals.push_back(
          {.title = {kRename, {{"near", *near}}},
           .changes = {remove_environment(setting.name),
                       set_environment(std::string(*near), setting.value)}});
  } else if (flag != nullptr) {
    as_flag(complaint, c, setting, *flag);
  } else {
    complaint.severity = Severity::Advice;
    d.title = {kUnknown, {{"engine", engine_name(c.serve)}, {"name", setting.name}}};
    mark_setting(d, setting, kNoNear);
  }
  propose_without(complaint, setting);
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const Setting* setting : own_settings(c)) {
    if (auto complaint = about(c, *setting)) complaints.push_back(*std::move(complaint));
  }
  return complaints;
}

}  // namespace

extern const Rule variable_unknown{
    .code = "SX1128",
    .name = "variable-unknown",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
