// The largest moment of vLLM's profile run: one forward pass over a full step, then drawing a token
// for every sequence. The terms were fitted on public start-up logs; each coefficient is a row of
// data/engines/vllm/memory.tsv.
#include <algorithm>
#include <tuple>

#include "engines/newest_notes.h"
#include "engines/vllm/memory_peak.h"
#include "knowledge/constants.h"
#include "knowledge/paired_name.h"

namespace sx {
namespace {

constexpr double kMib = 1024.0 * 1024;
constexpr double kGib = 1024.0 * kMib;

constexpr Text kStep{"tokens a step: {tokens}", "每步 token 数：{tokens}"};
constexpr Text kSampling{"the peak is drawing tokens for {sequences} sequences",
                         "峰值出现在为 {sequences} 个序列采样时"};
constexpr Text kFirstStart{
    "a first start compiles while it measures: up to {more} more, which the next start leaves to "
    "the cache",
    "首次启动会边编译边测量：最多多占 {more}，再次启动时这部分会留给 KV 缓存"};
constexpr Text kPicture{"the peak is one largest picture", "峰值由一张最大的图片决定"};

double real(std::int64_t size) { return static_cast<double>(size); }

// Sizes of the profile run, as numbers that formulas can use.
struct Run {
  const PeakAsk& ask;
  double tokens, sequences, hidden, vocabulary, dtype, ranks;

  explicit Run(const PeakAsk& a)
      : ask(a),
        tokens(real(a.settings.batched_tokens.count())),
        sequences(a.settings.max_num_seqs),
        hidden(real(a.shape.hidden)),
        vocabulary(a.shape.vocabulary > 0 ? real(a.shape.vocabulary)
                                          : formula_constant("vocabulary-assumed")),
        dtype(a.settings.dtype_bytes),
        ranks(std::max(1, a.layout.tensor)) {}

  bool smallest_sampler =
      false;  // another sampler may be installed: the low end of what drawing takes

  double number(std::string_view name) const {
    return vllm_constant(name, ask.settings.version).value;
  }
};

// Two workspaces of the fused experts: a row for each token and chosen expert. MXFP4 kernels have
// none of them.
double expert_workspace(const Run& run) {
  const Shape& s = run.ask.shape;
  if (s.experts == 0) return 0;
  const bool mxfp4 =
      run.ask.model.is_quantised() && run.ask.model.quantisation.value().method == "mxfp4";
  if (mxfp4) return 0;
  const double width = run.ask.layout.expert
                           ? real(s.expert_width)
                           : real(s.expert_width / std::max(1, run.ask.layout.tensor));
  return run.tokens * real(s.experts_per_token) * run.dtype *
         (std::max(width, run.hidden) + std::max(2 * width, run.hidden));
}

double mlp_width(const Shape& s) {
  if (s.experts == 0 || s.dense_layers_first > 0) return real(s.width);
  return real(s.shared_width > 0 ? s.shared_width : s.expert_width);
}

// What cuBLAS asks torch for. Start-ups of V1 that the other terms were fitted on all took the
// larger one.
double blas_workspace(const Run& run) {
  const Fact<ComputeCapability>& card = run.ask.gpu.capability;
  const bool larger = !card.known() || card.value().major == 9 || card.value().major == 10;
  const bool small = run.ask.settings.v0 && !larger;
  return run.number(small ? "blas-workspace-small" : "blas-workspace") * kMib;
}

double forward_of_v0(const Run& run) {
  const double width = mlp_width(run.ask.shape) / run.ranks;
  return run.tokens * run.dtype *
             (run.number("forward-v0-per-width") * width +
              run.number("forward-v0-per-hidden") * run.hidden) +
         expert_workspace(run) + blas_workspace(run);
}

double forward(const Run& run) {
  const double width = mlp_width(run.ask.shape) / run.ranks;
  double bytes =
      run.tokens * run.dtype *
      (run.number("forward-per-width") * width + run.number("forward-per-hidden") * run.hidden);
  bytes += expert_workspace(run) + blas_workspace(run);
  if (run.ask.place.stages > 1)
    bytes += run.number("forward-handed-on") * run.tokens * run.hidden * run.dtype;
  return bytes;
}

// Drawing one token a sequence: copies of the logits, which tensor parallelism does not divide.
double draw(const Run& run) {
  const Constant row =
      vllm_constant(run.ask.settings.dtype_bytes == 4 ? "sampler-draw-32bit" : "sampler-draw-16bit",
                    run.ask.settings.version);
  const double per_entry = run.smallest_sampler ? row.low : row.value;
  const int processors = run.ask.gpu.multiprocessors.known()
                             ? run.ask.gpu.multiprocessors.value()
                             : static_cast<int>(formula_constant("multiprocessors-default"));
  const double rows = std::min<double>(processors, run.sequences);
  return per_entry * run.sequences * run.vocabulary +
         run.number("sampler-scratch-per-vocab-entry") * run.vocabulary * rows;
}

double sampling_moment(const Run& run) {
  const double kept = run.number("moe-workspace-kept") * expert_workspace(run);
  return draw(run) + run.number("profile-hidden-per-token") * run.tokens * run.hidden * run.dtype +
         run.number("sampler-hidden-per-sequence") * run.sequences * run.hidden * run.dtype + kept +
         blas_workspace(run);
}

// Towers with a fixed grid: outputs for a full step and the dummy pictures stay alive.
double pictures_of_fixed_size(const Run& run) {
  if (!run.ask.settings.with_vision) return 0;
  const auto values =
      optional_formula_constant(PairedName("picture-pixels-per-token:", run.ask.shape.type).view());
  if (!values) return 0;
  return run.tokens * run.dtype * (run.hidden + *values);
}

// Towers that take any size: one largest picture is pushed through alone. Two GPUs took no less for
// it than one (Qwen3.5-9B on RTX 5090, 0.20).
double largest_picture(const Run& run) {
  const VisionTower& tower = run.ask.model.vision;
  const bool any_size =
      optional_formula_constant(PairedName("picture-any-size:", run.ask.shape.type).view())
          .value_or(0) != 0;
  if (!run.ask.settings.with_vision || !any_size || !tower.hidden_size.known()) return 0;
  const double patch =
      tower.patch_size.value_or(static_cast<int>(formula_constant("picture-default-patch")));
  const double width = tower.hidden_size.value();
  const double inner = tower.intermediate_size.known()
                           ? tower.intermediate_size.value()
                           : width * formula_constant("picture-inner-factor");
  const double patches =
      formula_constant("picture-patches-per-token") * formula_constant("picture-tokens-largest");
  const double values = formula_constant("picture-values-per-patch-pixel") * patch * patch;
  return patches * run.dtype * (values + 2 * width + 2 * inner);
}

// What each moment of the profile run takes; each is worked out once.
struct Moments {
  double forward = 0;
  double sampling = 0, least_sampling = 0;  // the latter with another sampler
  double fixed_pictures = 0, largest_picture = 0;

  // With drawing taking so much.
  double peak(double drawing, const Run& run) const {
    if (run.ask.settings.v0) return std::max(forward, drawing);
    if (!run.ask.place.last) return std::max(forward, largest_picture);
    return std::max(std::max(drawing, forward) + fixed_pictures, largest_picture);
  }
};

// In V0 the first rank of a stage draws for all of them; in V1 each rank does.
bool draws(const Run& run) {
  return run.ask.place.last && (run.ask.place.driver || !run.ask.settings.v0);
}

Moments moments_of(const Run& run) {
  const bool v0 = run.ask.settings.v0;
  Moments moments{.forward = v0 ? forward_of_v0(run) : forward(run),
                  .largest_picture = v0 ? 0 : largest_picture(run)};
  if (!draws(run)) return moments;
  Run least = run;
  least.smallest_sampler = true;
  moments.sampling = sampling_moment(run);
  moments.least_sampling = sampling_moment(least);
  if (!v0) moments.fixed_pictures = pictures_of_fixed_size(run);
  return moments;
}

// What a start with an empty compile cache finds used more; none where nothing is compiled.
double first_start(const Run& run) {
  const VllmSettings& settings = run.ask.settings;
  const auto gib = constant("vllm", "first-start", settings.version);
  return settings.eager || settings.v0 || !gib ? 0 : gib->high * kGib;
}

Notes notes_of(const Run& run, const Moments& moments, double peak) {
  const VllmSettings& settings = run.ask.settings;
  const bool drawing = draws(run) && moments.sampling > moments.forward;
  const bool picture = moments.largest_picture > 0 && moments.largest_picture >= peak;
  const Bytes more = whole_bytes(first_start(run));
  thread_local NewestNotes<std::tuple<Tokens, int, bool, bool, Bytes>> newest;
  return newest.of({settings.batched_tokens, settings.max_num_seqs, drawing, picture, more}, [&] {
    std::vector<Message> notes{Message{kStep, {{"tokens", settings.batched_tokens}}}};
    if (drawing) notes.push_back({kSampling, {{"sequences", settings.max_num_seqs}}});
    if (picture) notes.emplace_back(kPicture);
    if (more > Bytes{0}) notes.push_back({kFirstStart, {{"more", more}}});
    return Notes(std::move(notes));
  });
}

}  // namespace

BudgetLine activation_line(const PeakAsk& ask) {
  const Run run(ask);
  const Moments moments = moments_of(run);
  const double peak = moments.peak(moments.sampling, run);
  const double least = moments.peak(moments.least_sampling, run);
  // Never wider than half of the peak, which itself is small on small cards.
  const double band =
      std::min(run.number("activation-band") * kGib, peak / 2) * (ask.settings.with_vision ? 2 : 1);
  return {.name = "activations",
          .bytes = whole_bytes(peak),
          .low = whole_bytes(std::max(0.0, least - band)),
          .high = whole_bytes(peak + std::max(band, first_start(run))),
          .origin = Origin::Formula,
          .notes = notes_of(run, moments, peak)};
}

}  // namespace sx
