// Flags first, then what this version does by itself on cards of this size.
#include "engines/sglang/memory_settings.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/strings.h"
#include "engines/context_limit.h"
#include "engines/used_values.h"
#include "knowledge/memory_classes.h"

namespace sx {
namespace {

// More than any engine schedules; keeps products of user's numbers in range.
constexpr std::int64_t kMostTokens = 1'000'000'000'000;
constexpr std::int64_t kMostRequests = 100'000'000;
constexpr std::int64_t kMostDraftTokens = 1'000;

std::optional<double> share_of(const ServeSpec& serve, std::string_view flag) {
  const FlagUse* use = serve.use_of(flag);
  if (use == nullptr || use->values.empty() || !use->complete) return {};
  const auto share = to_number(use->values.front());
  return share && *share > 0 && *share <= 1000 ? share : std::nullopt;
}

bool has(const ServeSpec& serve, std::string_view flag) {
  const FlagUse* use = serve.use_of(flag);
  return use != nullptr && !use->negated;
}

// Largest of a list of sizes that a flag gives.
std::optional<std::int64_t> largest_of(const ServeSpec& serve, std::string_view flag) {
  const FlagUse* use = serve.use_of(flag);
  if (use == nullptr) return {};
  std::optional<std::int64_t> largest;
  for (const std::string& value : use->values) {
    if (const auto size = to_integer(value))
      largest = std::max<std::int64_t>(largest.value_or(0), *size);
  }
  return largest;
}

// The heuristics look at every card of the machine, whatever the mask says.
double smallest_card_mib(const HostSpec& host) {
  double smallest = 0;
  for (const Gpu& gpu : host.gpus) {
    const Fact<Bytes>& size = gpu.memory.known() ? gpu.memory : gpu.usable;
    if (!size.known() || size.value() <= Bytes{0}) continue;
    const double mib_of_card = static_cast<double>(size.value().count()) / (1024.0 * 1024);
    smallest = smallest == 0 ? mib_of_card : std::min(smallest, mib_of_card);
  }
  return smallest;
}

double kv_element(const Case& c, int dtype) {
  const std::string asked = lower(c.serve.kv_dtype.value_or("auto"));
  if (asked == "auto") {
    const bool by_checkpoint =
        c.model().is_quantised() && c.model().quantisation.value().kv_fp8.value_or(false);
    return by_checkpoint ? 1 : dtype;
  }
  if (asked == "bf16") return 2;
  if (const auto row = constant("sglang", "kv-bytes:" + asked, c.serve.version)) return row->value;
  return asked.starts_with("fp8") ? 1 : dtype;
}

bool of_type(std::string_view what, const Shape& shape, const Version& version) {
  return sglang_number(std::string(what) + shape.type, version) != 0;
}

void set_ranks(SglangSettings& s, const Case& c, const Layout& layout) {
  s.tensor = std::max(1, layout.tensor);
  s.pipeline = std::max(1, layout.pipeline);
  s.attention_data = std::clamp(c.serve.attention_data_parallel.value_or(1), 1, s.tensor);
  const int context = std::clamp(static_cast<int>(std::clamp<std::int64_t>(
                                     number_of(c.serve, "--attn-cp-size").value_or(1), 1, 1024)),
                                 1, s.tensor);
  s.attention_ranks = std::max(1, s.tensor / s.attention_data / context);
  s.decode_context = std::max(1, layout.decode_context);
}

void set_draft(SglangSettings& s, const Case& c) {
  const std::string algorithm = word_of(c.serve, "--speculative-algorithm");
  if (algorithm.empty() || algorithm == "none") return;
  s.draft = algorithm == "ngram"        ? SglangDraft::Lookup
            : algorithm == "standalone" ? SglangDraft::Model
                                        : SglangDraft::Layers;
  s.draft_tokens = std::clamp<std::int64_t>(
      number_of(c.serve, "--speculative-num-draft-tokens").value_or(0), 0, kMostDraftTokens);
  if (s.draft == SglangDraft::Lookup) return;
  if (const FlagUse* use = c.serve.use_of("--speculative-draft-model-path");
      use != nullptr && !use->values.empty())
    s.draft_model = use->values.front();
  const ModelSpec* draft =
      s.draft_model.empty() || !c.find_model ? nullptr : c.find_model(s.draft_model);
  if (draft != nullptr && draft->layers.known()) {
    s.draft_layers = std::max(0, draft->layers.value());
  } else if (s.draft == SglangDraft::Layers) {
    const int usual = static_cast<int>(sglang_constant("draft-layers-default", s.version).value);
    s.draft_layers =
        s.draft_model.empty() ? std::max(1, c.model().draft_layers.value_or(usual)) : usual;
  }
}

void set_chunk(SglangSettings& s, const ServeSpec& serve, const MemoryClass& of_card) {
  s.chunk = of_card.chunk.count();
  if (serve.max_batched_tokens.known())
    s.chunk = std::clamp<std::int64_t>(serve.max_batched_tokens.value().count(), 0, kMostTokens);
  constexpr std::int64_t kUsualPrompts = 16384;  // stands in where the flag's table does not say
  s.prompts = std::clamp<std::int64_t>(
      number_of(serve, "--max-prefill-tokens").value_or(kUsualPrompts), 1, kMostTokens);
}

// Only values that are not said are filled in.
void set_decode_graphs(SglangSettings& s, const ServeSpec& serve, const MemoryClass& of_card) {
  const bool off = serve.enforce_eager.value_or(false) || has(serve, "--disable-cuda-graph") ||
                   has(serve, "--disable-decode-cuda-graph") ||
                   word_of(serve, "--cuda-graph-backend-decode") == "disabled" ||
                   s.role == SglangRole::Prefill;
  if (off) return;
  constexpr int kManyRanks = 4;  // the classes have a column of their own from there on
  s.graph_batch = s.tensor >= kManyRanks ? of_card.graph_batch_tp4 : of_card.graph_batch;
  std::optional<std::int64_t> asked;
  for (const std::string_view flag : {"--cuda-graph-bs-decode", "--cuda-graph-bs",
                                      "--cuda-graph-max-bs-decode", "--cuda-graph-max-bs"}) {
    if (!asked) asked = largest_of(serve, flag);
  }
  if (!asked && s.requests_asked > 0) s.graph_batch = std::min(s.graph_batch, s.requests_asked);
  if (asked) s.graph_batch = std::clamp<std::int64_t>(*asked, 1, kMostRequests);
}

bool prefill_graphs_on(const SglangSettings& s, const ServeSpec& serve, const Shape& shape) {
  const bool asked = has(serve, "--enable-piecewise-cuda-graph") ||
                     serve.use_of("--cuda-graph-backend-prefill") != nullptr;
  if (!asked && sglang_number("prefill-graphs-default", s.version) == 0) return false;
  if (serve.enforce_eager.value_or(false)) return false;
  for (const std::string_view flag :
       {"--disable-cuda-graph", "--disable-prefill-cuda-graph", "--disable-piecewise-cuda-graph"}) {
    if (has(serve, flag)) return false;
  }
  if (asked) return word_of(serve, "--cuda-graph-backend-prefill") != "disabled";
  const bool staged =
      s.pipeline > 1 && sglang_number("prefill-graphs-off-in-pipeline", s.version) != 0;
  return !staged && !s.with_vision && s.decode_context == 1 && s.role != SglangRole::Decode &&
         !has(serve, "--enable-two-batch-overlap") &&
         !of_type("prefill-graphs-off:", shape, s.version);
}

void set_prefill_graphs(SglangSettings& s, const ServeSpec& serve, const Shape& shape) {
  if (!prefill_graphs_on(s, serve, shape)) return;
  std::optional<std::int64_t> asked;
  for (const std::string_view flag :
       {"--cuda-graph-bs-prefill", "--piecewise-cuda-graph-tokens", "--cuda-graph-max-bs-prefill",
        "--piecewise-cuda-graph-max-tokens"}) {
    if (!asked) asked = largest_of(serve, flag);
  }
  s.prefill_graph_tokens = asked.value_or(s.chunk > 0 ? s.chunk : s.prompts);
  if (s.pool_limit > 0) s.prefill_graph_tokens = std::min(s.prefill_graph_tokens, s.pool_limit);
  s.prefill_graph_tokens = std::clamp<std::int64_t>(s.prefill_graph_tokens, 1, kMostTokens);
}

void set_pools(SglangSettings& s, const Case& c, const Shape& shape) {
  const ServeSpec& serve = c.serve;
  s.page = std::clamp(
      serve.block_size.value_or(static_cast<int>(sglang_constant("page-size", s.version).value)), 1,
      1 << 20);
  s.windows_apart = sglang_number("hybrid-windows", s.version) != 0 &&
                    !has(serve, "--disable-hybrid-swa-memory") &&
                    !of_type("hybrid-windows-off:", shape, s.version);
  s.window_ratio = share_of(serve, "--swa-full-tokens-ratio")
                       .value_or(sglang_constant("window-ratio", s.version).value);
  s.state_ratio = share_of(serve, "--mamba-full-memory-ratio")
                      .value_or(sglang_constant("state-ratio", s.version).value);
  s.state_slots = std::clamp<std::int64_t>(
      number_of(serve, "--max-mamba-cache-size").value_or(0) / s.attention_data, 0, kMostRequests);
  s.prefix_cache = !has(serve, "--disable-radix-cache") &&
                   (!serve.prefix_caching.asked() || serve.prefix_caching.value());
  s.overlap = !has(serve, "--disable-overlap-schedule") && s.pipeline == 1;
  if (serve.kv_tokens.known())
    s.pool_limit = std::clamp<std::int64_t>(serve.kv_tokens.value().count(), 0, kMostTokens);
}

bool takes_pictures(const Case& c, const Shape& shape) {
  if (has(c.serve, "--language-only") || c.serve.language_model_only.value_or(false)) return false;
  if (c.model().vision.layers.value_or(0) <= 0) return false;
  return has(c.serve, "--enable-multimodal") || !of_type("pictures-off:", shape, c.serve.version);
}

SglangRole role_of(const ServeSpec& serve) {
  const std::string mode = word_of(serve, "--disaggregation-mode");
  if (mode == "prefill") return SglangRole::Prefill;
  return mode == "decode" ? SglangRole::Decode : SglangRole::Both;
}

}  // namespace

SglangSettings sglang_settings(const Case& c, const Shape& shape, const Layout& layout) {
  const ServeSpec& serve = c.serve;
  SglangSettings s;
  s.version = serve.version;
  s.role = role_of(serve);
  set_ranks(s, c, layout);
  const std::string dtype = serve.dtype.value_or("auto");
  s.dtype_bytes = dtype == "float32" || dtype == "float" ? 4 : 2;
  s.kv_element = kv_element(c, s.dtype_bytes);
  s.card_mib = smallest_card_mib(c.host());
  const std::int64_t own = own_context(serve, c.model());
  s.context_asked = serve.max_model_len.known() && serve.max_model_len.value().count() > 0;
  s.context = Tokens{std::clamp<std::int64_t>(
      s.context_asked ? serve.max_model_len.value().count() : own, 1, kMostTokens)};
  if (serve.max_num_seqs.known())
    s.requests_asked = std::clamp<std::int64_t>(serve.max_num_seqs.value(), 0, kMostRequests);
  s.with_vision = takes_pictures(c, shape);
  s.deepep = word_of(serve, "--moe-a2a-backend").starts_with("deepep") ||
             has(serve, "--enable-deepep-moe");
  const MemoryClass of_card = memory_class("sglang", s.card_mib, s.version).value_or(MemoryClass{});
  set_draft(s, c);
  set_chunk(s, serve, of_card);
  set_pools(s, c, shape);
  set_decode_graphs(s, serve, of_card);
  set_prefill_graphs(s, serve, shape);
  return s;
}

const Constant& sglang_constant(std::string_view name, const Version& version) {
  const Constant* row = find_constant("sglang", name, version);
  SX_ASSERT(row != nullptr);
  return *row;
}

double sglang_number(std::string_view name, const Version& version) {
  const Constant* row = find_constant("sglang", name, version);
  return row == nullptr ? 0 : row->value;
}

int sglang_prefill_graph_sizes(std::int64_t largest) {
  // From so many tokens to so many, in steps of so many (SGLang's own ladder).
  struct Steps {
    std::int64_t first, last, step;
  };
  constexpr std::array<Steps, 5> kLadder{
      {{4, 32, 4}, {48, 256, 16}, {288, 512, 32}, {576, 1024, 64}, {1280, 4096, 256}}};
  constexpr Steps kRest{4608, 0, 512};
  std::int64_t sizes = 0;
  for (const Steps& steps : kLadder) {
    const std::int64_t last = std::min(largest, steps.last);
    if (last >= steps.first) sizes += (last - steps.first) / steps.step + 1;
  }
  constexpr std::int64_t kMostSizes = 10'000;  // a hundred times more than any launch captures
  if (largest >= kRest.first)
    sizes += std::min(kMostSizes, (largest - kRest.first) / kRest.step + 1);
  return static_cast<int>(sizes);
}

}  // namespace sx
