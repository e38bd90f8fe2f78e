// The context is rounded, shared out among slots and rounded again, in that order.
#include "engines/llamacpp/memory_settings.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/strings.h"
#include "engines/context_limit.h"
#include "engines/used_values.h"

namespace sx {
namespace {

// More than any engine takes; keeps products of user's numbers in range.
constexpr std::int64_t kMostTokens = 1'000'000'000'000;
constexpr int kMostLayers = 1'000'000;

// Of a pair of switches (--kv-unified, --no-kv-unified) the one that is used; empty: none.
std::optional<bool> switched(const ServeSpec& serve, std::string_view on, std::string_view off) {
  if (serve.use_of(off) != nullptr) return false;
  const FlagUse* use = serve.use_of(on);
  if (use == nullptr) return {};
  return !use->negated;
}

std::int64_t up_to(std::int64_t number, std::int64_t step) {
  return (number + step - 1) / step * step;
}

double element_of(const std::string& type, const Version& version) {
  const auto row = constant("llamacpp", "kv-bytes:" + lower(type), version);
  return row ? row->value : llama_constant("kv-bytes:f16", version).value;
}

void set_slots(LlamaSettings& s, const ServeSpec& serve) {
  const auto most = static_cast<int>(llama_constant("slots-most", s.version).value);
  s.slots_asked = serve.max_num_seqs.known() && serve.max_num_seqs.value() > 0;
  s.slots = s.slots_asked ? std::min(serve.max_num_seqs.value(), most)
                          : static_cast<int>(llama_constant("slots-auto", s.version).value);
  s.unified = switched(serve, "--kv-unified", "--no-kv-unified").value_or(!s.slots_asked);
}

void set_context(LlamaSettings& s, const ServeSpec& serve, const ModelSpec& model) {
  const auto rounding =
      static_cast<std::int64_t>(llama_constant("context-rounding", s.version).value);
  const std::int64_t own = own_context(serve, model);
  s.context_asked = serve.max_model_len.known() && serve.max_model_len.value().count() > 0;
  std::int64_t asked =
      s.context_asked ? serve.max_model_len.value().count() : own * (s.unified ? 1 : s.slots);
  const auto per_slot = number_of(serve, "--kv-unified-per-slot");
  if (!s.context_asked && per_slot && *per_slot > 0)
    asked = std::clamp<std::int64_t>(*per_slot, 1, kMostTokens) * s.slots;
  asked = std::clamp<std::int64_t>(asked, 1, kMostTokens);
  const auto usual = [&s](std::string_view name) {
    return static_cast<std::int64_t>(llama_constant(name, s.version).value);
  };
  const std::int64_t batch =
      serve.max_batched_tokens.known() ? serve.max_batched_tokens.value().count() : usual("batch");
  s.batch = std::clamp<std::int64_t>(std::min(batch, asked), 1, kMostTokens);
  const std::int64_t physical =
      serve.physical_batch.known() ? serve.physical_batch.value().count() : usual("physical-batch");
  s.physical_batch = physical <= 0 ? s.batch : std::min(physical, s.batch);
  const std::int64_t whole = up_to(asked, rounding);
  s.streams = s.unified ? 1 : s.slots;
  s.cells = s.unified ? whole : up_to(up_to(whole, s.slots) / s.slots, rounding);
  s.context = Tokens{s.cells * s.streams};
  // A slot may not use more than the model was trained for; memory is taken all the same.
  s.slot_context = Tokens{std::min(s.cells, std::max<std::int64_t>(own, 1))};
}

LlamaSplit split_of(const ServeSpec& serve) {
  const std::string mode = lower(serve.split_mode.value_or("layer"));
  if (mode == "none") return LlamaSplit::None;
  if (mode == "row") return LlamaSplit::Row;
  return mode == "tensor" ? LlamaSplit::Tensor : LlamaSplit::Layer;
}

// "exps=CPU" and its kin, which stand for all experts; anything finer is not read.
void read_override(LlamaExpertsOnHost& experts, std::string_view entry) {
  const auto equals = entry.rfind('=');
  if (equals == std::string_view::npos) return;  // the engine refuses it
  const std::string_view pattern = entry.substr(0, equals);
  const bool to_host = lower(entry.substr(equals + 1)).starts_with("cpu");
  const bool of_experts = pattern.find("exps") != std::string_view::npos;
  const bool of_some = pattern.find_first_of("0123456789") != std::string_view::npos;
  int kinds = 0;
  for (const std::string_view kind : {"gate", "up", "down"}) {
    kinds += pattern.find(kind) != std::string_view::npos ? 1 : 0;
  }
  const bool of_one_kind = kinds == 1 || kinds == 2;
  if (to_host && of_experts && !of_some && !of_one_kind) {
    experts.all = true;
  } else {
    experts.unreadable = true;
  }
}

LlamaExpertsOnHost experts_of(const ServeSpec& serve) {
  LlamaExpertsOnHost experts;
  experts.all = serve.use_of("--cpu-moe") != nullptr;
  experts.first_layers = static_cast<int>(
      std::clamp<std::int64_t>(number_of(serve, "--n-cpu-moe").value_or(0), 0, kMostLayers));
  const FlagUse* use = serve.use_of("--override-tensor");
  if (use == nullptr) return experts;
  for (const std::string& value : use->values) {
    for (const std::string_view entry : split(value, ',')) read_override(experts, entry);
  }
  return experts;
}

}  // namespace

LlamaSettings llama_settings(const Case& c) {
  const ServeSpec& serve = c.serve;
  LlamaSettings s;
  s.version = serve.version;
  set_slots(s, serve);
  set_context(s, serve, c.model());
  s.key_bytes = element_of(serve.kv_dtype.value_or("f16"), s.version);
  s.value_bytes = element_of(serve.value_kv_dtype.value_or("f16"), s.version);
  s.flash = lower(serve.flash_attention.value_or("auto")) != "off";
  s.whole_windows = serve.use_of("--swa-full") != nullptr;
  s.cache_on_gpu = switched(serve, "--kv-offload", "--no-kv-offload").value_or(true);
  s.split = split_of(serve);
  if (serve.tensor_split.known()) s.shares = serve.tensor_split.value();
  s.main_gpu = std::max(0, serve.main_gpu.value_or(0));
  s.gpu_layers_asked = serve.gpu_layers.known() && serve.gpu_layers.value() >= 0;
  s.gpu_layers = s.gpu_layers_asked ? serve.gpu_layers.value() : kMostLayers;
  const std::string fit = word_of(serve, "--fit");
  s.fits_itself = fit.empty() ? llama_constant("fit-by-default", s.version).value != 0
                              : fit != "off" && fit != "0" && fit != "false";
  s.experts = experts_of(serve);
  return s;
}

Constant llama_constant(std::string_view name, const Version& version) {
  const auto row = constant("llamacpp", name, version);
  SX_ASSERT(row.has_value());
  return *row;
}

}  // namespace sx
