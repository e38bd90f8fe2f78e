// llama.cpp allocates the whole cache at start-up: the pool is as large as the context asked for,
// and what is left over stays free.
#include "engines/llamacpp/memory.h"

#include <algorithm>

#include "engines/budget_parts.h"
#include "engines/learned_lines.h"
#include "engines/llamacpp/memory_settings.h"
#include "engines/llamacpp/memory_weights.h"

namespace sx {
namespace {

constexpr Text kLayers{"layers: {layers}", "层数：{layers}"};
constexpr Text kOutput{"output head", "输出层"};
constexpr Text kByTensors{"by the file's tensors", "按文件中的张量"};
constexpr Text kByName{"by the bits that the name tells", "按名称中的位宽"};
constexpr Text kStep{"one step of {tokens} tokens", "一步 {tokens} 个 token"};
constexpr Text kCopies{"one step of {tokens} tokens, its inputs kept {copies} times",
                       "一步 {tokens} 个 token，输入保留 {copies} 份"};
constexpr Text kContext{"CUDA context, kernels", "CUDA 上下文与内核"};
constexpr Text kOthers{"held by other processes: {used}", "其他进程占用：{used}"};
constexpr Text kFree{"not taken", "未占用"};
constexpr Text kCache{"cells: {cells}, for all slots", "单元数：{cells}，供所有槽位使用"};
constexpr Text kState{"recurrent state of {slots} slots", "{slots} 个槽位的循环状态"};
constexpr Text kShrunk{
    "the engine shortens the context itself to what fits (--fit): {tokens} tokens",
    "引擎会自行把上下文缩短到放得下的长度（--fit）：{tokens} 个 token"};
constexpr Text kMoved{
    "the engine keeps {host} of {layers} layers in host memory itself (--fit): it starts, and is "
    "slow",
    "引擎会自行把 {layers} 层中的 {host} 层留在内存（--fit）：能启动，但很慢"};
constexpr Text kUnreadable{"--override-tensor was not read in full",
                           "--override-tensor 未能完全读懂"};

struct Question {
  const Case& c;
  const Shape& shape;
  const LlamaSettings& settings;
  const LlamaPlacement& place;
  double low = 1, high = 1;  // band of weights
};

BudgetLine fixed(std::string_view name, Bytes bytes, Origin origin, Notes notes) {
  return {.name = name,
          .bytes = bytes,
          .low = bytes,
          .high = bytes,
          .origin = origin,
          .notes = std::move(notes)};
}

BudgetLine weights_line(const Question& q, const LlamaDevice& device) {
  const auto bytes = static_cast<double>(device.weights.count());
  BudgetLine line{.name = "weights",
                  .bytes = device.weights,
                  .low = whole_bytes(bytes * q.low),
                  .high = whole_bytes(bytes * q.high),
                  .origin = q.place.exact ? Origin::Header : Origin::Formula};
  line.notes = {Message{kLayers, {{"layers", device.layers}}}};
  if (device.output) line.notes.add(kOutput);
  line.notes.add(q.place.exact ? kByTensors : kByName);
  return line;
}

BudgetLine step_line(const Question& q, const LlamaDevice& device) {
  BudgetLine line{.name = "activations",
                  .bytes = device.step,
                  .low = device.step,
                  .high = device.step_high,
                  .origin = Origin::Formula};
  // Builds that keep logits of a whole step have them beside it.
  if (device.output) {
    line.high += whole_bytes(static_cast<double>(q.settings.physical_batch) *
                             static_cast<double>(q.shape.vocabulary) * 4);
  }
  const Tokens step{q.settings.physical_batch};
  line.notes = {q.place.copies > 1
                    ? Message{kCopies, {{"tokens", step}, {"copies", q.place.copies}}}
                    : Message{kStep, {{"tokens", step}}}};
  return line;
}

struct Filled {
  GpuBudget gpu;
  double tokens = 0, low = 0, high = 0;  // of the context that fit; those asked when all do
};

double tokens_in(Bytes room, const LlamaDevice& device, double per_token, double asked) {
  if (room >= device.cache) return asked;
  if (per_token <= 0) return 0;
  const double missing = static_cast<double>((device.cache - room).count());
  return std::max(0.0, asked - missing / per_token);
}

Filled filled(const Question& q, const LlamaDevice& device, int rank) {
  Filled filled;
  GpuBudget& gpu = filled.gpu;
  gpu = {.gpu = device.gpu, .stage = 0, .rank = rank, .capacity = device.capacity};
  const bool used = device.weights + device.step + device.cache > Bytes{0};
  gpu.lines.push_back(weights_line(q, device));
  gpu.lines.push_back(step_line(q, device));
  if (used) {
    gpu.lines.push_back(
        line_of_gib("runtime", llama_constant("runtime", q.settings.version), {kContext}));
  }
  if (const LearnedRun* learned = learned_run(q.c))
    gpu = with_learned_lines(std::move(gpu), *learned);
  Bytes spent, low, high;
  for (const BudgetLine& line : gpu.lines) spent += line.bytes, low += line.low, high += line.high;
  const Bytes others = device.capacity - device.free;
  gpu.room = device.free - spent;
  gpu.room_low = device.free - high;
  gpu.room_high = device.free - low;
  gpu.kv_bytes = std::clamp(gpu.room, Bytes{0}, device.cache);
  gpu.bytes_per_token = static_cast<std::int64_t>(device.cache_per_token);
  const auto asked = static_cast<double>(q.place.context.count());
  filled.tokens = tokens_in(gpu.room, device, device.cache_per_token, asked);
  filled.low = tokens_in(gpu.room_low, device, device.cache_per_token, asked);
  filled.high = tokens_in(gpu.room_high, device, device.cache_per_token, asked);
  const Bytes states = std::min(device.states, gpu.kv_bytes);
  if (states > Bytes{0}) {
    gpu.lines.push_back(
        fixed("state", states, Origin::Formula, {{kState, {{"slots", q.settings.slots}}}}));
  }
  gpu.lines.push_back(fixed("kv_cache", gpu.kv_bytes - states, Origin::Formula,
                            {{kCache, {{"cells", q.settings.cells * q.settings.streams}}}}));
  const Bytes left = std::max(device.capacity - spent - gpu.kv_bytes, Bytes{0});
  BudgetLine unused = fixed("unused", left, Origin::Formula, {Message{kFree}});
  if (others > Bytes{0}) unused.notes = {Message{kOthers, {{"used", others}}}};
  gpu.lines.push_back(std::move(unused));
  return filled;
}

std::vector<Message> assumptions_of(const Question& q) {
  std::vector<Message> all =
      common_assumptions(q.c, q.shape, std::max<std::size_t>(1, q.place.devices.size()));
  if (q.place.context_shrunk) all.push_back({kShrunk, {{"tokens", q.place.context}}});
  if (q.place.layers_moved) {
    all.push_back(
        {kMoved, {{"host", q.place.layers - q.place.layers_on_gpus}, {"layers", q.place.layers}}});
  }
  if (q.settings.experts.unreadable) all.emplace_back(kUnreadable);
  return all;
}

}  // namespace

std::expected<Budget, NoBudget> llama_budget(const Case& c, const Layout& /*layout*/) {
  const auto place = llama_placement(c);
  if (!place) return std::unexpected(place.error());
  const auto shape = shape_for_budget(c.model());
  if (!shape) return std::unexpected(shape.error());
  LlamaSettings settings = llama_settings(c);
  if (place->context_shrunk) {
    settings.cells = place->context.count() / settings.streams;
    settings.slot_context = std::min(settings.slot_context, Tokens{settings.cells});
  }
  settings.context = place->context;
  const auto weights =
      llama_weights(c.model(), *shape, c.serve.model.value_or(""), c.serve.version);
  const Question q{.c = c,
                   .shape = *shape,
                   .settings = settings,
                   .place = *place,
                   .low = weights ? weights->low : 1,
                   .high = weights ? weights->high : 1};
  Budget budget;
  const auto asked = static_cast<double>(settings.context.count());
  double tokens = asked, low = asked, high = asked;
  int rank = 0;
  for (const LlamaDevice& device : place->devices) {
    Filled of = filled(q, device, rank++);
    tokens = std::min(tokens, of.tokens);
    low = std::min(low, of.low);
    high = std::min(high, of.high);
    budget.gpus.push_back(std::move(of.gpu));
  }
  budget.kv_tokens = Tokens{static_cast<std::int64_t>(tokens)};
  budget.kv_tokens_low = Tokens{static_cast<std::int64_t>(low)};
  budget.kv_tokens_high = Tokens{static_cast<std::int64_t>(high)};
  budget.request_tokens = settings.context;
  budget.max_model_len = settings.slot_context;
  budget.max_model_len_asked = settings.context_asked;
  budget.max_num_seqs = settings.slots;
  budget.max_concurrency = static_cast<double>(budget.kv_tokens.count()) /
                           static_cast<double>(std::max<std::int64_t>(1, settings.cells));
  budget.max_batched_tokens = Tokens{settings.physical_batch};
  budget.memory_fraction = 1;
  budget.longest_possible = std::min(Tokens{budget.kv_tokens.count() / settings.streams},
                                     std::max(settings.slot_context, Tokens{settings.cells}));
  budget.assumptions = assumptions_of(q);
  return budget;
}

}  // namespace sx
