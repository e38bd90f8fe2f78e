// SX1140. The long explanation and the scenes are in model_on_one_gpu.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "engines/engine.h"

namespace sx::rules {
namespace {

// Their parallel size is one where nothing is said, and weights are never left in host memory.
constexpr std::string_view kOneByDefault[] = {"tgi", "lmdeploy", "trtllm"};

constexpr Text kTitle{
    "the whole model goes to one of {gpus} GPUs: {weights} of weights, it has {memory}",
    "整个模型都放到 {gpus} 张 GPU 中的一张上：权重 {weights}，而它只有 {memory}"};
constexpr Text kOne{"puts all of it on one GPU", "全部放到一张 GPU 上"};
constexpr Text kDefault{"one GPU is used where no {flag} is said", "没有写 {flag} 时只用一张 GPU"};
constexpr Text kBasis{"{memory} on GPU {gpu}: {origin}", "GPU {gpu} 有 {memory}：{origin}"};
constexpr Text kBecause{"GPUs that are visible are not used until the launch asks for them",
                        "GPU 可见不等于会被使用，要在启动命令里写明"};
constexpr Text kOtherwise{
    "GPU {gpu} runs out of memory while weights are loaded, the others stay empty",
    "加载权重时 GPU {gpu} 显存不足（OOM），其余 GPU 一直空着"};
constexpr Text kSplit{"split the weights over {tp} GPUs", "把权重切分到 {tp} 张 GPU 上"};
constexpr Text kNothing{
    "split over these GPUs the weights leave no room for a cache: fewer bits a weight, or more "
    "GPUs",
    "切分到这些 GPU 上也没有余量放缓存：需要更低比特的权重，或更多 GPU"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelShape, Need::HostGpuMemory,
                           Need::VisibleDevices};

constexpr Bytes kOfBillion{2'000'000'000};  // parameters of 16 bits

// Of the checkpoint as it lies there; nothing where it is unknown or would be made smaller.
std::optional<Bytes> weights(const Case& c) {
  const ModelSpec& model = c.model();
  if (c.serve.quantization.known() || c.serve.use_of("--quantization") != nullptr) return {};
  // Weights of 32 bits are halved as they are loaded.
  const int shrinks = model.dtype.value_or("") == "float32" ? 2 : 1;
  if (model.checkpoint_bytes.known()) return model.checkpoint_bytes.value() / shrinks;
  const bool plain = model.quantisation.known() && model.quantisation.value().method.empty();
  if (!plain || !model.parameters_billion.known()) return {};
  return fraction_of(kOfBillion, model.parameters_billion.value());
}

const Gpu* gpu_at(const HostSpec& host, int index) {
  const auto found = std::ranges::find(host.gpus, index, &Gpu::index);
  return found == host.gpus.end() ? nullptr : &*found;
}

// The smallest size that splits and leaves something for the cache.
std::optional<int> size_that_holds(const Case& c, Bytes all) {
  constexpr double kForWeights = 0.9;  // the rest: cache, buffers, the runtime itself
  const auto seen = static_cast<int>(c.visible.gpus.size());
  Bytes least{};
  for (const int index : c.visible.gpus) {
    const Gpu* gpu = gpu_at(c.host(), index);
    if (gpu == nullptr || !gpu->usable_low.known()) return {};
    if (least == Bytes{} || gpu->usable_low.value() < least) least = gpu->usable_low.value();
  }
  const Engine* engine = find_engine(c.serve.engine);
  if (engine == nullptr) return {};
  for (const int tp : tensor_sizes(c.model(), engine->split_ask(c, Layout{}), seen)) {
    const bool even = (tp & (tp - 1)) == 0;  // sizes that every one of these engines takes
    if (tp > 1 && even && all / tp < fraction_of(least, kForWeights)) return tp;
  }
  return {};
}

// TGI counts the GPUs that a container runtime names to it, which a manifest does not show.
bool counted_by_runtime(const Case& c) {
  return c.around.contained() && c.command.front.empty() && !c.serve.tensor_parallel.asked();
}

std::vector<Complaint> check(const Case& c) {
  const auto all = weights(c);
  const auto seen = c.visible.gpus.size();
  if (!all || seen < 2 || c.serve.gpus_wanted() != 1 || counted_by_runtime(c)) return {};
  const int first = c.visible.gpus.front();
  const Gpu* gpu = gpu_at(c.host(), first);
  if (gpu == nullptr || !gpu->usable_high.known() || *all <= gpu->usable_high.value()) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"gpus", seen}, {"weights", *all}, {"memory", gpu->usable_high.value()}}};
  if (c.serve.tensor_parallel.span()) {
    mark(d, c.serve.tensor_parallel, kOne);
  } else {
    d.basis.push_back({kDefault, {{"flag", own_flag(c.serve, "--tensor-parallel-size")}}});
  }
  d.basis.push_back(
      {kBasis,
       {{"memory", gpu->usable_high.value()}, {"gpu", first}, {"origin", host_origin(c.host())}}});
  d.because = kBecause;
  d.otherwise = {kOtherwise, {{"gpu", first}}};
  d.subject = "--tensor-parallel-size";
  if (const auto tp = size_that_holds(c, *all)) {
    complaint.proposals.push_back(
        {.title = {kSplit, {{"tp", *tp}}},
         .changes = {set_flag("--tensor-parallel-size", std::to_string(*tp))}});
  }
  d.no_fix = kNothing;
  return {complaint};
}

}  // namespace

extern const Rule model_on_one_gpu{
    .code = "SX1140",
    .name = "model-on-one-gpu",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOneByDefault,
    .check = check,
};

}  // namespace sx::rules
