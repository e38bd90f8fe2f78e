// Models of the catalogue, and the classes that engines load them with.
#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/architectures.h"
#include "knowledge/models.h"

namespace sx {

std::vector<Explained> explain_model(std::string_view word, Language language) {
  const ModelMatch match = match_model(word);
  if (!match.row) return {};
  const ModelRow& row = *match.row;
  Fields fields(language);
  const auto add = [&](const Text& title, std::string_view column) {
    if (const auto cell = row.text(column)) fields.add(title, std::string(*cell));
  };
  // A name without its owner is the row's own; another id borrows the row.
  const bool own = match.same_shape_as.empty() ||
                   lower(row.id()).ends_with(lower(word.substr(word.rfind('/') + 1)));
  if (!own) fields.add({"same shape as", "结构同"}, std::string(match.same_shape_as));
  add({"architecture", "架构"}, "architecture");
  add({"layers", "层数"}, "num_hidden_layers");
  add({"hidden size", "隐藏维度"}, "hidden_size");
  add({"attention heads", "注意力头"}, "num_attention_heads");
  add({"KV heads", "KV 头"}, "num_key_value_heads");
  add({"vocabulary", "词表"}, "vocab_size");
  add({"experts", "专家"}, "n_experts");
  add({"longest context", "最长上下文"}, "max_position_embeddings");
  add({"quantisation", "量化"}, "quant_method");
  add({"parameters, billions", "参数量（十亿）"}, "total_params_b");
  const auto add_bytes = [&](const Text& title, std::string_view column) {
    if (const auto bytes = row.integer(column); bytes && *bytes > 0)
      fields.add(title, rendered(Value{Bytes{*bytes}}, language));
  };
  add_bytes({"KV cache a token, 16 bit", "每 token 的 KV 缓存（16 位）"},
            "kv_bytes_per_token_16bit");
  add_bytes({"weights on disk", "权重文件大小"}, "checkpoint_bytes");
  add({"weight files", "权重文件数"}, "safetensors_shards");
  add({"source", "来源"}, "source");
  return {fields.entry("model", own ? row.id() : word)};
}

std::vector<Explained> explain_architecture(std::string_view word, Language language) {
  const auto row = find_architecture(word);
  if (!row) return {};
  Fields fields(language);
  fields.add({"engine", "引擎"}, "vLLM");
  fields.add({"kind", "类别"}, std::string(row->category));
  fields.add({"first seen in", "最早见于"}, row->first_seen ? row->first_seen->text() : "");
  fields.add({"gone in", "移除于"}, row->removed ? row->removed->text() : "");
  fields.add({"pipeline parallel", "流水线并行"}, yes_or_no(row->pipeline, language));
  fields.add({"adapters (LoRA)", "LoRA 适配器"}, yes_or_no(row->lora, language));
  fields.add({"images, audio", "图像、音频"}, yes_or_no(row->multimodal, language));
  fields.add({"target of EAGLE-3", "可作 EAGLE-3 的目标模型"},
             yes_or_no(row->eagle3_target, language));
  fields.add({"experts moved while serving", "服务中调换专家"}, yes_or_no(row->eplb, language));
  fields.add({"MLA", "MLA"}, yes_or_no(row->mla, language));
  fields.add({"source", "来源"}, std::string(row->source));
  const std::string name(row->name);
  return {fields.entry("architecture", name)};
}

}  // namespace sx
