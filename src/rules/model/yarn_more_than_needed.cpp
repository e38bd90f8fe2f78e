// SX4136. The long explanation and the scenes are in yarn_more_than_needed.md.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "engines/used_values.h"
#include "rules/model/llama_slots.h"
#include "rules/model/rope_override.h"

namespace sx::rules {
namespace {

constexpr Text kNotNeeded{
    "YaRN with factor {factor}, and {asked} tokens fit the {native} the model was trained for",
    "YaRN 的 factor 为 {factor}，而 {asked} 个 token 本来就在模型训练过的 {native} 以内"};
constexpr Text kTooMuch{"YaRN with factor {factor}, and {enough} is enough for {asked} tokens",
                        "YaRN 的 factor 为 {factor}，而 {asked} 个 token 只需要 {enough}"};
constexpr Text kLabel{"applies to every request, however short", "对所有请求生效，不论长短"};
constexpr Text kLength{"the longest request", "最长的请求"};
constexpr Text kBecause{
    "the engine stretches positions by one fixed factor, whatever a prompt's length; the larger it "
    "is, the less exact positions near each other become",
    "引擎对所有提示词都用同一个固定的 factor 拉伸位置，与长度无关；factor "
    "越大，相邻位置就越不精确"};
constexpr Text kOtherwise{"it works; answers to prompts of usual length get a little worse",
                          "可以运行，但对一般长度的提示词，回答质量会略有下降"};
constexpr Text kWithout{"leave YaRN out: {asked} tokens need none",
                        "去掉 YaRN：{asked} 个 token 不需要它"};
constexpr Text kByHand{"write a smaller factor into {flag}, or leave its YaRN out",
                       "把 {flag} 里的 factor 改小，或去掉其中的 YaRN"};
constexpr Text kLess{"factor {enough}, which reaches {reach} tokens",
                     "factor 设为 {enough}，可达 {reach} 个 token"};

// What the command says of YaRN, and how to say it with another factor or not at all.
struct Stretch {
  Fact<std::string> place;
  double factor = 1;
  std::int64_t native = 0;
  std::string_view flag;
  std::string json;    // empty: llama.cpp's flags
  std::string others;  // members of the JSON that say nothing of YaRN
};

// The other members; what says the stretched length goes with the stretch, where it stands alone.
std::string without_length(const RopeOverride& rope) {
  const bool alone = rope.others.find(", \"") == std::string::npos;
  return rope.says_length && alone ? std::string() : rope.others;
}

// Of a JSON text of --hf-overrides, or of --rope-scaling of older versions.
std::optional<Stretch> of_json(std::string_view flag, const FlagUse& use) {
  if (use.values.size() != 1 || !use.complete || use.path || use.spliced) return {};
  const std::string& text = use.values.front();
  const std::string whole = flag == "--rope-scaling" ? "{\"rope_scaling\": " + text + "}" : text;
  const auto rope = rope_override(whole);
  if (!rope || rope->type != "yarn" || !rope->factor || !rope->original) return {};
  return Stretch{.place = {text, Origin::Flag, use.span},
                 .factor = *rope->factor,
                 .native = *rope->original,
                 .flag = flag,
                 .json = text,
                 .others = without_length(*rope)};
}

std::optional<Stretch> of_flags(const Case& c) {
  const ServeSpec& serve = c.serve;
  const FlagUse* use = serve.use_of("--rope-scaling");
  if (use == nullptr || use->values.empty() || use->values.front() != "yarn") return {};
  const FlagUse* scale = serve.use_of("--rope-scale");
  if (scale == nullptr || scale->values.empty()) return {};
  const auto factor = to_number(scale->values.front());
  const auto native = number_of(serve, "--yarn-orig-ctx");
  const std::int64_t own =
      c.model().max_positions.known() ? c.model().max_positions.value().count() : 0;
  if (!factor || native.value_or(own) < 1) return {};
  return Stretch{.place = {scale->values.front(), Origin::Flag, scale->span},
                 .factor = *factor,
                 .native = native.value_or(own),
                 .flag = "--rope-scale"};
}

std::optional<Stretch> stretch_of(const Case& c) {
  if (c.serve.engine == "llamacpp") return of_flags(c);
  for (const std::string_view flag :
       {"--hf-overrides", "--rope-scaling", "--json-model-override-args"}) {
    const FlagUse* use = c.serve.use_of(flag);
    if (use == nullptr) continue;
    if (auto found = of_json(flag, *use)) return found;
  }
  return {};
}

// The same text with another factor: only where it stands as a plain number.
std::optional<std::string> with_factor(const std::string& json, double old, double factor) {
  for (const std::string& text : {fmt::format("{:.1f}", old), fmt::format("{}", old)}) {
    for (const std::string_view between : {":", ": "}) {
      const std::string written = "\"factor\"" + std::string(between) + text;
      const auto at = json.find(written);
      if (at == std::string::npos) continue;
      const std::size_t end = at + written.size();
      if (end < json.size() && (json[end] == '.' || (json[end] >= '0' && json[end] <= '9')))
        continue;
      return json.substr(0, at) + "\"factor\"" + std::string(between) +
             fmt::format("{:.1f}", factor) + json.substr(end);
    }
  }
  return {};
}

void propose(const Stretch& stretch, std::int64_t asked, double enough,
             std::vector<Proposal>& proposals) {
  if (enough <= 1) {
    std::vector<Change> changes{remove_flag(std::string(stretch.flag))};
    if (!stretch.others.empty())
      changes = {set_flag(std::string(stretch.flag), "{" + stretch.others + "}")};
    if (stretch.json.empty())
      changes = {remove_flag("--rope-scaling"), remove_flag("--rope-scale"),
                 remove_flag("--yarn-orig-ctx")};
    proposals.push_back(
        {.title = {kWithout, {{"asked", Tokens{asked}}}}, .changes = std::move(changes)});
    return;
  }
  const std::int64_t reach =
      static_cast<std::int64_t>(static_cast<double>(stretch.native) * enough);
  const Message title{kLess, {{"enough", enough}, {"reach", Tokens{reach}}}};
  if (stretch.json.empty()) {
    proposals.push_back(
        {.title = title, .changes = {set_flag("--rope-scale", fmt::format("{}", enough))}});
  } else if (const auto json = with_factor(stretch.json, stretch.factor, enough)) {
    proposals.push_back({.title = title, .changes = {set_flag(std::string(stretch.flag), *json)}});
  }
}

std::vector<Complaint> check(const Case& c) {
  if (!c.serve.max_model_len.asked()) return {};
  const auto stretch = stretch_of(c);
  if (!stretch || !(stretch->factor > 1) || stretch->native < 1) return {};
  const bool llama = c.serve.engine == "llamacpp";
  const std::int64_t asked =
      c.serve.max_model_len.value().count() / (llama ? slots_apart(c.serve).value_or(1) : 1);
  const double need = static_cast<double>(asked) / static_cast<double>(stretch->native);
  const double enough = std::ceil(need);
  if (asked < 1 || enough >= stretch->factor) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument factor("factor", stretch->factor), length("asked", Tokens{asked});
  d.title = enough <= 1 ? Message{kNotNeeded, {factor, length, {"native", Tokens{stretch->native}}}}
                        : Message{kTooMuch, {factor, length, {"enough", enough}}};
  mark(d, stretch->place, kLabel);
  mark(d, c.serve.max_model_len, kLength);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = stretch->flag;
  d.no_fix = {kByHand, {{"flag", stretch->flag}}};
  propose(*stretch, asked, enough, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule yarn_more_than_needed{
    .code = "SX4136",
    .name = "yarn-more-than-needed",
    .severity = Severity::Advice,
    .check = check,
};

}  // namespace sx::rules
