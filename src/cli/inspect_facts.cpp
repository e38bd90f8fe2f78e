// The facts of a model in the order in which people ask for them.
#include "base/strings.h"
#include "cli/inspect_answer.h"

namespace sx {
namespace {

constexpr Text kYes{"yes", "是"};
constexpr Text kNo{"no", "否"};
constexpr Text kNone{"none", "无"};
constexpr Text kMethod{"{method}", "{method}"};
constexpr Text kBits{"{method}, {bits} bits", "{method}，{bits} 位"};
constexpr Text kGroups{"{method}, {bits} bits, groups of {group}",
                       "{method}，{bits} 位，组大小 {group}"};
constexpr Text kBlocks{"{method}, blocks of {rows} x {columns}",
                       "{method}，块大小 {rows} x {columns}"};
constexpr Text kStretched{"{type} x {factor}", "{type} x {factor}"};

Value shown(int number) { return std::int64_t{number}; }
Value shown(const std::string& text) { return text; }
Value shown(Tokens tokens) { return tokens; }
Value shown(Bytes bytes) { return bytes; }
Value shown(bool yes) { return yes ? kYes : kNo; }

Value shown(const Quantisation& q) {
  if (q.method.empty()) return kNone;
  const std::string method = q.format.empty() ? q.method : q.method + " (" + q.format + ")";
  const Argument named("method", method);
  if (q.block_rows && q.block_columns)
    return in_both({kBlocks, {named, {"rows", *q.block_rows}, {"columns", *q.block_columns}}});
  if (!q.bits) return in_both({kMethod, {named}});
  if (!q.group_size || *q.group_size <= 0) return in_both({kBits, {named, {"bits", *q.bits}}});
  return in_both({kGroups, {named, {"bits", *q.bits}, {"group", *q.group_size}}});
}

Value shown(const RopeScaling& rope) {
  if (rope.type.empty()) return kNone;
  if (!rope.factor) return rope.type;
  return in_both({kStretched, {{"type", rope.type}, {"factor", *rope.factor}}});
}

template <class T>
bool is_absent(const T&) {
  return false;
}
bool is_absent(int number) { return number == 0; }
bool is_absent(Tokens tokens) { return tokens == Tokens{0}; }
bool is_absent(const Quantisation& q) { return q.method.empty(); }
bool is_absent(const RopeScaling& rope) { return rope.type.empty(); }

class List {
 public:
  template <class T>
  void add(std::string_view key, Text title, const Fact<T>& fact) {
    ShownFact one{.key = key, .title = title};
    if (fact.known()) {
      one.value = shown(fact.value());
      one.origin = fact.origin();
      one.absent = is_absent(fact.value());
      if constexpr (std::is_same_v<T, bool>) one.yes = fact.value();
    } else {
      one.why_unknown = fact.why_unknown();
    }
    facts.push_back(std::move(one));
  }
  std::vector<ShownFact> facts;
};

// Elements of all tensors are counted in thousand millions there.
Fact<std::string> parameters_in_words(const ModelSpec& model) {
  const Fact<double>& billion = model.parameters_billion;
  if (!billion.known()) return Fact<std::string>::unknown(billion.why_unknown());
  constexpr double kMillionFrom = 1;  // 0.49 B reads better as 490 M
  const bool large = billion.value() >= kMillionFrom;
  const Value number = large ? billion.value() : billion.value() * 1000;
  return {rendered(number, Language::English) + (large ? " B" : " M"), billion.origin()};
}

void add_shape(List& list, const ModelSpec& model) {
  list.add("layers", {"layers", "层数"}, model.layers);
  list.add("hidden_size", {"hidden size", "隐藏维度"}, model.hidden_size);
  list.add("intermediate_size", {"intermediate size", "中间层维度"}, model.intermediate_size);
  list.add("attention_heads", {"attention heads", "注意力头"}, model.heads);
  list.add("kv_heads", {"KV heads", "KV 头"}, model.kv_heads);
  list.add("head_dim", {"width of a head", "每个头的维度"}, model.head_dim);
  list.add("vocab_size", {"vocabulary", "词表"}, model.vocab_size);
  list.add("tied_embeddings", {"tied embeddings", "共享词嵌入"}, model.tied_embeddings);
}

void add_parts(List& list, const ModelSpec& model) {
  list.add("experts", {"experts", "专家"}, model.experts);
  list.add("experts_per_token", {"experts a token", "每个 token 的专家"}, model.experts_per_token);
  list.add("expert_width", {"width of an expert", "专家宽度"}, model.expert_width);
  list.add("shared_expert_width", {"width of the shared expert", "共享专家宽度"},
           model.shared_expert_width);
  list.add("dense_layers_first", {"dense layers in front", "前置稠密层"}, model.dense_layers_first);
  list.add("kv_lora", {"latent KV width (MLA)", "KV 潜在维度（MLA）"}, model.kv_lora);
  list.add("q_lora", {"latent query width (MLA)", "Q 潜在维度（MLA）"}, model.q_lora);
  list.add("linear_value_heads", {"linear-attention value heads", "线性注意力 V 头"},
           model.linear_value_heads);
  list.add("vision_layers", {"layers of the vision tower", "视觉编码器层数"}, model.vision.layers);
  list.add("vision_heads", {"heads of the vision tower", "视觉编码器注意力头"}, model.vision.heads);
  list.add("draft_layers", {"draft layers (MTP)", "草稿层（MTP）"}, model.draft_layers);
}

}  // namespace

std::vector<ShownFact> facts_of(const ModelSpec& model) {
  List list;
  list.add("architecture", {"architecture", "架构"}, model.architecture);
  list.add("model_type", {"model type", "模型类型"}, model.model_type);
  list.add("pipeline_class", {"pipeline", "流水线"}, model.pipeline_class);
  list.add("adapter_kind", {"adapter", "适配器"}, model.adapter_kind);
  list.add("adapter_base", {"made for", "基座模型"}, model.adapter_base);
  list.add("parameters", {"parameters", "参数量"}, parameters_in_words(model));
  list.add("dtype", {"dtype", "数据类型"}, model.dtype);
  list.add("quantisation", {"quantisation", "量化"}, model.quantisation);
  add_shape(list, model);
  add_parts(list, model);
  list.add("context", {"longest context", "最长上下文"}, model.max_positions);
  list.add("rope", {"rope scaling", "RoPE 缩放"}, model.rope);
  list.add("sliding_window", {"sliding window", "滑动窗口"}, model.sliding_window);
  list.add("remote_code", {"needs code of its own", "需要自带代码"}, model.needs_remote_code);
  list.add("tokenizer", {"tokenizer", "分词器"}, model.tokenizer);
  list.add("chat_template", {"chat template", "对话模板"}, model.chat_template);
  list.add("weight_format", {"weight format", "权重格式"}, model.weight_format);
  list.add("checkpoint_bytes", {"bytes of the weights", "权重字节数"}, model.checkpoint_bytes);
  return list.facts;
}

}  // namespace sx
