// Which device holds which layer: layers count from the back, and devices take them in order by
// their shares; then, where the engine fits itself, less context and fewer layers until they fit.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/strings.h"
#include "engines/budget_parts.h"
#include "engines/llamacpp/memory.h"
#include "engines/llamacpp/memory_sizes.h"
#include "engines/llamacpp/memory_weights.h"

namespace sx {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kMib = 1024.0 * 1024;

constexpr Text kNoBits{
    "the GGUF file was not read, and no name tells how many bits its weights have",
    "没有读取 GGUF 文件，也没有名称说明权重的位宽"};

struct Work {
  const Case& c;
  const ModelSpec& model;
  Shape shape;
  LlamaSettings settings;
  LlamaWeights weights;
  std::vector<const Gpu*> gpus;
  std::vector<int> positions;  // of each among the launch's GPUs

  int layers() const { return static_cast<int>(shape.layers); }
};

Bytes free_of(const Gpu& gpu) {
  const Bytes usable = gpu.usable.value();
  return std::max(usable - gpu.used.value_or(Bytes{0}), Bytes{0});
}

// Upper ends of the devices' parts of the layers on GPUs, 0 to 1.
std::vector<double> split_points(const Work& w) {
  const auto& shares = w.settings.shares;
  std::vector<double> parts;
  for (std::size_t i = 0; i < w.gpus.size(); ++i) {
    const double by_memory = static_cast<double>(free_of(*w.gpus[i]).count());
    const double share = i < shares.size() && std::isfinite(shares[i]) ? shares[i] : 0;
    parts.push_back(shares.empty() ? by_memory : std::clamp(share, 0.0, 1e9));
  }
  double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (sum <= 0) {  // all zero: the engine goes by memory too
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = static_cast<double>(free_of(*w.gpus[i]).count());
    sum = std::max(1.0, std::accumulate(parts.begin(), parts.end(), 0.0));
  }
  double below = 0;
  for (double& part : parts) part = below += part / sum;
  parts.back() = 1;
  return parts;
}

// Device of each layer, and of the output behind the last; -1: host memory.
std::vector<int> devices_of_layers(const Work& w, int gpu_layers) {
  const int rows = w.layers() + 1, on_gpus = std::clamp(gpu_layers, 0, rows);
  std::vector<int> devices(static_cast<std::size_t>(rows), -1);
  const std::vector<double> ends = split_points(w);
  const auto last = static_cast<int>(w.gpus.size()) - 1;
  for (int i = 0; i < on_gpus; ++i) {
    const double at = static_cast<double>(i) / on_gpus;
    const auto device = std::ranges::upper_bound(ends, at) - ends.begin();
    const int place = w.settings.split == LlamaSplit::None
                          ? std::min(w.settings.main_gpu, last)
                          : std::min(static_cast<int>(device), last);
    devices[static_cast<std::size_t>(rows - on_gpus + i)] = place;
  }
  return devices;
}

double experts_on_host(const Work& w, int layer) {
  const auto at = static_cast<std::size_t>(layer);
  const LlamaExpertsOnHost& experts = w.settings.experts;
  return experts.all || layer < experts.first_layers ? w.weights.experts[at] : 0;
}

// Of a layer's cache, or of a device's.
struct Kept {
  double bytes = 0, per_token = 0, states = 0;

  void add(const Kept& more, double part = 1) {
    bytes += more.bytes * part;
    per_token += more.per_token * part;
    states += more.states * part;
  }
};

struct Sums {
  std::vector<double> weights;
  std::vector<Kept> cache;
  double host_weights = 0, host_cache = 0;
};

// A tensor cut by rows or whole over all devices: each has its share, the rest is the main one's.
void share_out(const Work& w, Sums& sums, int layer, double weights, const Kept& cache) {
  const bool by_rows = w.settings.split == LlamaSplit::Row;
  const auto main = std::min(static_cast<std::size_t>(w.settings.main_gpu), w.gpus.size() - 1);
  const auto at = static_cast<std::size_t>(layer);
  const double whole = by_rows && at < w.weights.small.size() ? w.weights.small[at] : 0;
  const std::vector<double> ends = split_points(w);
  double begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    sums.weights[i] += (weights - whole) * (ends[i] - begin);
    if (!by_rows) sums.cache[i].add(cache, ends[i] - begin);
    begin = ends[i];
  }
  sums.weights[main] += whole;
  if (by_rows) sums.cache[main].add(cache);
}

Sums sums_of(const Work& w, const std::vector<int>& devices, const LlamaCache& cache) {
  const bool shared = w.settings.split == LlamaSplit::Row || w.settings.split == LlamaSplit::Tensor;
  Sums sums{.weights = std::vector<double>(w.gpus.size()),
            .cache = std::vector<Kept>(w.gpus.size()),
            .host_weights = w.weights.embedding};
  for (int layer = 0; layer <= w.layers(); ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    const bool output = layer == w.layers();
    const double on_host = output ? 0 : experts_on_host(w, layer);
    const double weights = (output ? w.weights.output : w.weights.layers[at]) - on_host;
    const Kept kept =
        output ? Kept{} : Kept{cache.layers[at], cache.per_token[at], cache.states[at]};
    const Kept on_gpu = w.settings.cache_on_gpu ? kept : Kept{};
    sums.host_weights += on_host;
    if (devices[at] < 0) {
      // A tied table is in host memory already.
      sums.host_weights += output ? 0 : weights;
      sums.host_cache += kept.bytes;
      continue;
    }
    sums.host_cache += kept.bytes - on_gpu.bytes;
    if (shared) {
      share_out(w, sums, layer, weights, on_gpu);
    } else {
      sums.weights[static_cast<std::size_t>(devices[at])] += weights;
      sums.cache[static_cast<std::size_t>(devices[at])].add(on_gpu);
    }
  }
  return sums;
}

bool pipelined(const Work& w, const std::vector<int>& devices) {
  const LlamaSettings& s = w.settings;
  const bool all = std::ranges::none_of(devices, [](int device) { return device < 0; });
  const bool several = devices.front() != devices.back();
  const bool moved = s.experts.all || s.experts.first_layers > 0 || s.experts.unreadable;
  return s.split == LlamaSplit::Layer && all && several && s.cache_on_gpu && !moved;
}

LlamaPlacement placed(const Work& w, int gpu_layers) {
  const std::vector<int> devices = devices_of_layers(w, gpu_layers);
  const LlamaCache cache = llama_cache(w.model, w.shape, w.settings);
  const Sums sums = sums_of(w, devices, cache);
  LlamaPlacement place;
  place.layers = w.layers() + 1;
  place.layers_on_gpus = std::clamp(gpu_layers, 0, place.layers);
  place.exact = w.weights.exact;
  place.context = w.settings.context;
  place.copies = pipelined(w, devices)
                     ? static_cast<int>(llama_constant("pipeline-copies", w.settings.version).value)
                     : 1;
  const LlamaStep step = llama_step(w.model, w.shape, w.settings, place.copies);
  place.step_of_one_copy = llama_step(w.model, w.shape, w.settings).bytes;
  const Constant runtime = llama_constant("runtime", w.settings.version);
  const bool shared = w.settings.split == LlamaSplit::Row || w.settings.split == LlamaSplit::Tensor;
  const auto main = std::min(static_cast<std::size_t>(w.settings.main_gpu), w.gpus.size() - 1);
  for (std::size_t i = 0; i < w.gpus.size(); ++i) {
    LlamaDevice device{.gpu = w.positions[i]};
    const auto at = static_cast<int>(i);
    device.layers = static_cast<int>(std::ranges::count(devices.begin(), devices.end() - 1, at));
    device.output = devices.back() == at;
    device.capacity = w.gpus[i]->usable.value();
    device.free = free_of(*w.gpus[i]);
    device.weights = whole_bytes(sums.weights[i]);
    device.cache = whole_bytes(sums.cache[i].bytes);
    device.cache_per_token = sums.cache[i].per_token;
    device.states = whole_bytes(sums.cache[i].states);
    const bool works = w.settings.split == LlamaSplit::Row ? i == main
                       : shared                            ? true
                                                           : device.layers > 0 || device.output;
    if (works || device.weights > Bytes{0}) device.runtime = whole_bytes(runtime.value * kGib);
    if (works) {
      device.step = step.bytes;
      device.step_high = step.high;
      device.step_inputs = step.inputs;
    }
    device.needed_low = whole_bytes(static_cast<double>(device.weights.count()) * w.weights.low) +
                        device.cache + (works ? step.low : Bytes{0}) +
                        (device.runtime > Bytes{0} ? whole_bytes(runtime.low * kGib) : Bytes{0});
    place.devices.push_back(device);
  }
  place.host_weights = whole_bytes(sums.host_weights);
  place.host_cache = whole_bytes(sums.host_cache);
  place.host_step = step.bytes + llama_output(w.shape, w.settings);
  return place;
}

bool fits(const Work& w, const LlamaPlacement& place) {
  const Bytes margin = whole_bytes(llama_constant("fit-target", w.settings.version).value * kMib);
  return std::ranges::all_of(place.devices, [margin](const LlamaDevice& device) {
    return device.needed() + margin <= device.free;
  });
}

// The greatest number from `low` on for which `good` holds, when it holds for all below it.
template <class Good>
std::int64_t greatest(std::int64_t low, std::int64_t high, Good good) {
  while (low < high) {
    const std::int64_t middle = high - (high - low) / 2;
    if (good(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

void set_cells(LlamaSettings& s, std::int64_t cells) {
  s.cells = cells;
  s.context = Tokens{cells * s.streams};
  s.slot_context = std::min(s.slot_context, Tokens{cells});
}

// What --fit does: an unset context first, then layers; what the user set stays.
LlamaPlacement fitted(Work& w) {
  LlamaSettings& s = w.settings;
  LlamaPlacement place = placed(w, s.gpu_layers);
  if (!s.fits_itself || s.split == LlamaSplit::Row || s.split == LlamaSplit::Tensor ||
      fits(w, place))
    return place;
  if (!s.context_asked) {
    const auto step =
        static_cast<std::int64_t>(llama_constant("context-rounding", s.version).value);
    const auto shortest = static_cast<std::int64_t>(llama_constant("fit-context", s.version).value);
    const std::int64_t least = std::min(s.cells / step, shortest / step);
    const LlamaSettings asked = s;
    const auto good = [&](std::int64_t steps) {
      set_cells(s, steps * step);
      const bool fine = fits(w, placed(w, s.gpu_layers));
      s = asked;
      return fine;
    };
    const std::int64_t steps = greatest(std::max<std::int64_t>(1, least), s.cells / step, good);
    set_cells(s, steps * step);
    place = placed(w, s.gpu_layers);
    place.context_shrunk = true;
    if (fits(w, place)) return place;
  }
  const bool free_hand = !s.gpu_layers_asked && s.shares.empty() && !s.experts.all &&
                         s.experts.first_layers == 0 && !s.experts.unreadable;
  const bool shrunk = place.context_shrunk;
  if (free_hand) {
    const std::int64_t layers = greatest(0, w.layers() + 1, [&](std::int64_t count) {
      return fits(w, placed(w, static_cast<int>(count)));
    });
    place = placed(w, static_cast<int>(layers));
    place.layers_moved = true;
  }
  place.context_shrunk = shrunk;
  return place;
}

// Those that --device names ("CUDA1,CUDA0"), in its order; all without it, or when it names others.
std::vector<int> positions_of(const ServeSpec& serve, std::size_t visible) {
  std::vector<int> all(visible), named;
  std::iota(all.begin(), all.end(), 0);
  const FlagUse* use = serve.use_of("--device");
  if (use == nullptr || use->values.empty()) return all;
  for (std::string_view device : split(use->values.front(), ',')) {
    const std::string word = lower(trimmed(device));
    if (!word.starts_with("cuda")) return all;
    const auto index = to_integer(std::string_view(word).substr(4));
    if (!index || *index < 0 || *index >= static_cast<std::int64_t>(visible)) return all;
    named.push_back(static_cast<int>(*index));
  }
  return named.empty() ? all : named;
}

}  // namespace

std::expected<LlamaPlacement, NoBudget> llama_placement(const Case& c) {
  const auto shape = shape_for_budget(c.model());
  if (!shape) return std::unexpected(shape.error());
  const auto visible = static_cast<std::int64_t>(c.visible.gpus.size());
  auto gpus = gpus_for_budget(c, std::max<std::int64_t>(1, visible));
  if (!gpus) return std::unexpected(std::move(gpus.error()));
  auto weights = llama_weights(c.model(), *shape, c.serve.model.value_or(""), c.serve.version);
  if (!weights) return std::unexpected(NoBudget{kNoBits});
  Work w{.c = c,
         .model = c.model(),
         .shape = *shape,
         .settings = llama_settings(c),
         .weights = std::move(*weights),
         .gpus = {},
         .positions = positions_of(c.serve, gpus->size())};
  for (const int position : w.positions)
    w.gpus.push_back((*gpus)[static_cast<std::size_t>(position)]);
  LlamaPlacement place = fitted(w);
  place.prompt_cache = whole_bytes(llama_constant("prompt-cache", w.settings.version).value * kMib);
  return place;
}

}  // namespace sx
