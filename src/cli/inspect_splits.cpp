// A launch of the model on a machine of which nothing is known, with one size after another.
#include "cli/inspect_splits.h"

#include <array>
#include <string_view>

#include "check/run_rules.h"
#include "engines/engine.h"
#include "gather/gather_command.h"
#include "rules/all.h"

namespace sx {
namespace {

constexpr int kMostTensor = 16;  // CLI.md; larger groups do not lie in one machine
constexpr std::string_view kLayoutFamily = "SX2";
constexpr std::string_view kEngine = "vllm";

constexpr Text kNoShape{"the model's layers, heads or widths are not known",
                        "模型的层数、头数或宽度未知"};
constexpr Text kNoText{
    "it makes pictures: its components are placed, not split like a language model",
    "它生成图片：组件按整体放置，不像语言模型那样切分"};
constexpr Text kReason{"{why}", "{why}"};

Change sized(const char* flag, int size) { return set_flag(flag, std::to_string(size)); }

// The launch, or nothing where the model cannot stand in one.
std::optional<Case> plain_case(const Inspection& found, Sources& sources, const std::string& word,
                               const Outside& outside) {
  static const HostSpec kUnknownMachine;
  auto commands =
      gather_commands(sources, {.argv = {std::string(kEngine), "serve", word}}, outside);
  if (!commands || commands->launches.size() != 1) return {};
  Case c;
  c.sources = &sources;
  c.model_spec = &found.model;
  c.host_spec = &kUnknownMachine;
  c.command = commands->launches.front().command;
  c.serve = commands->launches.front().serve;
  return c;
}

std::optional<Case> with_sizes(const Case& c, int tensor, int pipeline) {
  const std::array changes{sized("--tensor-parallel-size", tensor),
                           sized("--pipeline-parallel-size", pipeline)};
  auto again = asked_again(c, changes);
  if (again) again->visible = {};
  return again;
}

SplitRow row_of(const Case& c, int tensor, int pipeline) {
  SplitRow row{.tensor = tensor};
  const auto again = with_sizes(c, tensor, pipeline);
  if (!again) return row;
  const Outcome outcome = run_rules(rules::all(), *again);
  for (const Diagnostic& d : outcome.diagnostics) {
    if (d.severity != Severity::Error || !d.code.starts_with(kLayoutFamily)) continue;
    row.code = d.code;
    row.name = d.name;
    row.why = d.title;
    return row;
  }
  return row;
}

int bytes_of_dtype(const ModelSpec& model) { return model.dtype.value_or("") == "float32" ? 4 : 2; }

Ranks ranks_of(const Case& c, int tensor, int pipeline) {
  Ranks ranks{.tensor = tensor, .pipeline = pipeline};
  const SplitRow row = row_of(c, tensor, pipeline);
  if (!row.code.empty()) {
    ranks.why_none = {kReason, {{"why", in_both(row.why)}}};
    return ranks;
  }
  const auto again = with_sizes(c, tensor, pipeline);
  const Engine* engine = again ? find_engine(again->serve.engine) : nullptr;
  const auto layout = again ? layout_of(again->serve) : std::nullopt;
  ranks.why_none = kNoShape;
  if (engine == nullptr || !layout) return ranks;
  const auto stages = engine->stages(*again, *layout);
  const SplitAsk split = engine->split_ask(*again, *layout);
  const auto weights =
      rank_weights(again->model(), {.layout = *layout,
                                    .stage_layers = stages,
                                    .quantization_flag = split.quantization_flag,
                                    .dtype_bytes = bytes_of_dtype(again->model()),
                                    .vocabulary_padding = split.vocabulary_padding,
                                    .whole_vision_tower = split.whole_vision_tower});
  if (weights.size() != stages.size()) return ranks;
  ranks.why_none = {};
  for (int stage = 0; stage < pipeline; ++stage) {
    for (int rank = 0; rank < tensor; ++rank) {
      ranks.rows.push_back({.gpu = stage * tensor + rank,
                            .stage = stage,
                            .rank = rank,
                            .layers = stages[static_cast<std::size_t>(stage)],
                            .weights = weights[static_cast<std::size_t>(stage)]});
    }
  }
  return ranks;
}

}  // namespace

void add_splits(Inspection& found, Sources& sources, const std::string& word,
                std::optional<int> tensor, std::optional<int> pipeline, const Outside& outside) {
  const auto c = plain_case(found, sources, word, outside);
  const bool asked = tensor || pipeline;
  if (!makes_text(found)) {
    if (asked) found.ranks = Ranks{.why_none = kNoText};
    return;
  }
  if (!c) {
    if (asked) found.ranks = Ranks{.why_none = kNoShape};
    return;
  }
  found.engine = c->serve.engine;
  found.version = c->serve.version.text();
  const bool known = found.model.heads.known() && found.model.layers.known();
  for (int size = 1; known && size <= kMostTensor; ++size)
    found.splits.push_back(row_of(*c, size, 1));
  if (asked) found.ranks = ranks_of(*c, tensor.value_or(1), pipeline.value_or(1));
}

}  // namespace sx
