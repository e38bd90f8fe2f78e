// Keys of a GGUF header → facts. Their names begin with the architecture: "qwen3.block_count".
#include <algorithm>
#include <limits>

#include "gather/model_gguf.h"
#include "gather/model_parts.h"
#include "knowledge/gguf_file_types.h"
#include "knowledge/model_classes.h"

namespace sx {
namespace {

constexpr std::int64_t kMostLayers = 512;  // as llama.cpp has it
constexpr std::int64_t kLargestCount = 10'000'000;
constexpr std::int64_t kMostTokens = 1'000'000'000;

constexpr Text kNoKey{"the file's header has no {key}", "文件头中没有 {key}"};
constexpr Text kSenseless{"{key} in the file's header makes no sense: {value}",
                          "文件头中 {key} 的值不合理：{value}"};

class Keys {
 public:
  Keys(const GgufHeader& header, std::string architecture)
      : header_(header), architecture_(std::move(architecture)) {}

  std::string name(std::string_view key) const { return architecture_ + '.' + std::string(key); }
  const GgufValue* find(std::string_view key) const { return header_.find(name(key)); }
  std::optional<std::int64_t> integer(std::string_view key) const {
    return header_.integer(name(key));
  }
  std::optional<std::string> text(std::string_view key) const { return header_.text(name(key)); }
  std::optional<double> number(std::string_view key) const { return header_.number(name(key)); }

  // A number, or the largest of a number a layer.
  Fact<int> count(std::string_view key, std::int64_t most = kLargestCount) const {
    const GgufValue* value = find(key);
    if (value == nullptr) return Fact<int>::unknown({kNoKey, {{"key", name(key)}}});
    std::optional<std::int64_t> number = integer(key);
    if (!number && !value->items.empty()) number = *std::ranges::max_element(value->items);
    if (number && *number >= 0 && *number <= most)
      return {static_cast<int>(*number), Origin::Header};
    return Fact<int>::unknown(
        {kSenseless,
         {{"key", name(key)}, {"value", number ? std::to_string(*number) : std::string("?")}}});
  }

  // Known and zero where the key is absent.
  Fact<int> count_or_none(std::string_view key) const {
    return find(key) == nullptr ? Fact<int>(0, Origin::Header) : count(key);
  }

 private:
  const GgufHeader& header_;
  std::string architecture_;
};

// A number a layer, as it is or the same for all; empty when the key is a single number.
std::vector<int> by_layer(const Keys& keys, std::string_view key, int layers) {
  std::vector<int> numbers;
  const GgufValue* value = keys.find(key);
  if (value == nullptr || value->items.size() < static_cast<std::size_t>(layers)) return numbers;
  for (int layer = 0; layer < layers; ++layer) {
    const std::int64_t number = value->items[static_cast<std::size_t>(layer)];
    numbers.push_back(static_cast<int>(std::clamp<std::int64_t>(number, 0, kLargestCount)));
  }
  return numbers;
}

void read_size(ModelSpec& model, const Keys& keys) {
  model.layers = keys.count("block_count", kMostLayers);
  model.draft_layers = keys.count_or_none("nextn_predict_layers");
  if (model.layers.known() && model.draft_layers.known() &&
      model.draft_layers.value() < model.layers.value()) {
    // The count includes the layers that only draft.
    model.layers = {model.layers.value() - model.draft_layers.value(), Origin::Header};
  }
  if (model.layers.known() && model.layers.value() == 0)
    model.layers =
        Fact<int>::unknown({kSenseless, {{"key", keys.name("block_count")}, {"value", "0"}}});
  model.hidden_size = keys.count("embedding_length");
  model.intermediate_size = keys.count("feed_forward_length");
}

void read_heads(ModelSpec& model, const Keys& keys) {
  model.heads = keys.count("attention.head_count");
  model.kv_heads = keys.find("attention.head_count_kv") == nullptr
                       ? model.heads
                       : keys.count("attention.head_count_kv");
  if (model.layers.known()) {
    const auto kv = by_layer(keys, "attention.head_count_kv", model.layers.value());
    if (std::ranges::adjacent_find(kv, std::ranges::not_equal_to{}) != kv.end())
      model.kv_heads_by_layer = kv;
  }
  model.head_dim = keys.count("attention.key_length");
  if (!model.head_dim.known() && model.heads.value_or(0) > 0 && model.hidden_size.known())
    model.head_dim = {model.hidden_size.value() / model.heads.value(), Origin::Formula};
  if (keys.find("attention.value_length") != nullptr)
    model.value_dim = keys.count("attention.value_length");
}

void read_latent_attention(ModelSpec& model, const Keys& keys) {
  model.kv_lora = keys.count_or_none("attention.kv_lora_rank");
  model.q_lora = keys.count_or_none("attention.q_lora_rank");
  const Fact<int> none{0, Origin::Header};
  model.qk_nope_dim = model.qk_rope_dim = model.v_head_dim = none;
  if (!model.is_mla()) return;
  model.qk_rope_dim = keys.count("rope.dimension_count");
  const Fact<int> key = keys.find("attention.key_length_mla") == nullptr
                            ? keys.count("attention.key_length")
                            : keys.count("attention.key_length_mla");
  model.v_head_dim = keys.find("attention.value_length_mla") == nullptr
                         ? keys.count("attention.value_length")
                         : keys.count("attention.value_length_mla");
  model.head_dim = key;
  if (key.known() && model.qk_rope_dim.known())
    model.qk_nope_dim = {std::max(0, key.value() - model.qk_rope_dim.value()), Origin::Header};
}

void read_experts(ModelSpec& model, const Keys& keys) {
  model.experts = keys.count_or_none("expert_count");
  model.experts_per_token = keys.count_or_none("expert_used_count");
  model.expert_width = keys.count_or_none("expert_feed_forward_length");
  if (model.is_moe() && keys.find("expert_feed_forward_length") == nullptr)
    model.expert_width = model.intermediate_size;
  model.dense_layers_first = keys.count_or_none("leading_dense_block_count");
  model.shared_expert_width = keys.count_or_none("expert_shared_feed_forward_length");
  const Fact<int> shared = keys.count_or_none("expert_shared_count");
  if (keys.find("expert_shared_feed_forward_length") == nullptr && shared.value_or(0) > 0 &&
      shared.value() < 1000 && model.expert_width.known())
    model.shared_expert_width = {shared.value() * model.expert_width.value(), Origin::Header};
  if (!model.is_moe() && model.experts.known()) model.expert_interval = {0, Origin::Header};
}

// State-space layers, and the linear attention whose numbers stand under the same names.
void read_states(ModelSpec& model, const Keys& keys) {
  model.ssm_conv = keys.count_or_none("ssm.conv_kernel");
  model.ssm_inner = keys.count_or_none("ssm.inner_size");
  model.ssm_state = keys.count_or_none("ssm.state_size");
  model.ssm_groups = keys.count_or_none("ssm.group_count");
  const Fact<int> none{0, Origin::Header};
  model.full_interval = keys.count_or_none("full_attention_interval");
  model.linear_key_heads = model.linear_value_heads = none;
  model.linear_key_dim = model.linear_value_dim = model.linear_conv = none;
  if (model.full_interval.value_or(0) == 0) return;
  model.linear_conv = model.ssm_conv;
  model.linear_key_heads = model.ssm_groups;
  model.linear_key_dim = model.ssm_state;
  model.linear_value_heads = keys.count("ssm.time_step_rank");
  if (model.linear_value_heads.value_or(0) > 0 && model.ssm_inner.known())
    model.linear_value_dim = {model.ssm_inner.value() / model.linear_value_heads.value(),
                              Origin::Header};
}

void read_context(ModelSpec& model, const Keys& keys) {
  const auto length = keys.integer("context_length");
  if (length && *length > 0 && *length <= kMostTokens) {
    model.config_positions = {*length, Origin::Header};
    model.max_positions = {Tokens{*length}, Origin::Header};
  } else {
    model.config_positions =
        Fact<std::int64_t>::unknown({kNoKey, {{"key", keys.name("context_length")}}});
    model.max_positions = Fact<Tokens>::unknown({kNoKey, {{"key", keys.name("context_length")}}});
  }
  RopeScaling rope;
  rope.type = keys.text("rope.scaling.type").value_or("");
  if (rope.type == "none") rope.type.clear();
  rope.factor = keys.number("rope.scaling.factor");
  rope.original_positions = keys.integer("rope.scaling.original_context_length");
  model.rope = {rope, Origin::Header};
  const auto window = keys.integer("attention.sliding_window");
  model.sliding_window = {Tokens{window && *window > 0 && *window <= kMostTokens ? *window : 0},
                          Origin::Header};
}

// Which layers see a window only, and which keep a state in place of a cache.
std::vector<std::string> layer_kinds(const ModelSpec& model, const Keys& keys,
                                     const std::string& architecture) {
  if (!model.layers.known()) return {};
  const int layers = model.layers.value();
  if (model.full_interval.value_or(0) > 0)
    return every_nth_full("linear_attention", model.full_interval.value(), layers);
  if (model.sliding_window.value_or(Tokens{0}) == Tokens{0}) return {};
  const GgufValue* pattern = keys.find("attention.sliding_window_pattern");
  if (pattern != nullptr && pattern->items.size() >= static_cast<std::size_t>(layers)) {
    std::vector<std::string> kinds;
    for (int layer = 0; layer < layers; ++layer) {
      const bool window = pattern->items[static_cast<std::size_t>(layer)] != 0;
      kinds.emplace_back(window ? "sliding_attention" : "full_attention");
    }
    return kinds;
  }
  const auto interval = keys.integer("attention.sliding_window_pattern");
  const int every = interval && *interval > 0 && *interval <= kMostLayers
                        ? static_cast<int>(*interval)
                        : class_count(architecture, "sliding_window_pattern").value_or(0);
  return every > 0 ? every_nth_full("sliding_attention", every, layers)
                   : std::vector<std::string>{};
}

void read_vocabulary(ModelSpec& model, const GgufHeader& header, const Keys& keys) {
  const GgufValue* tokens = header.find("tokenizer.ggml.tokens");
  const bool list = tokens != nullptr && tokens->type == GgufValue::Type::Array;
  if (list && tokens->length > 0 && tokens->length <= static_cast<std::uint64_t>(kLargestCount)) {
    model.vocab_size = {static_cast<int>(tokens->length), Origin::Header};
  } else {
    model.vocab_size = keys.count("vocab_size");
  }
  model.tokenizer = {list || header.find("tokenizer.ggml.model") != nullptr, Origin::Header};
  model.chat_template = {header.find("tokenizer.chat_template") != nullptr, Origin::Header};
}

// A file may hold an adapter, or the part of a model that sees images.
void read_kind(ModelSpec& model, const GgufHeader& header, const std::string& architecture) {
  const std::string kind = header.text("general.type").value_or("model");
  if (kind == "adapter") {
    const std::string type = header.text("adapter.type").value_or("lora");
    model.adapter_kind = {type == "lora" ? "LORA" : type, Origin::Header};
    for (const char* key : {"general.base_model.0.repo_url", "general.base_model.0.name"}) {
      if (auto base = header.text(key); base && !model.adapter_base.known())
        model.adapter_base = {*std::move(base), Origin::Header};
    }
  }
  const bool image_part = kind == "mmproj" || architecture == "clip";
  model.generates = {!image_part && kind != "adapter", Origin::Header};
}

}  // namespace

void read_gguf_keys(ModelSpec& model, const GgufHeader& header) {
  const auto architecture = header.text("general.architecture");
  if (!architecture) {
    const Message why{kNoKey, {{"key", "general.architecture"}}};
    model.architecture = model.model_type = Fact<std::string>::unknown(why);
    return;
  }
  model.architecture = model.model_type = {*architecture, Origin::Header};
  read_kind(model, header, *architecture);
  const Keys keys(header, *architecture);
  read_size(model, keys);
  read_heads(model, keys);
  read_latent_attention(model, keys);
  read_experts(model, keys);
  read_states(model, keys);
  read_context(model, keys);
  model.layer_types = layer_kinds(model, keys, *architecture);
  read_vocabulary(model, header, keys);
  model.vision.layers = {0, Origin::Header};
  model.gated_query = {class_truth(*architecture, "attn_output_gate").value_or(false),
                       Origin::Default};
  model.needs_remote_code = {false, Origin::Header};
  Quantisation quant{.method = "gguf"};
  const auto type = header.integer("general.file_type");
  if (type && *type >= 0 && *type <= std::numeric_limits<int>::max()) {
    if (const auto* row = find_gguf_file_type(static_cast<int>(*type))) quant.format = row->name;
  }
  model.quantisation = {std::move(quant), Origin::Header};
}

void describe_as_gguf(ModelSpec& model, std::string_view tag) {
  const std::string_view wanted = tag.empty() ? "Q4_K_M" : tag;
  const GgufFileType* type = find_gguf_file_type(wanted);
  Quantisation quant{.method = "gguf", .format = std::string(wanted)};
  if (type != nullptr) quant.bits = type->bits;
  model.quantisation = {quant, Origin::Assumed};
  model.weight_format = {"gguf", Origin::Assumed};
  model.siblings.clear();
  model.tokenizer = {true, Origin::Assumed};
  static constexpr Text kNoSize{"how many bits a weight {type} takes is not known",
                                "不知道 {type} 每个权重占多少比特"};
  model.checkpoint_bytes = Fact<Bytes>::unknown({kNoSize, {{"type", std::string(wanted)}}});
  if (quant.bits && model.parameters_billion.known()) {
    const double bytes = model.parameters_billion.value() * 1e9 * *quant.bits / 8;
    model.checkpoint_bytes = {Bytes{static_cast<std::int64_t>(bytes)}, Origin::Formula};
  }
}

}  // namespace sx
