// SX1130. The long explanation and the scenes are in variable_value.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/flags.h"
#include "knowledge/traits.h"
#include "knowledge/truth_words.h"
#include "rules/command/flag_words.h"
#include "rules/command/variable_words.h"

namespace sx::rules {
namespace {

constexpr Text kNoNumber{"{setting} is no number, and {engine} reads one",
                         "{setting} 不是数字，而 {engine} 要读数字"};
constexpr Text kOff{"{setting} counts as off for {engine}", "{setting} 对 {engine} 来说等于关闭"};
constexpr Text kOn{"{setting} counts as on for {engine}", "{setting} 对 {engine} 来说等于开启"};
constexpr Text kDefault{"{engine} does not understand {setting} and keeps its default",
                        "{engine} 看不懂 {setting}，会沿用默认值"};
constexpr Text kLibrary{"{setting} does not count; the values are {words}",
                        "{setting} 不起作用，可用的取值是 {words}"};
constexpr Text kWanted{"wanted: {wanted}", "应为：{wanted}"};
constexpr Text kOnlyOne{"only 1 turns it on", "只有 1 才算开启"};
constexpr Text kOnlyTrue{"only the word true turns it on", "只有单词 true 才算开启"};
constexpr Text kOneOrTrue{"only 1 and true turn it on", "只有 1 和 true 才算开启"};
constexpr Text kAnyText{"any text turns it on, even 0", "任何文字都算开启，连 0 也是"};
constexpr Text kWholeNumber{"a whole number", "整数"};
constexpr Text kNumber{"a number", "数字"};
constexpr Text kTruth{"true, 1, yes, y, or false, 0, no, n", "true、1、yes、y，或 false、0、no、n"};
constexpr Text kLlamaTruth{"on, enabled, true or 1, in small letters",
                           "on、enabled、true 或 1，须小写"};
constexpr Text kReadAt{"so read in version {version}; later ones may take more words",
                       "{version} 版这样读取，之后的版本可能接受更多写法"};
constexpr Text kBecause{
    "a variable is text; what the text means is decided where it is read, and differs from one to "
    "the next",
    "变量只是一段文字，含义由读取它的代码决定，各个变量并不一样"};
constexpr Text kRaises{
    "the process that reads it ends: \"ValueError: invalid literal for int() with base 10\"",
    "读取它的进程会退出：“ValueError: invalid literal for int() with base 10”"};
constexpr Text kRaisesFraction{
    "the process that reads it ends: \"ValueError: could not convert string to float\"",
    "读取它的进程会退出：“ValueError: could not convert string to float”"};
constexpr Text kLlamaEnds{"it exits at once: \"error while handling environment variable\"",
                          "立即退出：“error while handling environment variable”"};
constexpr Text kSilent{"it runs with the opposite of what was meant; no message says so",
                       "照常运行，效果却与本意相反，也没有任何提示"};
constexpr Text kWarned{"it runs with the default; one line at start says so",
                       "按默认值运行，启动时有一行提示"};
constexpr Text kIgnored{"it runs as if the variable were not set; no message says so",
                        "照常运行，如同没有设置这个变量，也没有任何提示"};
constexpr Text kWrite{"write {value}", "改写为 {value}"};
constexpr Text kDrop{"without {name}", "去掉 {name}"};
constexpr Text kInFile{"correct the value where it is set", "在设置处改正取值"};

constexpr Need kNeeds[] = {Need::Flags};

// How a value goes wrong; nothing when it does not.
struct Fault {
  Message title;
  Message wanted;
  Text otherwise = kSilent;
  Severity severity = Severity::Warning;
  std::string better;  // a value that says what was meant; empty: unknown
  std::optional<Version> read_at;
};

bool is_python_integer(std::string_view value) {
  const std::string plain = replaced(trimmed(value), "_", "");
  return to_integer(plain.starts_with('+') ? plain.substr(1) : plain).has_value();
}

std::string as_number(const Setting& setting) {
  if (says_on(setting.value)) return "1";
  return says_off(setting.value) ? "0" : std::string{};
}

// Text where vLLM's own code calls int() or float().
std::optional<Fault> not_a_number(const Case& c, const Setting& setting, const VariableRow& row) {
  const bool whole = row.reads == "number";
  const bool fine =
      whole ? is_python_integer(setting.value) : to_number(trimmed(setting.value)).has_value();
  if (fine) return {};
  Fault fault{.wanted = {kWanted, {{"wanted", whole ? kWholeNumber : kNumber}}},
              .otherwise = whole ? kRaises : kRaisesFraction,
              .better = as_number(setting),
              .read_at = row.reads_at};
  fault.title = {kNoNumber,
                 {{"setting", shown_setting(setting)}, {"engine", engine_name(c.serve)}}};
  const bool known = row.reads_at && c.serve.version <= *row.reads_at;
  if (known && trait(c.serve.engine, "variables-read-at-start", c.serve.version))
    fault.severity = Severity::Error;
  return fault;
}

std::optional<Fault> of_vllm(const Case& c, const Setting& setting, const VariableRow& row) {
  if (row.reads.empty()) return {};
  if (row.reads == "number" || row.reads == "fraction") return not_a_number(c, setting, row);
  const Argument said("setting", shown_setting(setting)), engine("engine", engine_name(c.serve));
  if (row.reads == "any_text") {
    if (!says_off(setting.value)) return {};
    return Fault{.title = {kOn, {said, engine}}, .wanted = kAnyText, .read_at = row.reads_at};
  }
  if (truth_as(row.reads, setting.value) == true || !says_on(setting.value)) return {};
  const Text wanted = row.reads == "one" ? kOnlyOne : row.reads == "true" ? kOnlyTrue : kOneOrTrue;
  return Fault{.title = {kOff, {said, engine}},
               .wanted = wanted,
               .better = row.reads == "one" ? "1" : "true",
               .read_at = row.reads_at};
}

std::optional<Fault> of_sglang(const Case& c, const Setting& setting, const VariableRow& row) {
  Text wanted = kTruth;
  if (row.type == "bool") {
    if (truth_as("sglang", setting.value)) return {};
  } else if (row.type == "int") {
    if (is_python_integer(setting.value)) return {};
    wanted = kWholeNumber;
  } else if (row.type == "float") {
    if (to_number(trimmed(setting.value))) return {};
    wanted = kNumber;
  } else {
    return {};
  }
  std::string better;
  if (row.type == "bool" && says_on(setting.value)) better = "true";
  if (row.type == "bool" && says_off(setting.value)) better = "false";
  return Fault{
      .title = {kDefault, {{"engine", engine_name(c.serve)}, {"setting", shown_setting(setting)}}},
      .wanted = {kWanted, {{"wanted", wanted}}},
      .otherwise = kWarned,
      .better = std::move(better)};
}

// What the C++ library takes for a number: it stops where the digits do.
bool begins_number(std::string_view value) {
  value = trimmed(value);
  if (value.starts_with('-') || value.starts_with('+')) value.remove_prefix(1);
  if (value.starts_with('.')) value.remove_prefix(1);
  return !value.empty() && value[0] >= '0' && value[0] <= '9';
}

std::optional<Fault> of_llama(const Case& c, const Setting& setting, const VariableRow& row) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  const FlagRow* flag = flags == nullptr || row.flag.empty() ? nullptr : flags->find(row.flag);
  if (flag == nullptr || c.serve.use_of(row.flag) != nullptr) return {};
  const Argument said("setting", shown_setting(setting)), engine("engine", engine_name(c.serve));
  if (flag->kind == FlagKind::Integer || flag->kind == FlagKind::Number) {
    const bool word = std::ranges::find(flag->choices, setting.value) != flag->choices.end();
    if (word || begins_number(setting.value)) return {};
    return Fault{.title = {kNoNumber, {said, engine}},
                 .wanted = {kWanted, {{"wanted", kNumber}}},
                 .otherwise = kLlamaEnds,
                 .severity = Severity::Error};
  }
  const std::string_view value = setting.value;
  const bool on = truth_as("llamacpp", value) == true;
  if (flag->kind != FlagKind::Switch || on || !says_on(value)) return {};
  return Fault{.title = {kOff, {said, engine}},
               .wanted = {kWanted, {{"wanted", kLlamaTruth}}},
               .better = "1"};
}

// Words of CUDA and of the hub client; NCCL's are another rule's.
std::optional<Fault> of_library(const Setting& setting) {
  const LibraryVariable* row = find_library_variable(setting.name);
  if (row == nullptr || row->library == "nccl" || trimmed(setting.value).empty()) return {};
  const bool any_case = row->type == "words_any_case";
  if (row->type != "words" && !any_case) return {};
  std::vector<std::string> words;
  std::string better;
  for (const std::string_view word : row->words) {
    if (any_case ? lower(word) == lower(setting.value) : word == setting.value) return {};
    if (lower(word) == lower(trimmed(setting.value))) better = word;
    words.emplace_back(word);
  }
  return Fault{
      .title = {kLibrary, {{"setting", shown_setting(setting)}, {"words", join(words, ", ")}}},
      .wanted = {kWanted, {{"wanted", join(words, ", ")}}},
      .otherwise = kIgnored,
      .better = std::move(better)};
}

std::optional<Fault> fault_of(const Case& c, const Setting& setting) {
  if (!setting.complete) return {};
  if (auto fault = of_library(setting)) return fault;
  const VariableRow* row = find_variable(c.serve.engine, setting.name);
  if (row == nullptr || row->action != "read") return {};
  const Standing standing = variable_standing(c.serve.engine, *row, c.serve.version);
  if (standing == Standing::Removed || standing == Standing::NotYet) return {};
  if (c.serve.engine == "vllm") return of_vllm(c, setting, *row);
  if (c.serve.engine == "sglang") return of_sglang(c, setting, *row);
  return of_llama(c, setting, *row);
}

Complaint complaint_about(const Case& c, const Setting& setting, Fault fault) {
  Complaint complaint;
  complaint.severity = fault.severity;
  Diagnostic& d = complaint.diagnostic;
  d.title = std::move(fault.title);
  mark_setting(d, setting, std::move(fault.wanted));
  if (fault.read_at && *fault.read_at < c.serve.version) {
    // What a later version makes of it was not read: said, but not as a certainty.
    complaint.severity = Severity::Advice;
    d.basis.push_back({kReadAt, {{"version", fault.read_at->text()}}});
  }
  d.because = kBecause;
  d.otherwise = fault.otherwise;
  d.subject = setting.name;
  d.no_fix = kInFile;
  if (!fault.better.empty())
    complaint.proposals.push_back(
        {.title = {kWrite, {{"value", setting.name + '=' + fault.better}}},
         .changes = {set_environment(setting.name, fault.better)},
         .safety = Safety::ChangesBehaviour});
  complaint.proposals.push_back(
      {.title = {kDrop, {{"name", setting.name}}}, .changes = {remove_environment(setting.name)}});
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const Setting* setting : own_settings(c)) {
    if (auto fault = fault_of(c, *setting))
      complaints.push_back(complaint_about(c, *setting, *std::move(fault)));
  }
  return complaints;
}

}  // namespace

extern const Rule variable_value{
    .code = "SX1130",
    .name = "variable-value",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
