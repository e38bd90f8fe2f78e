// Stages are sums of their layers; the first and the last one have more than that.
#include "fit/weight_parts.h"

#include <algorithm>
#include <cmath>

#include "fit/shape.h"

namespace sx {
namespace {

constexpr Text kLayers{"layers: {layers}", "层数：{layers}"};
constexpr Text kByHeaders{"layers: {layers}, by the headers of its files",
                          "层数：{layers}，按权重文件头计算"};
constexpr Text kEmbedding{"embedding", "词嵌入"};
constexpr Text kHead{"output head", "输出层"};
constexpr Text kFormat{"{format}", "{format}"};
constexpr Text kOneRank{"one of {ranks} ranks", "{ranks} 个 rank 之一"};
constexpr Text kUnknownNames{"{size} with names that are not known count on every rank",
                             "{size} 的张量名称未知，每个 rank 都计入"};

struct Stage {
  bool first = false, last = false;
  int layers = 0;
};

void add(WeightPart& sum, const WeightPart& part) {
  sum.bytes += part.bytes;
  sum.replicated += part.replicated;
  sum.unknown += part.unknown;
}

// Many times the same. Of whole bytes a product is what that many sums come to, far below where
// doubles have gaps; of fractions it may not be, and they are summed one after the other.
void add(WeightPart& sum, const WeightPart& part, std::size_t times) {
  constexpr double kMostBytes = 1e12;
  constexpr std::size_t kMostTimes = 1000;
  const auto whole = [](double bytes) { return bytes == std::floor(bytes) && bytes < kMostBytes; };
  const bool exact = whole(part.bytes) && whole(part.replicated) && whole(part.unknown) &&
                     whole(sum.bytes) && whole(sum.replicated) && whole(sum.unknown);
  if (!exact || times > kMostTimes) {
    for (std::size_t i = 0; i < times; ++i) add(sum, part);
    return;
  }
  const auto count = static_cast<double>(times);
  add(sum, {.bytes = part.bytes * count,
            .replicated = part.replicated * count,
            .unknown = part.unknown * count});
}

std::vector<Message> notes_of(const WeightParts& parts, const Stage& stage, double unknown) {
  constexpr std::size_t kMost = 5;
  std::vector<Message> notes;
  notes.reserve(kMost);
  if (parts.origin == Origin::Header) {
    notes.push_back({kByHeaders, {{"layers", stage.layers}}});
  } else {
    notes.push_back({kLayers, {{"layers", stage.layers}}});
    if (stage.first) notes.emplace_back(kEmbedding);
    if (stage.last) notes.emplace_back(kHead);
    notes.push_back({kFormat, {{"format", parts.format}}});
  }
  if (parts.ranks > 1) notes.push_back({kOneRank, {{"ranks", parts.ranks}}});
  if (unknown > 0) notes.push_back({kUnknownNames, {{"size", whole_bytes(unknown)}}});
  return notes;
}

// Whether so many layers before `end` are the same again as those before them.
bool repeat_before(const WeightParts& parts, std::size_t end, std::size_t count) {
  if (end > parts.layers.size() || 2 * count > end) return false;
  const auto last = parts.layers.begin() + static_cast<std::ptrdiff_t>(end);
  const auto by = static_cast<std::ptrdiff_t>(count);
  return std::equal(last - by, last, last - 2 * by);
}

RankWeights weights_of(const WeightParts& parts, const Stage& stage, WeightPart sum) {
  if (stage.first) add(sum, parts.first);
  if (stage.last) add(sum, parts.last);
  if (stage.last && !stage.first) sum.bytes += parts.second_table;
  sum.bytes += parts.each + static_cast<double>(stage.layers) * parts.copies_a_layer;
  return {.bytes = whole_bytes(sum.bytes),
          .low = whole_bytes(sum.bytes * (1 - parts.below)),
          .high = whole_bytes(sum.bytes * (1 + parts.above)),
          .replicated = whole_bytes(sum.replicated + sum.unknown + parts.each),
          .origin = parts.origin,
          .notes = notes_of(parts, stage, sum.unknown)};
}

}  // namespace

std::vector<RankWeights> on_stages(const WeightParts& parts, const std::vector<int>& stage_layers) {
  std::vector<RankWeights> stages;
  stages.reserve(stage_layers.size());
  std::size_t layer = 0;
  for (std::size_t stage = 0; stage < stage_layers.size(); ++stage) {
    const Stage at{.first = stage == 0,
                   .last = stage + 1 == stage_layers.size(),
                   .layers = stage_layers[stage]};
    const auto count = static_cast<std::size_t>(std::max(0, at.layers));
    // In the middle stages of the same layers are alike.
    if (stage > 1 && !at.last && at.layers == stage_layers[stage - 1] &&
        repeat_before(parts, layer + count, count)) {
      layer += count;
      stages.push_back(stages.back());
      continue;
    }
    WeightPart sum;
    const std::size_t end = std::min(layer + count, parts.layers.size());
    while (layer < end) {
      const std::size_t kind = parts.layers[layer], begin = layer;
      while (layer < end && parts.layers[layer] == kind) ++layer;
      add(sum, parts.kinds[kind], layer - begin);
    }
    stages.push_back(weights_of(parts, at, sum));
  }
  return stages;
}

}  // namespace sx
