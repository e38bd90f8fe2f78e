// A tensor size that does not split is said once, not again for every number of stages.
#include "plan/rejects.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "check/memory_fixes.h"

namespace sx {
namespace {

constexpr Tokens kShortest{1024};  // a shorter context helps nobody

constexpr Text kSizes{"tensor sizes that split here: {sizes}", "这里能切分的张量并行数：{sizes}"};
constexpr Text kShorter{"a context of at most {length} tokens", "上下文最多 {length} 个 token"};
constexpr Text kSmallCache{"the same layout with an FP8 KV cache", "布局不变，KV 缓存改用 FP8"};
constexpr Text kMore{"{label}, over {count} GPUs", "改用 {label}，共 {count} 张 GPU"};
constexpr Text kSame{"{label}, over as many GPUs", "GPU 数量不变，改用 {label}"};
constexpr Text kOneReplica{"one replica, where more is free", "只放 1 个副本，用空闲更多的 GPU"};
constexpr Text kFewerReplicas{"{count} replicas, where more is free",
                              "只放 {count} 个副本，用空闲更多的 GPU"};
constexpr Text kOneStage{"one stage", "不分流水级"};
constexpr Text kSibling{"the same model in fewer bits: {id}", "同一模型的低比特版本：{id}"};

// The fitting layout over the fewest GPUs from so many on.
const Draft* nearest(const std::vector<Draft>& fitting, int gpus) {
  const Draft* found = nullptr;
  for (const Draft& draft : fitting) {
    if (draft.candidate.replicas > 1 || draft.candidate.gpus() < gpus) continue;
    if (draft.candidate.shape.small_cache) continue;
    if (found == nullptr || draft.candidate.gpus() < found->candidate.gpus()) found = &draft;
  }
  return found;
}

// Whether the same layout fits with a smaller cache.
bool small_cache_does(const Candidate& candidate, const std::vector<Draft>& fitting) {
  const LaunchShape smaller = candidate.shape.with_small_cache();
  return std::ranges::any_of(fitting, [&](const Draft& draft) {
    return draft.candidate.shape == smaller && draft.candidate.replicas == candidate.replicas;
  });
}

Message sibling_fix(const Search& search) {
  const auto& siblings = search.bare().model().siblings;
  return siblings.empty() ? Message{} : Message{kSibling, {{"id", siblings.front()}}};
}

std::string sizes_of(const Search& search) {
  std::set<int> sizes;
  for (int size = 1; size <= search.gpus(); ++size) {
    if (search.splits_into(size)) sizes.insert(size);
  }
  return join(std::vector<int>(sizes.begin(), sizes.end()));
}

Message fix_for_split(const Search& search, const OutDraft& out) {
  if (!out.split) return {kOneStage};
  return {kSizes, {{"sizes", sizes_of(search)}}};
}

Message fix_for_memory(const Search& search, const OutDraft& out,
                       const std::vector<Draft>& fitting) {
  if (small_cache_does(out.candidate, fitting)) return {kSmallCache};
  const Tokens longest = rounded_down(out.fit->budget->longest_possible);
  if (longest >= kShortest && longest < out.fit->budget->request_tokens)
    return {kShorter, {{"length", longest}}};
  const int gpus = out.candidate.gpus();
  // So many replicas find less free than one does alone.
  if (out.candidate.replicas == 2) return {kOneReplica};
  if (out.candidate.replicas > 2) return {kFewerReplicas, {{"count", out.candidate.replicas - 1}}};
  if (const Draft* draft = nearest(fitting, gpus)) {
    const Argument label("label", search.shown(draft->candidate));
    if (draft->candidate.gpus() == gpus) return {kSame, {label}};
    return {kMore, {label, {"count", draft->candidate.gpus()}}};
  }
  return sibling_fix(search);
}

// Said for the first of them only.
std::tuple<std::string, int, int> told_by(const OutDraft& out, const std::string& code) {
  const LaunchShape& shape = out.candidate.shape;
  if (!out.split && out.fit == nullptr) return {code, 0, 0};  // no stages at all
  if (out.split && out.split->kind == SplitKind::Layers) return {code, 0, 0};
  if (out.split) return {code, shape.tensor, shape.ranks};
  return {shape.label(), 0, 0};
}

// Launches that break the same rule first: of the same split by the same reasons, in one stage or
// in several.
auto alike_by(const OutDraft& out) {
  // Too many stages, or none at all, are refused whatever stands beside.
  const bool stages = !out.split || out.split->kind == SplitKind::Layers;
  const LaunchShape shape = stages ? LaunchShape{.pipeline = 2} : out.candidate.shape;
  SplitProblem split{.kind = SplitKind::Layers};
  if (!stages) split = *out.split;
  return std::tuple(shape.tensor, shape.ranks, shape.expert, shape.groups, shape.pipeline > 1,
                    out.reasons, split.kind, split.size, split.parts, split.left, split.unit,
                    split.tensor);
}

}  // namespace

std::vector<Rejected> rejected_of(Search& search, const std::vector<Draft>& fitting,
                                  const PlanAsk&) {
  std::vector<Rejected> all;
  std::set<std::tuple<std::string, int, int>> told;
  std::set<decltype(alike_by(OutDraft{}))> asked;
  for (const OutDraft& out : search.out()) {
    if (out.fit == nullptr && !asked.insert(alike_by(out)).second) continue;
    // Without memory, what is told does not hang on the rule: it need not be asked again.
    if (out.fit != nullptr && told.contains(told_by(out, {}))) continue;
    const Broken broken = search.why(out);
    if (broken.code.empty() || !told.insert(told_by(out, broken.code)).second) continue;
    Rejected rejected;
    rejected.label = out.candidate.label();
    rejected.shown = search.shown(out.candidate);
    rejected.engine = find_engine(search.bare().serve.engine);
    rejected.layout = out.candidate.layout();
    rejected.code = broken.code;
    rejected.name = broken.name;
    rejected.why = broken.why;
    rejected.nearest_fix =
        out.fit != nullptr ? fix_for_memory(search, out, fitting) : fix_for_split(search, out);
    all.push_back(std::move(rejected));
  }
  return all;
}

}  // namespace sx
