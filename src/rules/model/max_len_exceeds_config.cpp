// SX4111. The long explanation and the scenes are in max_len_exceeds_config.md.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "engines/context_limit.h"
#include "knowledge/context_stretch.h"
#include "knowledge/traits.h"
#include "rules/model/rope_override.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"a context of {asked} tokens exceeds the model's limit of {limit}",
                      "上下文 {asked} 个 token 超过了模型的上限 {limit}"};
constexpr Text kBasis{"limit of {limit} tokens: {origin}", "上限 {limit} 个 token：{origin}"};
constexpr Text kYarn{
    "{engine} takes max_position_embeddings as it stands and does not multiply it by YaRN's "
    "factor",
    "{engine} 直接采用 max_position_embeddings，不再乘以 YaRN 的 factor"};
constexpr Text kBecause{"the model knows positions up to this limit only",
                        "模型只认识这个上限以内的位置"};
constexpr Text kOtherwise{
    "the engine exits in the first minute: \"User-specified max_model_len ({plain}) is greater "
    "than the derived max_model_len\"",
    "引擎在第一分钟内退出：“User-specified max_model_len ({plain}) is greater than the derived "
    "max_model_len”"};
constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"the engine exits in the first minute: \"User-specified context_length ({plain}) is greater "
      "than the derived context_length\"",
      "引擎在第一分钟内退出：“User-specified context_length ({plain}) is greater than the derived "
      "context_length”"}}};
constexpr Text kAllowed{
    "{variable}=1 lets it start; prompts beyond the limit get noise, or end the "
    "server with a CUDA error",
    "{variable}=1 让它能够启动；超出上限的提示词会得到乱码，或使服务因 CUDA "
    "错误崩溃"};
constexpr Text kLetsIn{
    "this version starts all the same; prompts beyond the limit get noise, or end the server with "
    "a "
    "CUDA error",
    "这个版本照常启动；超出上限的提示词会得到乱码，或使服务因 CUDA 错误崩溃"};

constexpr Text kLimit{"stay within the model's limit of {limit} tokens",
                      "不超过模型的上限 {limit} 个 token"};
constexpr Text kSayLength{"say the length that the config's YaRN leads to: {limit} tokens",
                          "写明配置里的 YaRN 所对应的长度：{limit} 个 token"};
constexpr Text kWholeOverride{"say the stretched length in the overrides too",
                              "在覆盖参数里同时写明扩展后的长度"};
constexpr Text kStretch{
    "stretch the context with YaRN, factor {factor}, as the model's makers describe; short prompts "
    "lose a little",
    "按模型作者的说明用 YaRN 扩展上下文（factor {factor}）；短提示词的质量略有下降"};

constexpr Need kNeeds[] = {Need::ModelContext};

// The change that stretches the context far enough; nothing when the makers do not speak of it.
std::optional<Proposal> stretched(const Case& c, std::int64_t asked) {
  const ServeSpec& serve = c.serve;
  const auto stretch = context_stretch(c.model().id);
  const auto flag = trait(serve.engine, "yarn-flag", serve.version);
  if (!stretch || !flag || stretch->native < 1) return {};
  if (c.model().config_positions.value_or(0) != stretch->config_positions) return {};
  // Rounded up without a sum: what is asked may be any number.
  const std::int64_t factor = asked / stretch->native + (asked % stretch->native == 0 ? 0 : 1);
  if (factor > stretch->factor || serve.hf_overrides.asked()) return {};
  const std::string yarn =
      fmt::format(R"("rope_type": "yarn", "factor": {}.0, "original_max_position_embeddings": {})",
                  factor, stretch->native);
  const std::string json =
      *flag == "--rope-scaling"
          ? "{" + yarn + "}"
          : fmt::format(
                R"({{"rope_parameters": {{{}, "rope_theta": {}}}, "max_position_embeddings": {}}})",
                yarn, stretch->rope_theta, factor * stretch->native);
  return Proposal{.title = {kStretch, {{"factor", factor}}},
                  .changes = {set_flag(std::string(*flag), json)},
                  .safety = Safety::Trades};
}

// YaRN given by hand without the stretched length, where the version takes the length as it is
// written.
bool forgets_length(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (!serve.hf_overrides.asked() ||
      trait(serve.engine, "yarn-context", serve.version) != "as written")
    return false;
  const auto rope = rope_override(serve.hf_overrides.value());
  return rope && rope->type == "yarn" && !rope->says_length;
}

bool stretches_itself(const Case& c) {
  const ServeSpec& serve = c.serve;
  const bool unclear =
      !serve.rope_overridden.known() && !serve.rope_overridden.why_unknown().empty();
  if (unclear || overridden(serve, "model_max_length") ||
      serve.use_of("--hf-config-path") != nullptr)
    return true;
  return serve.rope_overridden.value_or(false) && !forgets_length(c);
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  if (!serve.max_model_len.asked() || stretches_itself(c)) return {};
  const std::int64_t asked = serve.max_model_len.value().count();
  const auto derives = context_limit(serve, c.model());
  if (!derives || asked <= derives->most) return {};
  const std::int64_t limit = derives->most;

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument limit_words("limit", Tokens{limit});
  d.title = {kTitle, {{"asked", Tokens{asked}}, limit_words}};
  mark(d, serve.max_model_len, {});
  const std::int64_t derived = c.model().max_positions.value().count();
  const Message basis{kBasis, {limit_words, {"origin", model_origin(c.model())}}};
  if (limit == derived) {
    also(d, c.model().max_positions, {}, basis);
  } else {
    also(d, c.model().config_positions, {}, basis);
    d.basis.push_back({kYarn, {{"engine", engine_and_version(serve)}}});
  }
  d.because = kBecause;
  d.otherwise = {of_engine(serve, kOtherwiseOf, kOtherwise), {{"plain", asked}}};
  d.subject = "--max-model-len";
  const std::string variable = own_flag(serve, "VLLM_ALLOW_LONG_MAX_MODEL_LEN");
  if (serve.allow_long_max_len.value_or(false) || switched_on(c, variable)) {
    complaint.severity = Severity::Warning;
    d.otherwise = {kAllowed, {{"variable", variable}}};
  } else if (trait(serve.engine, "longer-context", serve.version) != "refused") {
    complaint.severity = Severity::Warning;
    d.otherwise = kLetsIn;
  }
  const auto rope = rope_override(serve.hf_overrides.value_or(""));
  if (const auto whole = rope ? completed(c, *rope) : std::nullopt) {
    complaint.proposals.push_back({.title = kWholeOverride,
                                   .changes = {set_flag("--hf-overrides", *whole)},
                                   .safety = Safety::Safe});
  }
  if (derived >= asked && !serve.hf_overrides.asked()) {
    complaint.proposals.push_back(
        {.title = {kSayLength, {{"limit", Tokens{derived}}}},
         .changes = {set_flag("--hf-overrides",
                              fmt::format(R"({{"max_position_embeddings": {}}})", derived))}});
  }
  if (auto proposal = stretched(c, asked)) complaint.proposals.push_back(*std::move(proposal));
  complaint.proposals.push_back({.title = {kLimit, {limit_words}},
                                 .changes = {set_flag("--max-model-len", std::to_string(limit))},
                                 .safety = Safety::Trades});
  return {complaint};
}

}  // namespace

extern const Rule max_len_exceeds_config{
    .code = "SX4111",
    .name = "max-len-exceeds-config",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
