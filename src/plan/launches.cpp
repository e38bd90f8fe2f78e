// Flags are set under their common names; each engine's own names come from its tables.
#include "plan/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "check/run_rules.h"
#include "check/small_cache.h"
#include "engines/engine.h"
#include "knowledge/architectures.h"
#include "knowledge/flags.h"
#include "knowledge/foreign_flags.h"

namespace sx {
namespace {

bool has_flag(std::string_view engine, std::string_view common) {
  const EngineFlags* flags = engine_flags(engine);
  const std::string own = own_name(engine, common);
  return flags != nullptr && !own.empty() && flags->find(own) != nullptr;
}

// One engine has a switch and takes all ranks; the other is told how many.
void add_experts(std::vector<Change>& changes, std::string_view engine, const LaunchShape& shape) {
  if (has_flag(engine, "--ep-size")) {
    changes.push_back(set_flag("--ep-size", std::to_string(shape.tensor)));
  } else {
    changes.push_back(add_switch("--enable-expert-parallel"));
  }
}

bool knows(const Case& bare, const char* name) {
  const EngineFlags* flags = engine_flags(bare.serve.engine);
  const FlagRow* flag = flags == nullptr ? nullptr : flags->find(name);
  return flag != nullptr && flags->standing(*flag, bare.serve.version) == Standing::Known;
}

// Newer versions have a size for it; before, a switch gave the number of replicas that meaning.
void add_groups(std::vector<Change>& changes, const Case& bare, int groups) {
  if (knows(bare, "--attn-dp-size")) {
    changes.push_back(set_flag("--attn-dp-size", std::to_string(groups)));
    return;
  }
  changes.push_back(set_flag("--dp-size", std::to_string(groups)));
  changes.push_back(add_switch("--enable-dp-attention"));
}

// One process for all its GPUs: every layer on them, the cache for all slots together, and shares
// where cards are unlike.
std::vector<Change> changes_by_layers(const LaunchSettings& settings) {
  constexpr const char* kAllLayers = "999";  // more than any model has: none stays in host memory
  std::vector<Change> changes;
  changes.push_back(set_flag("--n-gpu-layers", kAllLayers));
  if (settings.max_model_len > Tokens{0})
    changes.push_back(set_flag("--ctx-size", std::to_string(settings.max_model_len.count())));
  if (settings.max_num_seqs > 0)
    changes.push_back(set_flag("--parallel", std::to_string(settings.max_num_seqs)));
  if (!settings.shares.empty())
    changes.push_back(set_flag("--tensor-split", join(settings.shares, ",")));
  if (settings.fp8_cache) {
    // The engine has no FP8 cache; its 8 bit takes the same room.
    changes.push_back(set_flag("--cache-type-k", "q8_0"));
    changes.push_back(set_flag("--cache-type-v", "q8_0"));
  }
  return changes;
}

std::vector<Change> changes_for(const Case& bare, const LaunchShape& shape,
                                const LaunchSettings& settings, const std::vector<int>& gpus) {
  std::vector<Change> changes;
  const auto number = [&changes](const char* flag, std::int64_t value, std::int64_t otherwise) {
    if (value != otherwise) changes.push_back(set_flag(flag, std::to_string(value)));
  };
  changes.push_back(set_environment("CUDA_DEVICE_ORDER", "PCI_BUS_ID"));
  changes.push_back(set_environment("CUDA_VISIBLE_DEVICES", join(gpus, ",")));
  if (launch_kinds(bare).by_layers) {
    std::ranges::move(changes_by_layers(settings), std::back_inserter(changes));
    return changes;
  }
  if (!settings.partition.empty())
    changes.push_back(set_environment(own_name(bare.serve.engine, "VLLM_PP_LAYER_PARTITION"),
                                      join(settings.partition, ",")));
  number("--tensor-parallel-size", shape.tensor, 1);
  number("--pipeline-parallel-size", shape.pipeline, 1);
  number("--data-parallel-size", shape.ranks, 1);
  if (shape.expert) add_experts(changes, bare.serve.engine, shape);
  if (keeps_tower_whole(bare, shape)) changes.push_back(*whole_tower_change(bare));
  if (shape.groups > 1) add_groups(changes, bare, shape.groups);
  number("--max-model-len", settings.max_model_len.count(), 0);
  number("--max-num-seqs", settings.max_num_seqs, 0);
  number("--max-num-batched-tokens", settings.max_batched_tokens.count(), 0);
  if (settings.share_hundredths > 0)
    changes.push_back(set_flag("--gpu-memory-utilization",
                               fmt::format("{:.2f}", settings.share_hundredths / 100.0)));
  if (settings.fp8_cache)
    changes.push_back(set_flag("--kv-cache-dtype", std::string(small_cache_word(bare.serve))));
  return changes;
}

}  // namespace

LaunchKinds launch_kinds(const Case& bare) {
  const std::string& engine = bare.serve.engine;
  LaunchKinds kinds;
  kinds.ranks = has_flag(engine, "--enable-expert-parallel") && !has_flag(engine, "--ep-size");
  kinds.experts = kinds.ranks || has_flag(engine, "--ep-size");
  kinds.groups = knows(bare, "--attn-dp-size") || knows(bare, "--enable-dp-attention");
  kinds.stages = has_flag(engine, "--pipeline-parallel-size");
  kinds.tensor = has_flag(engine, "--tensor-parallel-size");
  kinds.by_layers = !kinds.stages && has_flag(engine, "--split-mode");
  return kinds;
}

std::optional<Change> whole_tower_change(const Case& bare) {
  const Fact<std::string>& architecture = bare.model().architecture;
  if (!architecture.known()) return {};
  const auto row = find_architecture(architecture.value());
  if (!row || !row->encoder_data.value_or(false)) return {};
  if (knows(bare, "--mm-encoder-tp-mode")) return set_flag("--mm-encoder-tp-mode", "data");
  // Its name before.
  constexpr const char* kOlder = "--enable-multimodal-encoder-data-parallel";
  return knows(bare, kOlder) ? std::optional(add_switch(kOlder)) : std::nullopt;
}

bool keeps_tower_whole(const Case& bare, const LaunchShape& shape) {
  const int heads = bare.model().vision.heads.value_or(0);
  if (heads <= 0 || shape.tensor <= 1 || heads % shape.tensor == 0) return false;
  const Engine* engine = find_engine(bare.serve.engine);
  if (engine == nullptr || engine->split_ask(bare, shape.layout()).whole_vision_tower) return false;
  return whole_tower_change(bare).has_value();
}

std::optional<Case> launch_on(const Case& bare, const LaunchShape& shape,
                              const LaunchSettings& settings, const std::vector<int>& gpus,
                              int port) {
  auto changes = changes_for(bare, shape, settings, gpus);
  if (port > 0) changes.push_back(set_flag("--port", std::to_string(port)));
  return asked_again(bare, changes);
}

ShapeKind kind_of(const Case& bare, const LaunchShape& shape) {
  return {.tensor = shape.tensor > 1,
          .pipeline = shape.pipeline > 1,
          .ranks = shape.ranks > 1,
          .expert = shape.expert,
          .groups = shape.groups > 1,
          .small_cache = shape.small_cache,
          .whole_tower = keeps_tower_whole(bare, shape)};
}

ShapeKind kind_by_values(const Case& bare, const LaunchShape& shape) {
  ShapeKind kind = kind_of(bare, shape);
  kind.pipeline = kind.ranks = false;
  return kind;
}

Command moved_to(const Case& launch, const std::vector<int>& gpus, int port) {
  const Change changes[] = {set_environment("CUDA_VISIBLE_DEVICES", join(gpus, ",")),
                            set_flag("--port", std::to_string(port))};
  return edit_command(launch.command, launch.serve, changes).command;
}

}  // namespace sx
