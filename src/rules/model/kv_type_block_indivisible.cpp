// SX4128. The long explanation and the scenes are in kv_type_block_indivisible.md.
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "read/gguf.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{cache} heads of {width} values cannot be cut into {type} blocks of {block}",
                      "{cache} 的每个头 {width} 个值，无法按 {type} 的 {block} 个一块切分"};
constexpr Text kLeft{"{width} / {block} leaves {left}", "{width} / {block} 余 {left}"};
constexpr Text kBasis{"head size {width}: {origin}", "头维度 {width}：{origin}"};
constexpr Text kBecause{
    "a quantised KV cache keeps each head in whole blocks where flash attention is on or automatic",
    "flash attention 打开或自动时，量化的 KV 缓存要求每个头由完整的块组成"};
constexpr Text kOtherwise{
    "it exits after the weights are loaded: \"cache type {type} with block size {block} does not "
    "divide n_embd_head\"",
    "加载完权重后退出：“cache type {type} with block size {block} does not divide n_embd_head”"};
constexpr Text kPlain{"a cache of 16 bits, which takes more memory", "缓存用 16 位，占用更多显存"};

constexpr Need kNeeds[] = {Need::Flags, Need::ModelShape};

// One of the two caches: its flag, its type, and the width of a head in it.
struct Cache {
  std::string_view name;  // "K"
  std::string_view flag;
  const Fact<std::string>& type;
  const Fact<int>& width;
};

std::vector<Complaint> complaint_about(const Case& c, const Cache& cache) {
  if (!cache.type.known() || !cache.width.known() || cache.width.value() <= 0) return {};
  const GgmlType* type = find_ggml_type(cache.type.value());
  const int width = cache.width.value();
  if (type == nullptr || width % type->block == 0) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument head("width", width);
  const Argument name("type", type->name);
  const Argument block("block", type->block);
  d.title = {kTitle, {{"cache", cache.name}, head, name, block}};
  mark(d, cache.type, {kLeft, {head, block, {"left", width % type->block}}});
  d.basis.push_back({kBasis, {head, {"origin", model_origin(c.model())}}});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {name, block}};
  d.subject = cache.flag;
  complaint.proposals.push_back({.title = kPlain,
                                 .changes = {set_flag(std::string(cache.flag), "f16")},
                                 .safety = Safety::Trades});
  return {complaint};
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  const ModelSpec& model = c.model();
  // Latent attention keeps rows of another width; without flash attention K takes any head.
  if (model.is_mla() || serve.flash_attention.value_or("auto") == "off") return {};
  const Fact<int>& values = model.value_dim.known() ? model.value_dim : model.head_dim;
  std::vector<Complaint> complaints;
  for (const Cache& cache : {Cache{"K", "--cache-type-k", serve.kv_dtype, model.head_dim},
                             Cache{"V", "--cache-type-v", serve.value_kv_dtype, values}}) {
    for (Complaint& one : complaint_about(c, cache)) complaints.push_back(std::move(one));
  }
  if (complaints.size() < 2) return complaints;
  // Both caches at once: a command with one of them changed would still be refused.
  for (Complaint& one : complaints) {
    one.proposals.front().changes = {set_flag("--cache-type-k", "f16"),
                                     set_flag("--cache-type-v", "f16")};
  }
  return complaints;
}

}  // namespace

extern const Rule kv_type_block_indivisible{
    .code = "SX4128",
    .name = "kv-type-block-indivisible",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfLlama,
    .check = check,
};

}  // namespace sx::rules
