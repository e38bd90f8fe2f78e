// Values go in where the reading of words would have put them; what is not chosen any more goes
// back to what the words say.
#include "plan/tried_launch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/strings.h"
#include "knowledge/foreign_flags.h"

namespace sx {

bool takes_values(const Case& said) { return said.learned == nullptr || said.learned->empty(); }

TriedLaunch::TriedLaunch(Case said, const LaunchShape& shape, const ServeSpec& bare)
    : launch_(std::move(said)),
      own_{.max_model_len = launch_.serve.max_model_len,
           .max_model_len_auto = launch_.serve.max_model_len_auto,
           .max_num_seqs = launch_.serve.max_num_seqs,
           .max_batched_tokens = launch_.serve.max_batched_tokens,
           .memory_fraction = launch_.serve.memory_fraction,
           .partition = launch_.serve.partition,
           .visible_devices = launch_.serve.visible_devices,
           .visible = launch_.visible},
      one_{.pipeline = bare.pipeline_parallel,
           .data = bare.data_parallel,
           .data_local = bare.data_parallel_local},
      read_for_(shape),
      shape_(shape) {}

bool TriedLaunch::resize(const LaunchShape& now) {
  if (shape_ == now) return true;
  if (!takes_values(launch_)) return false;
  ServeSpec& serve = launch_.serve;
  // Ranks that share the experts out are all of the tensor group where the shape says so, or where
  // a flag holds experts whole; else they are the user's own number.
  const int ranks = serve.expert_ranks.value_or(1);
  const bool all =
      ranks == shape_.tensor && (now.expert || serve.expert_ranks.origin() == Origin::Formula);
  if (ranks > 1 && !all) return false;
  const auto size = [](int value) { return Fact<int>(value, Origin::Flag); };
  if (serve.expert_ranks.known() && ranks > 1)
    serve.expert_ranks = Fact<int>(now.tensor, serve.expert_ranks.origin());
  if (now.tensor > 1) serve.tensor_parallel = size(now.tensor);
  if (now.groups > 1) serve.attention_data_parallel = size(now.groups);
  if (now.pipeline != shape_.pipeline)
    serve.pipeline_parallel = now.pipeline > 1 ? size(now.pipeline) : one_.pipeline;
  if (now.ranks != shape_.ranks) {
    serve.data_parallel = now.ranks > 1 ? size(now.ranks) : one_.data;
    serve.data_parallel_local =
        now.ranks > 1 ? Fact<int>(now.ranks, Origin::Default) : one_.data_local;
  }
  shape_ = now;
  return true;
}

const Case& TriedLaunch::plain() {
  set({});
  if (!gpus_.empty()) {
    launch_.serve.visible_devices = own_.visible_devices;
    launch_.visible = own_.visible;
    gpus_.clear();
  }
  return launch_;
}

const Case* TriedLaunch::with(const std::vector<int>& gpus, const LaunchSettings& settings) {
  if (!can_be_set(settings)) return nullptr;
  set(settings);
  if (gpus != gpus_) move_to(gpus);
  return &launch_;
}

// Only what the engine could be told too.
bool TriedLaunch::can_be_set(const LaunchSettings& settings) const {
  const ServeSpec& serve = launch_.serve;
  const auto sayable = [&serve](const char* common) {
    return !own_name_for_value(serve.engine, common).empty();
  };
  // Where prompts are read whole, a size of their pieces is no limit of a step.
  const bool steps = settings.max_batched_tokens > Tokens{0};
  const bool pieces = serve.chunked_prefill.value_or(true);
  if (steps && !(pieces && sayable("--max-num-batched-tokens"))) return false;
  if (settings.share_hundredths > 0 && !sayable("--gpu-memory-utilization")) return false;
  return settings.shares.empty() && takes_values(launch_);
}

void TriedLaunch::set(const LaunchSettings& settings) {
  if (settings == settings_) return;
  ServeSpec& serve = launch_.serve;
  const LaunchSettings& s = settings;
  const bool length = s.max_model_len > Tokens{0};
  serve.max_model_len = length ? Fact<Tokens>(s.max_model_len, Origin::Flag) : own_.max_model_len;
  serve.max_model_len_auto = length ? Fact<bool>(false, Origin::Default) : own_.max_model_len_auto;
  serve.max_num_seqs =
      s.max_num_seqs > 0 ? Fact<int>(s.max_num_seqs, Origin::Flag) : own_.max_num_seqs;
  serve.max_batched_tokens = s.max_batched_tokens > Tokens{0}
                                 ? Fact<Tokens>(s.max_batched_tokens, Origin::Flag)
                                 : own_.max_batched_tokens;
  serve.memory_fraction = s.share_hundredths > 0
                              ? Fact<double>(s.share_hundredths / 100.0, Origin::Flag)
                              : own_.memory_fraction;
  serve.partition = !s.partition.empty() ? Fact<PipelinePartition>(PipelinePartition{s.partition},
                                                                   Origin::Environment)
                                         : own_.partition;
  settings_ = settings;
}

void TriedLaunch::move_to(const std::vector<int>& gpus) {
  ServeSpec& serve = launch_.serve;
  serve.visible_devices = Fact<std::string>(join(gpus, ","), Origin::Environment);
  gpus_ = gpus;
  const int count = launch_.host().gpu_count.value_or(0);
  const bool there =
      std::ranges::all_of(gpus, [count](int gpu) { return gpu >= 0 && gpu < count; });
  const bool taken_as_listed = serve.first_gpu.value_or(0) <= 0 &&
                               serve.gpu_step.value_or(1) <= 1 &&
                               serve.device_order.value_or("") == "PCI_BUS_ID";
  if (!there || !taken_as_listed) {
    launch_.visible = visible_devices(serve, launch_.host());
    return;
  }
  // What reading the list would give: numbers of GPUs that are there, each once.
  VisibleDevices seen{.known = true, .gpus = gpus, .masked = true};
  seen.entries = std::move(launch_.visible.entries);
  seen.entries.clear();
  for (const int gpu : gpus) seen.entries.push_back(std::to_string(gpu));
  launch_.visible = std::move(seen);
}

}  // namespace sx
