// Flags first, then what this version does by itself on this kind of card.
#include "engines/vllm/memory_settings.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/strings.h"
#include "engines/context_limit.h"
#include "knowledge/flags.h"
#include "knowledge/paired_name.h"
#include "knowledge/traits.h"
#include "knowledge/truth_words.h"
#include "read/json.h"
#include "read/settings.h"

namespace sx {
namespace {

// More than any engine schedules; keeps products of user's numbers in range.
constexpr std::int64_t kMostTokens = 1'000'000'000'000;
constexpr int kMostSequences = 100'000'000;
constexpr int kMostDraftTokens = 1'000;

std::optional<double> default_number(std::string_view name, const Version& version) {
  const auto row = engine_default("vllm", name, version);
  return row ? to_number(row->value) : std::nullopt;
}

// Cards that this version's V1 does not run on get V0.
bool too_old_for_v1(const Gpu& card, const Version& version) {
  const auto least = constant("vllm", "v1-least-capability", version);
  return least && card.capability.known() && card.capability.value().major < least->value;
}

bool is_v0(const Case& c, const Gpu& card) {
  const Version& version = c.serve.version;
  const bool has_v0 = constant("vllm", "runtime-v0-one-gpu", version).has_value();
  if (!has_v0) return false;
  if (const auto said = variable_of(c.command, "VLLM_USE_V1")) return *said == "0";
  const auto engine = engine_default("vllm", "engine", version);
  return (engine && engine->value == "V0") || too_old_for_v1(card, version);
}

int dtype_bytes(const ServeSpec& serve) {
  // "auto" never serves in 32 bit: such checkpoints are converted while they load.
  const std::string dtype = serve.dtype.value_or("auto");
  return dtype == "float32" || dtype == "float" ? 4 : 2;
}

double kv_element(const Case& c, int dtype) {
  const std::string asked = c.serve.kv_dtype.value_or("auto");
  if (asked == "auto") {
    const bool by_checkpoint =
        c.model().is_quantised() && c.model().quantisation.value().kv_fp8.value_or(false);
    return by_checkpoint ? vllm_constant("kv-bytes:fp8", c.serve.version).value : dtype;
  }
  if (const auto row = constant("vllm", PairedName("kv-bytes:", asked).view(), c.serve.version))
    return row->value;
  return asked.starts_with("fp8") ? vllm_constant("kv-bytes:fp8", c.serve.version).value : dtype;
}

// A fraction that the engine refuses (a rule of the command says so) is taken for the default: the
// rest of the launch can still be judged.
double memory_fraction(const ServeSpec& serve) {
  const double usual = default_number("gpu-memory-utilization", serve.version).value_or(1);
  if (!serve.memory_fraction.known()) return usual;
  const double fraction = serve.memory_fraction.value();
  return fraction > 0 && fraction <= 1 ? fraction : usual;
}

// Which row of the scheduler's defaults this card gets.
std::string_view card_class(const Gpu& card, const Version& version) {
  if (!card.usable.known()) return "other";
  const double size = in_gib(card.usable.value());
  const auto huge = constant("vllm", "huge-card", version);
  if (huge && size >= huge->value) return "huge";
  const auto word = trait("vllm", "large-card-spares", version);
  const bool spared = word && lower(card.name.value_or("")).contains(*word);
  return size >= vllm_constant("large-card", version).value && !spared ? "large" : "other";
}

double v0_tokens(const VllmSettings& s) {
  const auto length = static_cast<double>(s.max_model_len.count());
  const double least = default_number("max-num-batched-tokens:v0", s.version).value_or(1);
  const auto long_context = constant("vllm", "v0-long-context", s.version);
  if (!long_context || length <= long_context->value) return std::max(length, least);
  const auto tokens = constant("vllm", "v0-tokens-long", s.version);
  return tokens ? tokens->value : least;
}

void set_scheduler(VllmSettings& s, const ServeSpec& serve, const Gpu& card) {
  const std::string_view kind = s.v0 ? "v0" : card_class(card, s.version);
  const auto number = [&](std::string_view name) {
    if (const auto own = default_number(PairedName(name, kind).view(), s.version)) return *own;
    return default_number(PairedName(name, "v0").view(), s.version).value_or(1);
  };
  const bool seqs_asked = serve.max_num_seqs.known() && serve.max_num_seqs.value() > 0;
  const bool tokens_asked =
      serve.max_batched_tokens.known() && serve.max_batched_tokens.value().count() > 0;
  const double seqs = seqs_asked ? serve.max_num_seqs.value() : number("max-num-seqs:");
  double tokens = s.v0 ? v0_tokens(s) : number("max-num-batched-tokens:");
  const auto length = static_cast<double>(s.max_model_len.count());
  if (tokens_asked) {
    tokens = static_cast<double>(serve.max_batched_tokens.value().count());
  } else {
    // Without chunked prefill a prompt must fit into one step; no step is longer than all sequences
    // together.
    if (serve.chunked_prefill.asked() && !serve.chunked_prefill.value())
      tokens = std::max(tokens, length);
    if (!s.v0) tokens = std::min(tokens, seqs * length);
  }
  s.batched_tokens =
      Tokens{static_cast<std::int64_t>(std::clamp(tokens, 1.0, static_cast<double>(kMostTokens)))};
  const double in_force =
      seqs_asked ? seqs : std::min(seqs, static_cast<double>(s.batched_tokens.count()));
  s.max_num_seqs = static_cast<int>(std::clamp(in_force, 1.0, static_cast<double>(kMostSequences)));
}

void set_draft(VllmSettings& s, const ServeSpec& serve) {
  if (!serve.speculative.known()) return;
  const std::string text = serve.speculative.value();
  const auto document = JsonDocument::parse(text);
  if (!document) return;  // a rule of the command says so
  const JsonValue config = document->root();
  const auto tokens = config["num_speculative_tokens"].integer().value_or(0);
  s.draft_tokens = static_cast<int>(std::clamp<std::int64_t>(tokens, 0, kMostDraftTokens));
  const std::string method = lower(config["method"].string().value_or(""));
  s.draft_layers = method.find("mtp") != std::string::npos;
  s.draft_model = !s.draft_layers && method.find("ngram") == std::string::npos &&
                  static_cast<bool>(config["model"]);
}

bool estimates_graphs(const Case& c, bool v0) {
  if (v0) return false;
  constexpr std::string_view kEstimates = "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS";
  const auto said = variable_of(c.command, kEstimates);
  // The variable came with the estimate itself; older versions pass over it.
  const bool known = engine_default("vllm", kEstimates, c.serve.version).has_value();
  if (said && known) return variable_truth("vllm", kEstimates, *said).value_or(false);
  return vllm_does("graphs-subtracted", c.serve.version);
}

bool profiles_vision(const Case& c) {
  if (c.serve.language_model_only.value_or(false)) return false;
  const Fact<std::string>& type = c.model().model_type;
  return c.model().vision.layers.value_or(0) > 0 ||
         optional_formula_constant(
             PairedName("picture-pixels-per-token:",
                        type.known() ? std::string_view(type.value()) : std::string_view{})
                 .view())
             .has_value();
}

}  // namespace

VllmSettings vllm_loading(const Case& c) {
  VllmSettings s;
  s.version = c.serve.version;
  s.dtype_bytes = dtype_bytes(c.serve);
  s.memory_fraction = memory_fraction(c.serve);
  set_draft(s, c.serve);
  s.with_vision = profiles_vision(c);
  return s;
}

VllmSettings vllm_settings(const Case& c, const Gpu& card) {
  const ServeSpec& serve = c.serve;
  VllmSettings s = vllm_loading(c);
  s.v0 = is_v0(c, card);
  s.kv_element = kv_element(c, s.dtype_bytes);
  const std::int64_t own = own_context(serve, c.model());
  s.max_model_len_asked = serve.max_model_len.known() && serve.max_model_len.value().count() > 0;
  s.max_model_len = Tokens{std::clamp<std::int64_t>(
      s.max_model_len_asked ? serve.max_model_len.value().count() : own, 1, kMostTokens)};
  s.fill_the_pool = !s.max_model_len_asked && serve.max_model_len_auto.value_or(false);
  set_scheduler(s, serve, card);
  const int block = serve.block_size.value_or(0);
  s.block_size = block > 0 && block <= kMostSequences
                     ? block
                     : static_cast<int>(default_number("block-size", s.version).value_or(1));
  s.eager = serve.enforce_eager.value_or(false);
  s.estimates_graphs = estimates_graphs(c, s.v0) && !s.eager;
  const bool caches_prefixes = !serve.prefix_caching.asked() || serve.prefix_caching.value();
  s.state_checkpoints = caches_prefixes && vllm_constant("hybrid-state-slots", s.version).value > 1;
  return s;
}

const Constant& vllm_constant(std::string_view name, const Version& version) {
  const Constant* row = find_constant("vllm", name, version);
  SX_ASSERT(row != nullptr);
  return *row;
}

bool vllm_does(std::string_view name, const Version& version) {
  const Constant* row = find_constant("vllm", name, version);
  return row != nullptr && row->value != 0;
}

std::optional<std::string_view> variable_of(const Command& command, std::string_view name) {
  const Setting* setting = last_setting(command.environment, name);
  if (setting == nullptr || !setting->complete) return {};
  return setting->value;
}

}  // namespace sx
