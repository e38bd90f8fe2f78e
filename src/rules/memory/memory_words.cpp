// Where, how much and from where, in the same words in each rule about GPU memory.
#include "rules/memory/memory_words.h"

#include <algorithm>

#include "check/free_memory.h"
#include "check/speak.h"
#include "rules/command/flag_words.h"

namespace sx::rules {
namespace {

constexpr Text kEachGpu{"each GPU", "每张 GPU"};
constexpr Text kShareLabel{"{share} of the {card} of {where}",
                           "{where} 的 {card} 显存中允许使用 {share}"};
constexpr Text kShareDefault{
    "{share} of {where} may be used: {fraction} of {card}, the default of {engine}",
    "{where} 允许使用 {share}：{card} 的 {fraction} 倍，{engine} 的默认值"};
constexpr Text kShareOwn{"{share} of the {card} of {where} may be used, as {engine} decides it",
                         "{where} 的 {card} 显存中允许使用 {share}：由 {engine} 决定"};
constexpr Text kCard{"memory that CUDA sees on {where}: {card} ({origin})",
                     "{where} 上 CUDA 可见的显存：{card}（{origin}）"};
constexpr Text kParts{
    "on {where}: weights {weights} + activations {activations} + CUDA graphs {graphs} + runtime "
    "{runtime} = {spent} GiB",
    "{where}：权重 {weights} + 激活值 {activations} + CUDA graph {graphs} + 运行时 {runtime} = "
    "{spent} GiB"};
constexpr Text kPartsEager{
    "on {where}: weights {weights} + activations {activations} + runtime {runtime} = {spent} GiB",
    "{where}：权重 {weights} + 激活值 {activations} + 运行时 {runtime} = {spent} GiB"};
constexpr Text kByShape{"weights {weights} ({low} to {high}): from the model's shape, {origin}",
                        "权重 {weights}（{low} 到 {high}）：按模型结构计算，{origin}"};
constexpr Text kByHeaders{"weights {weights} ({low} to {high}): summed from the tensor headers",
                          "权重 {weights}（{low} 到 {high}）：由权重文件头累加"};

// Nothing but the number tells them apart.
bool alike(const Budget& budget) {
  const GpuBudget& first = budget.gpus.front();
  return std::ranges::all_of(budget.gpus, [&first](const GpuBudget& gpu) {
    return gpu.capacity == first.capacity &&
           std::ranges::equal(gpu.lines, first.lines, {}, &BudgetLine::bytes, &BudgetLine::bytes);
  });
}

Bytes size_of(const GpuBudget& gpu, std::string_view name) {
  const BudgetLine* line = gpu.line(name);
  return line == nullptr ? Bytes{0} : line->bytes;
}

}  // namespace

Argument where(const Case& c, const MemoryFault& fault, const Budget& budget) {
  if (budget.gpus.size() > 1 && alike(budget)) return {"where", kEachGpu};
  const auto& visible = c.visible.gpus;
  const int own = budget.gpus[fault.gpu].gpu;
  const auto position = static_cast<std::size_t>(own);
  const int gpu = position < visible.size() ? visible[position] : own;
  return {"where", "GPU " + std::to_string(gpu)};
}

Argument where(const Case& c, const MemoryVerdict& verdict) {
  return where(c, verdict, verdict.budget);
}

void mark_split(const Case& c, Diagnostic& d, Message text) {
  const ServeSpec& serve = c.serve;
  if (serve.tensor_parallel.asked()) return mark(d, serve.tensor_parallel, std::move(text));
  if (serve.pipeline_parallel.asked()) return mark(d, serve.pipeline_parallel, std::move(text));
  mark(d, serve.model, std::move(text));
}

void tell_share(const Case& c, const MemoryVerdict& verdict, Diagnostic& d) {
  const Argument place = where(c, verdict), card("card", verdict.at().capacity),
                 share("share", verdict.share.bytes);
  d.basis.push_back({kCard, {place, card, {"origin", host_origin(c.host())}}});
  if (verdict.asked_pool > Bytes{0}) return;
  if (c.serve.memory_fraction.span()) {
    mark(d, c.serve.memory_fraction, {kShareLabel, {share, card, place}});
    return;
  }
  const Argument engine("engine", engine_and_version(c.serve));
  const auto fraction = fraction_in_force(c);
  d.basis.push_back(
      fraction ? Message{kShareDefault, {share, place, card, {"fraction", *fraction}, engine}}
               : Message{kShareOwn, {share, place, card, engine}});
}

// In one unit, so that anybody can add them up.
void tell_parts(const Case& c, const MemoryVerdict& verdict, Diagnostic& d) {
  const GpuBudget& gpu = verdict.at();
  const Bytes graphs = size_of(gpu, "graphs");
  std::vector<Argument> arguments{where(c, verdict),
                                  {"weights", in_gib(weights_of(gpu).bytes)},
                                  {"activations", in_gib(size_of(gpu, "activations"))},
                                  {"runtime", in_gib(size_of(gpu, "runtime"))},
                                  {"spent", in_gib(spent_before_cache(gpu).bytes)}};
  if (graphs > Bytes{0}) arguments.emplace_back("graphs", in_gib(graphs));
  d.basis.push_back({graphs > Bytes{0} ? kParts : kPartsEager, std::move(arguments)});
}

void tell_weights(const Case& c, const MemoryVerdict& verdict, Diagnostic& d) {
  const BudgetLine* line = verdict.at().line("weights");
  const Extent weights = weights_of(verdict.at());
  const bool headers = line != nullptr && line->origin == Origin::Header;
  std::vector<Argument> arguments{
      {"weights", weights.bytes}, {"low", weights.low}, {"high", weights.high}};
  if (!headers) arguments.emplace_back("origin", model_origin(c.model()));
  d.basis.push_back({headers ? kByHeaders : kByShape, std::move(arguments)});
}

}  // namespace sx::rules
