// Sentences of rows are data; what is said alike for every row stands here.
#include "check/constraint_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "knowledge/engine_names.h"
#include "knowledge/foreign_flags.h"
#include "read/json.h"

namespace sx {
namespace {

constexpr Text kSaid{"{said}", "{said}"};

constexpr Text kArguments{"{engine} exits within seconds, while it reads its arguments",
                          "{engine} 会在几秒内、解析参数时退出"};
constexpr Text kConfiguration{
    "{engine} exits within seconds, while it checks its configuration; nothing is loaded yet",
    "{engine} 会在几秒内、检查配置时退出，此时什么都还没有加载"};
constexpr Text kWorkers{
    "the worker processes exit as they start, before weights are loaded; the last lines of the log "
    "only say that the engine did not come up",
    "工作进程一启动就退出，此时尚未加载权重；日志末尾几行只说引擎没有起来"};
constexpr Text kModel{"{engine} exits while it builds the model, before it loads weights",
                      "{engine} 会在构建模型时退出，此时尚未加载权重"};
constexpr Text kLoading{"{engine} exits while it loads the weights", "{engine} 会在加载权重时退出"};
constexpr Text kWarmUp{"{engine} exits during warm-up, after all weights are loaded",
                       "{engine} 会在预热时退出，而此时权重已经全部加载完"};
constexpr Text kSilent{"{engine} starts, and says so in one line of its log at most",
                       "{engine} 会照常启动，最多在日志里提一行"};

constexpr Text kLeaveOut{"leave out {flag}", "去掉 {flag}"};
constexpr Text kLeaveMember{"leave {member} out of {flag}", "从 {flag} 里去掉 {member}"};
constexpr Text kSet{"set {flag} to {value}", "把 {flag} 设为 {value}"};
constexpr Text kSetMember{"set {member} of {flag} to {value}",
                          "把 {flag} 的 {member} 设为 {value}"};
constexpr Text kAdd{"add {flag}", "加上 {flag}"};
constexpr Text kSetVariable{"set {name}={value}", "设置 {name}={value}"};
constexpr Text kUnset{"do not set {name}", "不设置 {name}"};
constexpr Text kBoth{"{first}, and {second}", "{first}，并{second}"};

// Whole numbers without a fraction; larger ones than this are no settings.
constexpr double kLargestWhole = 1e15;

std::optional<Value> typed(const ConditionValue& value) {
  switch (value.kind) {
    case ConditionValue::Kind::Unknown:
    case ConditionValue::Kind::Absent:
      return {};
    case ConditionValue::Kind::Truth:
      return Value(std::string(value.truth ? "true" : "false"));
    case ConditionValue::Kind::Number:
      if (std::trunc(value.number) == value.number && std::abs(value.number) < kLargestWhole)
        return Value(static_cast<std::int64_t>(value.number));
      return Value(value.number);
    case ConditionValue::Kind::Text:
      return Value(value.text);
  }
  return {};
}

std::optional<Value> worth(const Case& c, std::string_view expression) {
  const auto condition = Condition::read(expression);
  if (!condition) return {};
  const ConditionValue value = ConditionAsk(c).value(*condition);
  if (expression == "capability" && value.kind == ConditionValue::Kind::Number)
    return Value(fmt::format("{:.1f}", value.number));  // 9.0, as everyone writes it
  return typed(value);
}

std::optional<std::string> filled(const Case& c, std::string_view text, Language language) {
  std::string out;
  while (true) {
    const auto open = text.find('{');
    const auto close = text.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos)
      return out + std::string(text);
    const auto value = worth(c, text.substr(open + 1, close - open - 1));
    if (!value) return {};
    out += std::string(text.substr(0, open)) + rendered(*value, language);
    text.remove_prefix(close + 1);
  }
}

Text text_of(LaunchStage stage) {
  switch (stage) {
    case LaunchStage::Arguments:
      return kArguments;
    case LaunchStage::Configuration:
      return kConfiguration;
    case LaunchStage::Workers:
      return kWorkers;
    case LaunchStage::Model:
      return kModel;
    case LaunchStage::Loading:
      return kLoading;
    case LaunchStage::WarmUp:
      return kWarmUp;
    case LaunchStage::Silent:
      return kSilent;
  }
  SX_UNREACHABLE("a stage without a sentence");
}

// "--a.b" of a JSON flag stands where --a does.
const FlagUse* use_for(const Case& c, std::string_view flag) {
  return c.serve.use_of(flag.substr(0, flag.find('.')));
}

bool is_set(const Case& c, std::string_view variable) {
  return std::ranges::find(c.command.environment, variable, &Setting::name) !=
         c.command.environment.end();
}

bool plain_json(std::string_view value) {
  return to_number(value).has_value() || value == "true" || value == "false";
}

// A JSON object with one more, or another, top-level member; nothing for what is no object.
std::optional<std::string> with_member(const std::string& json, std::string_view key,
                                       const std::string& value) {
  const auto document = JsonDocument::parse(json);
  if (!document || !document->root().is(JsonKind::Object)) return {};
  const JsonValue root = document->root();
  const std::string written = plain_json(value) ? value : '"' + value + '"';
  const auto offset = [&json](std::string_view part) {
    return static_cast<std::size_t>(part.data() - json.data());
  };
  if (const JsonValue old = root[key]) {
    std::string out = json;
    return out.replace(offset(old.raw()), old.raw().size(), written);
  }
  const std::size_t end = offset(root.raw()) + root.raw().size() - 1;
  std::string out = json;
  return out.insert(end, (root.size() > 0 ? ", \"" : "\"") + std::string(key) + "\": " + written);
}

struct Step {
  Change change;
  Message title;
};

// "--a.b" where --a stands as one JSON text: that text, changed.
std::optional<Step> member_step(const Case& c, std::string_view name, const std::string& value) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string flag(name.substr(0, dot));
  const auto member = name.substr(dot + 1);
  const FlagUse* use = c.serve.use_of(flag);
  if (use == nullptr || use->path || use->spliced || use->values.size() != 1) return {};
  if (member.contains('.')) return {};
  auto json = with_member(use->values.front(), member, value);
  if (!json) return {};
  return Step{set_flag(flag, std::move(*json)),
              {kSetMember, {{"member", member}, {"flag", flag}, {"value", value}}}};
}

// The same object without one member; nothing where no other is left.
std::optional<std::string> without_member(const std::string& json, std::string_view key) {
  const auto document = JsonDocument::parse(json);
  if (!document || !document->root()[key] || document->root().size() < 2) return {};
  std::vector<std::string> kept;
  for (auto value = document->root().first(); value; value = value.next()) {
    if (value.key() != key)
      kept.push_back('"' + std::string(value.raw_key()) + "\": " + std::string(value.raw()));
  }
  return '{' + join(kept, ", ") + '}';
}

// "drop --a" and "drop --a.b", which may stand as a flag of its own or inside the text of --a.
std::optional<Step> drop_step(const Case& c, const std::string& name) {
  const FlagUse* use = use_for(c, name);
  if (use == nullptr || use->spliced) return {};
  const auto dot = name.find('.');
  if (dot == std::string::npos || use->path || use->values.size() != 1)
    return Step{remove_flag(name), {kLeaveOut, {{"flag", use->typed}}}};
  const std::string flag = name.substr(0, dot);
  const std::string member = name.substr(dot + 1);
  if (auto json = without_member(use->values.front(), member)) {
    return Step{set_flag(flag, *std::move(json)),
                {kLeaveMember, {{"member", member}, {"flag", flag}}}};
  }
  return Step{remove_flag(flag), {kLeaveOut, {{"flag", use->typed}}}};
}

bool takes_away(std::string_view words) {
  return trimmed(words).starts_with("drop ") || trimmed(words).starts_with("unset ");
}

// A title says the flag as the command will have it.
std::string as_written(std::string own, const std::string& common) {
  return own.empty() ? common : std::move(own);
}

// "drop --a", "set --b 4": nothing where there is nothing to change.
std::optional<Step> step_of(const Case& c, std::string_view words) {
  const auto blank = words.find(' ');
  if (blank == std::string_view::npos) return {};
  const auto verb = words.substr(0, blank);
  const auto rest = trimmed(words.substr(blank + 1));
  const std::string_view engine = c.serve.engine;
  const auto gap = rest.find(' ');
  const std::string name(rest.substr(0, gap));
  const auto value = gap == std::string_view::npos
                         ? std::optional(std::string())
                         : filled(c, trimmed(rest.substr(gap + 1)), Language::English);
  if (!value) return {};
  if (verb == "drop") return drop_step(c, name);
  if (verb == "unset") {
    if (!is_set(c, name)) return {};
    return Step{remove_environment(name), {kUnset, {{"name", name}}}};
  }
  if (verb == "set") {
    if (auto member = member_step(c, name, *value)) return member;
  }
  if (verb == "set") {
    return Step{
        set_flag(name, *value),
        {kSet, {{"flag", as_written(own_name_for_value(engine, name), name)}, {"value", *value}}}};
  }
  if (verb == "env") {
    return Step{set_environment(name, *value), {kSetVariable, {{"name", name}, {"value", *value}}}};
  }
  if (verb == "add") {
    return Step{add_switch(name), {kAdd, {{"flag", as_written(own_name(engine, name), name)}}}};
  }
  return {};
}

}  // namespace

std::vector<std::string_view> steps_in(std::string_view alternative) {
  std::vector<std::string_view> steps;
  std::size_t from = 0;
  bool inside = false;  // an expression has commas of its own
  for (std::size_t at = 0; at < alternative.size(); ++at) {
    if (alternative[at] == '{') inside = true;
    if (alternative[at] == '}') inside = false;
    if (alternative[at] != ',' || inside) continue;
    steps.push_back(alternative.substr(from, at - from));
    from = at + 1;
  }
  steps.push_back(alternative.substr(from));
  return steps;
}

std::vector<std::string_view> expressions_in(std::string_view text) {
  std::vector<std::string_view> found;
  for (auto open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) break;
    found.push_back(text.substr(open + 1, close - open - 1));
  }
  return found;
}

std::optional<Message> said(const Case& c, const Sentence& sentence) {
  if (sentence.empty()) return {};
  auto english = filled(c, sentence.english, Language::English);
  auto chinese = filled(c, sentence.chinese, Language::Chinese);
  if (!english || !chinese) return {};
  Message message{kSaid, {{"said", Both{std::move(*english), std::move(*chinese)}}}};
  for (const auto expression : expressions_in(sentence.english)) {
    auto value = worth(c, expression);
    if (!value) continue;
    message.arguments.emplace_back(expression, 0);
    message.arguments.back().value = std::move(*value);
  }
  return message;
}

Message said_otherwise(const Case& c, const ConstraintRow& row) {
  if (auto own = said(c, row.otherwise)) return std::move(*own);
  return {text_of(row.stage), {{"engine", shown_engine(c.serve.engine)}}};
}

std::optional<Proposal> said_fix(const Case& c, std::string_view alternative) {
  Proposal proposal;
  for (const auto words : steps_in(alternative)) {
    auto step = step_of(c, trimmed(words));
    if (!step && takes_away(words)) continue;  // it is not there; the rest may be enough
    if (!step) return {};
    proposal.changes.push_back(std::move(step->change));
    proposal.title =
        proposal.title.empty()
            ? std::move(step->title)
            : Message{kBoth,
                      {{"first", in_both(proposal.title)}, {"second", in_both(step->title)}}};
  }
  if (proposal.changes.empty()) return {};
  return proposal;
}

}  // namespace sx
