// The launches that a search asks about: words are read once for all shapes of a kind, and a
// sibling takes those of the model itself.
#include "check/small_cache.h"
#include "plan/search.h"

namespace sx {

TriedLaunch* Search::said_as(const LaunchShape& shape) {
  return tried_as(said_, kind_by_values(bare_, shape), shape);
}

TriedLaunch* Search::worded_as(const LaunchShape& shape) {
  const ShapeKind kind = kind_of(bare_, shape);
  if (kind == kind_by_values(bare_, shape)) {
    // The same words, unless they were read for a shape of more flags.
    TriedLaunch* said = said_as(shape);
    if (said == nullptr || kind_of(bare_, said->read_for()) == kind) return said;
  }
  return tried_as(worded_, kind, shape);
}

TriedLaunch* Search::tried_as(Launches& launches, const ShapeKind& kind, const LaunchShape& shape) {
  const auto [known, fresh] = launches.try_emplace(kind);
  std::unique_ptr<TriedLaunch>& tried = known->second;
  if (!fresh && (tried == nullptr || tried->resize(shape))) return tried.get();
  auto read = read_as(shape);
  tried = read ? std::make_unique<TriedLaunch>(*std::move(read), shape, bare_.serve) : nullptr;
  return tried.get();
}

std::optional<Case> Search::read_as(const LaunchShape& shape) {
  if (auto launch = said_as_sibling(shape)) return launch;
  if (shape.small_cache) {
    if (auto launch = said_with_small_cache(shape)) return launch;
  }
  LaunchSettings settings;
  settings.fp8_cache = ask_.fp8_cache || shape.small_cache;
  return launch_on(bare_, shape, settings, {0});
}

const Case& Search::launch_of(const LaunchShape& shape, const Fitted& fit) {
  return sx::launch_of(fit.in_words ? nullptr : said_as(shape), fit);
}

// A sibling is served by the same words but for its name.
std::optional<Case> Search::said_as_sibling(const LaunchShape& shape) {
  if (whole_ == nullptr) return {};
  if (keeps_tower_whole(bare_, shape) != keeps_tower_whole(whole_->bare_, shape)) return {};
  TriedLaunch* said = whole_->said_as(shape);
  if (said == nullptr) return {};
  Case launch = said->plain();
  launch.model_spec = bare_.model_spec;
  launch.serve.model = bare_.serve.model;
  return launch;
}

// The type of the cache is a value that nothing but memory and speed asks for here.
std::optional<Case> Search::said_with_small_cache(const LaunchShape& shape) {
  LaunchShape whole = shape;
  whole.small_cache = false;
  TriedLaunch* said = said_as(whole);
  if (said == nullptr) return {};
  Case launch = said->plain();
  launch.serve.kv_dtype =
      Fact<std::string>(std::string(small_cache_word(launch.serve)), Origin::Flag);
  return launch;
}

}  // namespace sx
