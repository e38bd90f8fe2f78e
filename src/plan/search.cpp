// Split first, then place, then memory: each step is asked once for all candidates that share it.
#include "plan/search.h"

#include <algorithm>
#include <bit>
#include <set>

#include "check/small_cache.h"
#include "engines/engine.h"

namespace sx {
namespace {

// Users of one replica, or of one group of requests in it.
int users_of_each(const PlanAsk& ask, const Candidate& candidate) {
  const int pools = candidate.replicas * candidate.shape.groups;
  return (ask.load.users + pools - 1) / pools;
}

// The same, rounded up to a power of two behind the whole load: so many different launches as there
// are counts of replicas need not be tried.
int at_once(const PlanAsk& ask, const Candidate& candidate) {
  const auto users = static_cast<unsigned>(users_of_each(ask, candidate));
  return std::min(ask.load.users, static_cast<int>(std::bit_ceil(users)));
}

double kv_element(const Case& c) {
  const std::string asked = c.serve.kv_dtype.value_or("auto");
  if (asked.starts_with("fp8")) return 1;
  const auto& quantisation = c.model().quantisation;
  if (asked == "auto" && quantisation.known() && quantisation.value().kv_fp8.value_or(false))
    return 1;
  return c.model().dtype.value_or("") == "float32" ? 4 : 2;
}

}  // namespace

Search::Search(const Case& bare, const PlanAsk& ask, std::string sibling, Search* whole)
    : bare_(bare),
      ask_(ask),
      sibling_(std::move(sibling)),
      whole_(whole),
      once_(bare.model()),
      engine_(find_engine(bare.serve.engine)),
      kinds_(launch_kinds(bare)),
      placer_(bare.host()) {
  const int there = static_cast<int>(bare.host().gpus.size());
  gpus_ = std::min({ask.gpus > 0 ? ask.gpus : there, there, kMostPlannedGpus});
}

void Search::run() {
  if (engine_ == nullptr) return;
  for (const Candidate& candidate : sx::candidates(bare_.model(), kinds_, gpus_)) {
    ++candidates_;
    try_out(candidate);
  }
  for (Draft& draft : fitting_) add_speed(draft);
}

const OutDraft* Search::out_of(const LaunchShape& shape) const {
  const auto found =
      std::ranges::find(out_, shape, [](const OutDraft& draft) { return draft.candidate.shape; });
  return found == out_.end() ? nullptr : &*found;
}

bool Search::splits_into(int tensor) const {
  const auto known = splits_.find({.tensor = tensor});
  return known != splits_.end() && known->second;
}

bool Search::splits(const LaunchShape& shape) {
  const auto known = splits_.find(shape);
  if (known != splits_.end()) return known->second;
  // How experts are shared out and whether a vision tower stays whole is said by flags, so the
  // launch itself is asked.
  TriedLaunch* said = nullptr;
  if (shape.expert || shape.groups > 1 || keeps_tower_whole(bare_, shape)) said = said_as(shape);
  const auto problems = split_problems(
      bare_.model(), engine_->split_ask(said != nullptr ? said->plain() : bare_, shape.layout()));
  const bool stages = shape.pipeline == 1 || engine_->pipeline_supported(bare_).value_or(true);
  const bool good = problems.empty() && stages;
  splits_[shape] = good;
  if (good) return true;
  OutDraft out{.candidate = {shape, 1}, .split = {}, .reasons = 0, .fit = nullptr};
  if (!problems.empty()) out.split = problems.front();
  for (const SplitProblem& problem : problems)
    out.reasons |= std::uint32_t{1} << static_cast<unsigned>(problem.kind);
  out_.push_back(std::move(out));
  return false;
}

bool Search::surely_too_heavy(const LaunchShape& shape) {
  if (whole_ == nullptr) return false;
  // Ranks hold whole heads, rows and experts: together a little less than all where they round
  // down.
  constexpr double kRounding = 0.98;
  return weights_exceed(shape, kRounding);
}

bool Search::likely_too_heavy(const LaunchShape& shape) {
  // Ranks hold some things whole that others have too, and not all of a card is theirs.
  constexpr double kCopiesAndShare = 1.15;
  return weights_exceed(shape, kCopiesAndShare);
}

bool Search::weights_exceed(const LaunchShape& shape, double factor) {
  if (!least_weights_) least_weights_ = least_weights();
  return factor * static_cast<double>(least_weights_->count()) >
         static_cast<double>(largest_card_.count()) * shape.gpus();
}

Bytes Search::least_weights() {
  for (const Gpu& gpu : bare_.host().gpus) {
    if (!gpu.usable.known()) return {};
    largest_card_ =
        std::max({largest_card_, gpu.usable.value(), gpu.usable_high.value_or(Bytes{0})});
  }
  TriedLaunch* said = kinds_.by_layers ? nullptr : said_as({});
  if (said == nullptr || engine_->stage_weights == nullptr) return {};
  const Case& launch = said->plain();
  // Each rank may keep a part in host memory.
  if (launch.serve.cpu_offload.value_or(Bytes{0}) > Bytes{0}) return {};
  const auto weights = engine_->stage_weights(launch, Layout{});
  return weights.size() == 1 ? weights.front().low : Bytes{};
}

const Fitted& Search::fitted_on(const LaunchShape& shape, const std::vector<int>& gpus, int users) {
  const std::string likeness = placer_.likeness(gpus, shape.tensor);
  // What holds all users with defaults holds some of them.
  const FitKey whole{shape, likeness, ask_.load.users};
  const auto found = fits_.find(whole);
  if (found != fits_.end()) {
    const LaunchSettings& settings = found->second.settings;
    const bool plain = settings.max_num_seqs == 0 && settings.max_batched_tokens == Tokens{0} &&
                       settings.share_hundredths == 0;
    if (plain && found->second.fits) return found->second;
  }
  const FitKey key{shape, likeness, users};
  const auto own = fits_.find(key);
  if (own != fits_.end()) return own->second;
  const RoomAsk room = room_for(shape, users);
  const bool hopeless = !kinds_.by_layers && likely_too_heavy(shape);  // before: it says shapes too
  TriedLaunch* tried = kinds_.by_layers ? nullptr : said_as(shape);
  const SizedLaunch sized{
      .bare = bare_, .shape = shape, .gpus = gpus, .tried = tried, .likely_hopeless = hopeless};
  auto fit = kinds_.by_layers ? fitted_by_layers(sized, room) : fitted(sized, room);
  return fits_.emplace(key, std::move(fit)).first->second;
}

RoomAsk Search::room_for(const LaunchShape& shape, int users) const {
  return {.longest = ask_.needed(),
          .longest_asked = ask_.context_asked(),
          .usual = ask_.load.input + ask_.load.output,
          .at_once = users,
          .groups = shape.groups,
          .fp8_cache = ask_.fp8_cache || shape.small_cache};
}

// Ranks that share experts out are only another way to the same sizes where replicas have no room.
bool Search::beaten_twin(const Candidate& candidate) const {
  if (candidate.shape.ranks == 1 || candidate.shape.expert) return false;
  return std::ranges::any_of(fitting_, [&candidate](const Draft& draft) {
    return draft.candidate.layout() == candidate.layout() &&
           draft.candidate.shape.small_cache <= candidate.shape.small_cache;
  });
}

Search::Tightest Search::tightest(const Candidate& candidate) {
  const LaunchShape& shape = candidate.shape;
  const Placement& placement = placer_.place(candidate);
  const int different = placer_.all_alike() ? 1 : candidate.replicas;
  Tightest found;
  for (int replica = 0; replica < different; ++replica) {
    const Fitted& fit = fitted_on(shape, placement.of(shape, replica), at_once(ask_, candidate));
    const bool tighter = found.fit == nullptr || fit.fits < found.fit->fits ||
                         (fit.fits == found.fit->fits && fit.kv_tokens() < found.fit->kv_tokens());
    if (tighter) found = {&fit, static_cast<std::size_t>(replica)};
  }
  return found;
}

void Search::try_out(const Candidate& candidate) {
  const LaunchShape& shape = candidate.shape;
  if (!splits(shape) || surely_too_heavy(shape) || beaten_twin(candidate)) return;
  // One has no room: so have two.
  const OutDraft* one = candidate.replicas > 1 ? out_of(shape) : nullptr;
  const Tightest whole = one != nullptr ? Tightest{.fit = one->fit} : tightest(candidate);
  if (whole.fit == nullptr) return;
  if (one == nullptr) keep(candidate, whole, nullptr);
  try_small_cache(candidate, *whole.fit);
}

// Nobody gives accuracy up unasked for more room than was asked for: only where that is not there,
// and surely is with half the bytes a token.
void Search::try_small_cache(const Candidate& candidate, const Fitted& whole) {
  if (ask_.fp8_cache || kinds_.by_layers) return;
  const RoomAsk room = room_for(candidate.shape, users_of_each(ask_, candidate));
  const bool was_sure = whole.fits && !whole.doubtful;
  all_held_ = all_held_ || surely_holds(whole, room);
  // Who has a layout for all users over no more GPUs has no use for one that holds them like this.
  if (all_held_ && was_sure && !ask_.all) return;
  if (too_tight_.contains(candidate.shape)) return;
  if (!whole.sayable || whole.hopeless) return;
  const Case& launch = launch_of(candidate.shape, whole);
  if (!small_cache_could_do(launch, whole, room) || !may_take_small_cache(launch)) return;
  const Candidate smaller{candidate.shape.with_small_cache(), candidate.replicas};
  if (beaten_twin(smaller)) return;
  const Tightest found = tightest(smaller);
  const Fitted& fit = *found.fit;
  if (!fit.fits || fit.doubtful) {
    too_tight_.insert(candidate.shape);  // for one replica: so for two
    return;
  }
  if (was_sure && !surely_holds(fit, room)) return;
  keep(smaller, found, &whole);
}

void Search::keep(const Candidate& candidate, const Tightest& tightest, const Fitted* whole) {
  const LaunchShape& shape = candidate.shape;
  const Fitted& fit = *tightest.fit;
  if (fit.sayable && !fit.budget) {
    if (memory_unknown_.empty()) memory_unknown_ = fit.why_unknown;
    return;
  }
  if (!fit.fits) {
    // One replica may find more free than another one does.
    if (fit.sayable)
      out_.push_back({.candidate = candidate, .split = {}, .reasons = 0, .fit = &fit});
    return;
  }
  Draft draft{.bare = &bare_,
              .model = sibling_,
              .candidate = candidate,
              .placement = &placer_.place(candidate),
              .fit = &fit,
              .whole = whole,
              .tightest = tightest.replica,
              .stages = {},
              .speed = {},
              .alone = {},
              .no_speed = {}};
  // Where one process shares its layers out, it does so by free memory: evenly over like cards.
  if (kinds_.by_layers) {
    draft.stages =
        stage_layers(bare_.model().layers.value_or(0), shape.pipeline, StageRule::RestBeforeLast);
  } else {
    const Case& launch = launch_of(shape, fit);
    draft.stages = engine_->stages(launch, layout_of(launch.serve).value_or(Layout{}));
  }
  fitting_.push_back(std::move(draft));
}

int Search::layouts_that_fit() const {
  return static_cast<int>(std::ranges::count_if(
      fitting_, [](const Draft& draft) { return draft.whole == nullptr || !draft.whole->fits; }));
}

Broken Search::why(const OutDraft& out) {
  const LaunchShape& shape = out.candidate.shape;
  if (out.fit != nullptr) return why_memory(shape, *out.fit);
  const std::vector<int> gpus = placer_.place({shape, 1}).of(shape, 0);
  TriedLaunch* said = worded_as(shape);
  if (const Case* tried = said == nullptr ? nullptr : said->with(gpus, {}))
    return first_broken(*tried, "SX2").value_or(Broken{});
  const auto launch = launch_on(bare_, shape, {}, gpus);
  return launch ? first_broken(*launch, "SX2").value_or(Broken{}) : Broken{};
}

// What breaks is known from the budget; only where nothing breaks, all rules about memory are
// asked.
Broken Search::why_memory(const LaunchShape& shape, const Fitted& fit) {
  if (fit.broken && fit.budget) {
    if (auto broken = broken_memory(launch_of(shape, fit), *fit.budget)) return *std::move(broken);
  }
  const auto launch = launch_on(bare_, shape, fit.settings, fit.gpus);
  return launch ? first_broken(*launch, "SX3").value_or(Broken{}) : Broken{};
}

std::shared_ptr<const Budget> Search::whole_budget(const OutDraft& out) {
  if (out.fit == nullptr || !out.fit->budget) return nullptr;
  if (!out.fit->budget->weights_alone) return out.fit->budget;
  const LaunchShape& shape = out.candidate.shape;
  const SizedLaunch sized{
      .bare = bare_, .shape = shape, .gpus = out.fit->gpus, .tried = said_as(shape)};
  return as_said(sized, out.fit->settings, ask_.needed()).budget;
}

std::vector<int> Search::different_replicas(const Draft& draft) const {
  if (placer_.all_alike()) return {0};
  const LaunchShape& shape = draft.candidate.shape;
  std::set<std::string> seen;
  std::vector<int> replicas;
  for (int replica = 0; replica < draft.candidate.replicas; ++replica) {
    if (seen.insert(placer_.likeness(draft.placement->of(shape, replica), shape.tensor)).second)
      replicas.push_back(replica);
  }
  return replicas;
}

bool Search::would_be_the_same_on(const Draft& draft, const std::vector<int>& gpus) const {
  const LaunchShape& shape = draft.candidate.shape;
  const auto own = draft.placement->of(shape, 0);
  return gpus.size() == own.size() &&
         placer_.likeness(gpus, shape.tensor) == placer_.likeness(own, shape.tensor);
}

SpeedAsk Search::speed_ask(const Draft& draft) {
  const Case& c = launch_of(draft);
  SpeedAsk ask;
  ask.model = c.model_spec;
  ask.host = c.host_spec;
  ask.engine = engine_->name;
  ask.version = c.serve.version;
  ask.layout = draft.candidate.layout();
  ask.ranks = draft.candidate.shape.ranks;
  ask.groups = draft.candidate.shape.groups;
  ask.stage_layers = draft.stages;
  ask.gpus = draft.placement->groups;
  ask.load = ask_.load;
  ask.kv_element = kv_element(c);
  ask.kv_tokens = draft.fit->budget->kv_tokens;
  ask.max_num_seqs = draft.fit->budget->max_num_seqs;
  ask.max_batched_tokens = draft.fit->budget->max_batched_tokens;
  ask.graphs = !c.serve.enforce_eager.value_or(false);
  ask.quantization_flag = c.model().is_quantised() ? "" : c.serve.quantization.value_or("");
  return ask;
}

void Search::add_speed(Draft& draft) {
  // Of a sibling only the best plan is offered, and nothing is compared with it.
  if (whole_ != nullptr && !ask_.all) {
    auto found = speed(speed_ask(draft));
    if (found) {
      draft.speed = *std::move(found);
    } else {
      draft.no_speed = std::move(found.error().why);
    }
    return;
  }
  auto found = speed_of_both(speed_ask(draft));
  if (!found) {
    draft.no_speed = std::move(found.error().why);
    return;
  }
  draft.speed = std::move(found->all);
  draft.alone = std::move(found->alone);
}

void Search::complete(Draft& draft) {
  if (draft.alone || !draft.speed) return;
  if (auto found = speed_of_both(speed_ask(draft))) draft.alone = std::move(found->alone);
}

}  // namespace sx
