// SX1103. The long explanation and the scenes are in flag_value_type.md.
#include <fmt/format.h>

#include <optional>
#include <set>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/choices.h"
#include "knowledge/flags.h"
#include "knowledge/traits.h"
#include "read/json.h"
#include "rules/command/flag_words.h"
#include "rules/command/json_corrections.h"
#include "rules/command/script_text.h"
#include "rules/command/value_corrections.h"

namespace sx::rules {
namespace {

constexpr Text kWrongType{"{flag} takes {expected}, not {value}",
                          "{flag} 需要{expected}，而不是 {value}"};
constexpr Text kMissing{"{flag} stands without a value", "{flag} 后面没有值"};
constexpr Text kUnwanted{"{flag} is a switch and takes no value, yet it is given {value}",
                         "{flag} 是开关，不带值，这里却给了 {value}"};
constexpr Text kNotAChoice{"{value} is not among the choices of {flag}",
                           "{flag} 的可选值里没有 {value}"};
constexpr Text kNotAKnownChoice{"{value} is not among the known choices of {flag}",
                                "{flag} 的已知可选值里没有 {value}"};
constexpr Text kBadJson{"the value of {flag} is not the JSON it takes",
                        "{flag} 的值不是它需要的 JSON"};
constexpr Text kBetween{"{flag} takes a number from {low} to {high}, not {value}",
                        "{flag} 的取值为 {low} 到 {high}，不能是 {value}"};
constexpr Text kAboveUpTo{"{flag} takes a number above {low} and at most {high}, not {value}",
                          "{flag} 必须大于 {low}、不超过 {high}，不能是 {value}"};
constexpr Text kAbove{"{flag} takes a number above {low}, not {value}",
                      "{flag} 必须大于 {low}，不能是 {value}"};
constexpr Text kAtMost{"{flag} takes a number of at most {high}, not {value}",
                       "{flag} 不能超过 {high}，这里是 {value}"};
constexpr Text kNoModel{"the command names no model, and neither does its --config file",
                        "命令和 --config 文件都没有指定模型"};

constexpr Text kNameIt{"name the model: {program} serve MODEL --config FILE",
                       "写明模型：{program} serve MODEL --config FILE"};
constexpr Text kWants{"wants {expected}", "需要{expected}"};
constexpr Text kOneOf{"one of: {choices}", "可选：{choices}"};
constexpr Text kAlone{"alone it means on", "单独写就表示启用"};
constexpr Text kQuotesGone{"the shell took the quotes away and split it at its blanks",
                           "shell 去掉了引号，并按空格把它拆开了"};
constexpr Text kBreaks{"breaks off as JSON at its character {column}",
                       "到第 {column} 个字符就不是 JSON 了"};
constexpr Text kOutside{"outside of what it takes", "超出允许范围"};
constexpr Text kNoModelKey{"no line \"model: …\" in it", "里面没有“model: …”这一行"};

constexpr Text kNoModelAtAll{"the command names no model", "命令没有指定模型"};
constexpr Text kNoModelBehind{"no model behind it", "后面没有模型"};
constexpr Text kBecauseNoDefault{"the engine has no default model", "引擎没有默认模型"};
constexpr Text kModelRequired{
    "it exits with status 2: \"the following arguments are required: --model-path\"",
    "以状态码 2 退出：“the following arguments are required: --model-path”"};
constexpr OfEngine kNoModelThenOf[] = {{"sglang", kModelRequired}};
constexpr Text kNameModel{"name the model: --model-path MODEL", "写明模型：--model-path 模型"};

constexpr Text kBecauseParsed{
    "the parser turns each value into the flag's type before anything else",
    "解析器先把每个值转换成参数要求的类型"};
constexpr Text kBecauseSwitch{"a switch is on by being there and has no place for a value",
                              "开关写上即启用，没有放值的位置"};
constexpr Text kBecauseRange{
    "the parser lets every number through; the engine refuses it where it is first used",
    "解析器会放行任何数字，到真正使用时才被拒绝"};
constexpr Text kBecauseChoice{
    "the parser lets every word through; the engine's configuration looks it up among its names",
    "解析器会放行任何词，引擎建立配置时再按名称查找"};
constexpr Text kBecauseModel{"with --config, the engine has no default model",
                             "使用 --config 时，引擎没有默认模型"};
constexpr Text kBecauseOlderSwitch{
    "older builds have it as a switch; newer ones take the next word as its value",
    "旧构建里它是开关；新构建会把后面的词当作它的值"};
constexpr Text kNewerRefuses{
    "older builds start as meant; newer ones exit at once with status 1 and name the flag",
    "旧构建照常启动；新构建立即以状态码 1 退出，并指出这个参数"};
constexpr Text kExits{"after some seconds of imports it exits with status 2 and names the flag",
                      "导入几秒后以状态码 2 退出，并指出这个参数"};
constexpr Text kUnrecognised{
    "it exits with status 2: \"unrecognized arguments: {value}\"; without a model in the command, "
    "{value} becomes the model",
    "以状态码 2 退出：“unrecognized arguments: {value}”；如果命令没有写模型，{value} 会被当成模型"};
constexpr OfEngine kExitsOf[] = {
    {"llamacpp",
     {"it exits at once with status 1 and names the flag", "立即以状态码 1 退出，并指出这个参数"}}};
constexpr OfEngine kUnrecognisedOf[] = {
    {"llamacpp",
     {"it exits at once with status 1: \"error: invalid argument: {value}\"",
      "立即以状态码 1 退出：“error: invalid argument: {value}”"}},
    {"sglang",
     {"it exits with status 2: \"unrecognized arguments: {value}\"",
      "以状态码 2 退出：“unrecognized arguments: {value}”"}}};
constexpr Text kRefused{
    "the launch ends with a traceback after some seconds, before it loads any weights",
    "几秒后抛出异常退出，此时尚未加载权重"};
constexpr Text kPerhapsRefused{
    "unless this version or a plug-in adds it, the launch ends within seconds and names the flag",
    "除非这个版本或插件新增了它，否则几秒内就会退出并指出这个参数"};
constexpr Text kNoModelThen{"it ends with a traceback: \"No model specified!\"",
                            "抛出异常退出：“No model specified!”"};

constexpr Need kNeeds[] = {Need::Flags};

Message json_fault(const FlagProblem& problem, const FlagRow& row) {
  const auto document = JsonDocument::parse(problem.value);
  if (document) return {kWants, {{"expected", problem.expected}}};
  // The error begins "line 1, column 7: …".
  constexpr std::string_view kColumn = "column ";
  const std::string& what = document.error().what;
  const auto at = what.find(kColumn);
  const auto end = what.find(':');
  const bool list = row.default_text.starts_with('[');
  const Text wanted = list ? Text{"a JSON list", "JSON 列表"} : Text{"a JSON object", "JSON 对象"};
  const bool known = at != std::string::npos && end != std::string::npos;
  const std::string column =
      known ? what.substr(at + kColumn.size(), end - at - kColumn.size()) : "1";
  if (column == "1") return {kWants, {{"expected", wanted}}};
  return {kBreaks, {{"column", column}}};
}

Message choices_of(const Case& c, const EngineFlags& flags, const FlagRow& row) {
  const auto taken = choices_in(flags, row, c.serve.version).value_or(row.choices);
  // Longer lists are cut; the flag's help has them all.
  constexpr std::size_t kMost = 8;
  std::vector<std::string> choices;
  for (const std::string_view choice : taken) {
    choices.emplace_back(choices.size() == kMost ? "…" : choice);
    if (choices.size() > kMost) break;
  }
  return {kOneOf, {{"choices", join(choices, ", ")}}};
}

// Nobody said which build runs, and in older ones the flag stands alone.
bool bare_in_older_builds(const ServeSpec& serve, const FlagRow& row) {
  return build_is_a_guess(serve) &&
         trait(serve.engine, "bare-in-older-builds " + std::string(row.name), serve.version)
             .has_value();
}

// The parser takes any word, and the engine refuses it a moment later.
bool refused_later(const ServeSpec& serve, const FlagRow& row) {
  return trait(serve.engine, "choices-refused-later " + std::string(row.name), serve.version)
      .has_value();
}

// A version newer than those that were read, or a plug-in, may have a name that looks like no slip
// for one of the known ones.
bool may_have_more_choices(const Case& c, const FlagProblem& problem, const FlagRow& row) {
  if (problem.kind != FlagProblem::Kind::NotAChoice) return false;
  if (newer_than_read(c.serve)) return true;
  const std::string name = "choices-extended " + std::string(row.name);
  return trait(c.serve.engine, name, c.serve.version) && near_choices(row, problem.value).empty();
}

void say(Diagnostic& d, const Case& c, const EngineFlags& flags, const FlagProblem& problem,
         const FlagUse& use, const FlagRow& row) {
  const Argument flag("flag", problem.typed);
  const Argument value("value", shown(row.name, problem.value));
  d.because = kBecauseParsed;
  d.otherwise = of_engine(c.serve, kExitsOf, kExits);
  switch (problem.kind) {
    case FlagProblem::Kind::MissingValue:
      d.title = {kMissing, {flag}};
      if (bare_in_older_builds(c.serve, row)) {
        say_version(d, c.serve);
        d.because = kBecauseOlderSwitch;
        d.otherwise = kNewerRefuses;
      }
      return mark(d, problem.span, {kWants, {{"expected", problem.expected}}});
    case FlagProblem::Kind::UnwantedValue:
      d.title = {kUnwanted, {flag, value}};
      d.because = kBecauseSwitch;
      if (use.word_count > 1)
        d.otherwise = {of_engine(c.serve, kUnrecognisedOf, kUnrecognised), {value}};
      return mark(d, problem.span, kAlone);
    case FlagProblem::Kind::NotAChoice: {
      const bool more = may_have_more_choices(c, problem, row);
      d.title = {more ? kNotAKnownChoice : kNotAChoice, {flag, value}};
      if (refused_later(c.serve, row)) {
        d.because = kBecauseChoice;
        d.otherwise = kRefused;
      }
      if (more) d.otherwise = kPerhapsRefused;
      return mark(d, problem.span, choices_of(c, flags, row));
    }
    case FlagProblem::Kind::BadJson:
      d.title = {kBadJson, {flag}};
      return mark(d, problem.span,
                  unquoted_json(c, use) ? Message{kQuotesGone} : json_fault(problem, row));
    default:
      d.title = {kWrongType, {flag, value, {"expected", problem.expected}}};
      return mark(d, problem.span, {});
  }
}

Complaint no_model(const Case& c, const FlagProblem& problem) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.subject = "model";
  if (c.serve.use_of("--config") == nullptr) {
    d.title = kNoModelAtAll;
    mark(d, problem.span, kNoModelBehind);
    d.because = kBecauseNoDefault;
    d.otherwise = kModelRequired;
    d.no_fix = kNameModel;
    return complaint;
  }
  d.title = kNoModel;
  mark(d, problem.span, kNoModelKey);
  d.because = kBecauseModel;
  d.otherwise = of_engine(c.serve, kNoModelThenOf, kNoModelThen);
  d.no_fix = {kNameIt, {{"program", c.serve.engine}}};
  return complaint;
}

std::optional<Complaint> complaint_about(const Case& c, const EngineFlags& flags,
                                         const FlagProblem& problem) {
  if (problem.name == "model_tag") return no_model(c, problem);
  const FlagUse* use = use_of(c.serve, problem);
  const FlagRow* row = flags.find(problem.name);
  if (use == nullptr || row == nullptr) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  say(d, c, flags, problem, *use, *row);
  d.subject = problem.name;
  const bool older_build =
      problem.kind == FlagProblem::Kind::MissingValue && bare_in_older_builds(c.serve, *row);
  if (older_build || may_have_more_choices(c, problem, *row))
    complaint.severity = Severity::Warning;
  if (use->spliced) {
    d.no_fix = mend_in_file(c, use->span);
  } else {
    complaint.proposals = better_values(c, problem, *use, *row);
  }
  return complaint;
}

// The bounds of a flag's number in this version.
struct Bounds {
  std::optional<double> above, least, most;

  bool hold(double value) const {
    return (!above || value > *above) && (!least || value >= *least) && (!most || value <= *most);
  }
};

std::optional<double> bound(const Case& c, std::string_view word, std::string_view flag) {
  const auto value =
      trait(c.serve.engine, std::string(word) + ' ' + std::string(flag), c.serve.version);
  return value ? to_number(*value) : std::nullopt;
}

Message range_title(const Bounds& bounds, const FlagUse& use) {
  const Argument flag("flag", use.typed);
  const Argument value("value", shown(use.name, use.values.front()));
  if (bounds.above && bounds.most)
    return {kAboveUpTo, {flag, value, {"low", *bounds.above}, {"high", *bounds.most}}};
  if (bounds.above) return {kAbove, {flag, value, {"low", *bounds.above}}};
  if (bounds.least && bounds.most)
    return {kBetween, {flag, value, {"low", *bounds.least}, {"high", *bounds.most}}};
  return {kAtMost, {flag, value, {"high", bounds.most.value_or(0)}}};
}

// 90 where at most 1 is possible was meant as 90 %.
std::optional<Proposal> as_fraction(const Case& c, const Bounds& bounds, const FlagUse& use,
                                    double value) {
  constexpr double kLeastPercent = 10;  // 1.2 is no percentage that anyone would write
  if (bounds.most != 1.0 || value < kLeastPercent || value > 100) return {};
  std::string text = fmt::format("{:.4f}", value / 100);
  while (text.ends_with('0') && text.size() > 4) text.pop_back();
  const auto change = with_value(c, use, use.values.front(), text);
  if (!change) return {};
  constexpr Text kFraction{"write {value}: it is a fraction, not a percentage",
                           "改写为 {value}：这里是比例，不是百分数"};
  return Proposal{
      .title = {kFraction, {{"value", text}}}, .changes = {*change}, .safety = Safety::Safe};
}

std::optional<Complaint> out_of_range(const Case& c, const FlagRow& row, const FlagUse& use) {
  const Bounds bounds{.above = bound(c, "above", row.name),
                      .least = bound(c, "at least", row.name),
                      .most = bound(c, "at most", row.name)};
  const auto value = to_number(trimmed(use.values.front()));
  if (!value || bounds.hold(*value)) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = range_title(bounds, use);
  mark(d, use.span, kOutside);
  d.because = kBecauseRange;
  d.otherwise = kRefused;
  d.subject = row.name;
  if (use.spliced) {
    d.no_fix = mend_in_file(c, use.span);
    return complaint;
  }
  if (auto fraction = as_fraction(c, bounds, use, *value))
    complaint.proposals.push_back(*std::move(fraction));
  complaint.proposals.push_back(without_flag(c, use, row));
  return complaint;
}

bool about_a_value(FlagProblem::Kind kind) {
  using enum FlagProblem::Kind;
  return kind == MissingValue || kind == UnwantedValue || kind == WrongType || kind == NotAChoice ||
         kind == BadJson;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  const EngineFlags* flags = engine_flags(c.serve.engine);
  if (flags == nullptr) return complaints;
  std::set<std::string_view> said;
  for (const FlagProblem& problem : c.serve.problems) {
    if (said_elsewhere(c, problem)) continue;
    if (!about_a_value(problem.kind) || !said.insert(problem.name).second) continue;
    if (auto complaint = complaint_about(c, *flags, problem))
      complaints.push_back(*std::move(complaint));
  }
  const bool automatic = c.serve.max_model_len_auto.value_or(false);
  for (const FlagUse& use : c.serve.flags) {
    const FlagRow* row = flags->find(use.name);
    if (row == nullptr || use.path || !use.complete || use.values.size() != 1 ||
        c.serve.use_of(use.name) != &use)
      continue;
    if (said.contains(row->name) || (automatic && row->name == "--max-model-len")) continue;
    if (auto complaint = out_of_range(c, *row, use)) complaints.push_back(*std::move(complaint));
  }
  return complaints;
}

}  // namespace

extern const Rule flag_value_type{
    .code = "SX1103",
    .name = "flag-value-type",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
