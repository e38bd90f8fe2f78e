// Which cards and links each stage of each replica has.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>

#include "fit/layout.h"
#include "fit/replica_speed.h"

namespace sx {
namespace {

constexpr Text kNoSuchGpu{"GPU {gpu} is not part of the machine", "机器上没有 GPU {gpu}"};
constexpr Text kStages{"{given} stages of layers are given for {stages} pipeline stages",
                       "给出了 {given} 段层数，流水线却有 {stages} 段"};

int at_least_one(int count) { return std::max(1, count); }

using Groups = std::span<const std::vector<int>>;

// The first GPUs in order.
std::vector<std::vector<int>> first_groups(const SpeedAsk& ask) {
  const int groups = at_least_one(ask.layout.pipeline) * at_least_one(ask.layout.data);
  std::vector<std::vector<int>> all(static_cast<std::size_t>(groups));
  int next = 0;
  for (auto& group : all) {
    group.resize(static_cast<std::size_t>(at_least_one(ask.layout.tensor)));
    std::iota(group.begin(), group.end(), next);
    next += at_least_one(ask.layout.tensor);
  }
  return all;
}

// GPUs of one stage in so many groups from `first` on.
std::vector<int> together(Groups groups, std::size_t first, std::size_t stages, int ranks) {
  std::vector<int> gpus;
  for (std::size_t at = first; at < groups.size() && ranks > 0; at += stages, --ranks)
    gpus.insert(gpus.end(), groups[at].begin(), groups[at].end());
  return gpus;
}

// Cards by name, each looked up once.
class Cards {
 public:
  Cards(const HostSpec& host, double kv_element) : host_(host), kv_element_(kv_element) {}

  // The slowest card of a group sets its pace.
  std::expected<CardSpeed, Message> slowest(const std::vector<int>& group) {
    const CardSpeed* slowest = nullptr;
    for (const int position : group) {
      if (position < 0 || static_cast<std::size_t>(position) >= host_.gpus.size())
        return std::unexpected(Message{kNoSuchGpu, {{"gpu", position}}});
      const auto& card = of(host_.gpus[static_cast<std::size_t>(position)]);
      if (!card) return std::unexpected(card.error());
      const bool slower = slowest == nullptr || card->memory < slowest->memory ||
                          (card->memory == slowest->memory && card->bf16 < slowest->bf16);
      if (slower) slowest = &*card;
    }
    if (slowest == nullptr) return std::unexpected(Message{kNoSuchGpu, {{"gpu", 0}}});
    return *slowest;
  }

 private:
  const std::expected<CardSpeed, Message>& of(const Gpu& gpu) {
    const std::string_view name = gpu.name.known() ? std::string_view(gpu.name.value()) : "";
    const auto found = known_.find(name);
    if (found != known_.end()) return found->second;
    return known_.emplace(std::string(name), card_speed(gpu, kv_element_)).first->second;
  }

  const HostSpec& host_;
  double kv_element_;
  std::map<std::string, std::expected<CardSpeed, Message>, std::less<>> known_;
};

bool same_links(const GroupLinks& a, const GroupLinks& b) {
  const auto rate = [](const GroupLinks& links) {
    return links.nccl ? links.nccl->gb_per_second : 0;
  };
  return a.link == b.link && a.seen == b.seen && a.own.has_value() == b.own.has_value() &&
         rate(a) == rate(b);
}

bool same(const Replica& a, const Replica& b) {
  return std::ranges::equal(a.stages, b.stages, [](const SpeedStage& x, const SpeedStage& y) {
    return x.card.kind == y.card.kind && same_links(x.links, y.links) &&
           same_links(x.expert_links, y.expert_links) && same_links(x.hop, y.hop);
  });
}

bool same_name(const Gpu& a, const Gpu& b) {
  const auto name = [](const Gpu& gpu) {
    return gpu.name.known() ? std::string_view(gpu.name.value()) : std::string_view();
  };
  return name(a) == name(b);
}

// Nothing tells GPUs apart: one kind, and nobody says how they are linked.
bool all_alike(const HostSpec& host, Groups groups) {
  if (host.links.known() || host.gpus.empty() || groups.empty()) return false;
  const Gpu& first = host.gpus.front();
  return std::ranges::all_of(groups, [&](const std::vector<int>& group) {
    return group.size() == groups.front().size() && std::ranges::all_of(group, [&](int position) {
             const auto at = static_cast<std::size_t>(position);
             return position >= 0 && at < host.gpus.size() && same_name(host.gpus[at], first) &&
                    host.gpus[at].nvlink.value_or(false) == first.nvlink.value_or(false);
           });
  });
}

// The link between two stages: their first ranks talk.
GroupLinks hop_between(const HostSpec& host, const std::vector<int>& from,
                       const std::vector<int>& to, const CardSpeed& card) {
  if (from.empty() || to.empty()) return {};
  const std::array pair{from.front(), to.front()};
  return group_links(host, pair, card);
}

// Marks what is the same as an earlier stage where cards and links are alike anyway.
void mark_twin(Replica& replica) {
  SpeedStage& newest = replica.stages.back();
  if (newest.last) return;
  for (std::size_t s = 0; s + 1 < replica.stages.size(); ++s) {
    if (replica.stages[s].classes != newest.classes) continue;
    newest.twin = replica.stages[s].twin.value_or(s);
    return;
  }
}

std::vector<std::vector<LayerClass>> classes_by_stage(const ModelSplit& split,
                                                      const std::vector<int>& layers) {
  std::vector<std::vector<LayerClass>> classes;
  int first_layer = 0;
  for (const int count : layers) {
    classes.push_back(classes_of(split, first_layer, std::max(0, count)));
    first_layer += std::max(0, count);
  }
  return classes;
}

// Cards and links of one group, without its layers and neighbours.
std::expected<SpeedStage, Message> stage_of(const SpeedAsk& ask, const ModelSplit& split,
                                            Groups groups, std::size_t group, Cards& cards) {
  const auto card = cards.slowest(groups[group]);
  if (!card) return std::unexpected(card.error());
  SpeedStage stage{.card = *card};
  stage.experts = expert_law(split.formats.expert.name, card->card.family);
  if (split.formats.padded_experts && card->kind->capability) {
    const auto width = static_cast<std::int64_t>(expert_width_here(split));
    stage.expert_padding = expert_padding(split.shape, width, *card->kind->capability);
  }
  stage.links = group_links(*ask.host, groups[group], *card);
  if (split.sizes.gathered > 1) {
    const auto heads = std::min(groups[group].size(), static_cast<std::size_t>(split.sizes.tensor));
    stage.heads_links = group_links(*ask.host, std::span(groups[group]).first(heads), *card);
  }
  return stage;
}

}  // namespace

std::optional<ModelSplit> split_for(const SpeedAsk& ask) {
  const bool moe = ask.model->is_moe();
  const int tensor = at_least_one(ask.layout.tensor);
  const int groups = std::min(at_least_one(ask.groups), tensor);
  const int ranks = moe ? at_least_one(ask.ranks) : 1;
  return split_of(*ask.model, ask.quantization_flag,
                  {.tensor = tensor / groups,
                   .dense = tensor,
                   .expert_ranks = moe && ask.layout.expert ? tensor * ranks : 1,
                   .expert_cut = tensor * ranks,
                   .expert_replicas = ranks * groups,
                   .gathered = groups},
                  ask.kv_element);
}

std::expected<std::vector<Replica>, Message> replicas_of(const SpeedAsk& ask,
                                                         const ModelSplit& split) {
  const auto stages = static_cast<std::size_t>(at_least_one(ask.layout.pipeline));
  std::vector<int> layers = ask.stage_layers;
  if (layers.empty()) {
    layers = stage_layers(static_cast<int>(split.shape.layers), static_cast<int>(stages),
                          StageRule::RestBeforeLast);
  }
  std::vector<std::vector<int>> firsts;
  if (ask.gpus.empty()) firsts = first_groups(ask);
  const Groups groups = ask.gpus.empty() ? Groups(firsts) : ask.gpus;
  if (layers.size() != stages || groups.size() < stages) {
    return std::unexpected(
        Message{kStages, {{"given", std::min(layers.size(), groups.size())}, {"stages", stages}}});
  }
  const auto classes = classes_by_stage(split, layers);
  Cards cards(*ask.host, ask.kv_element);
  std::vector<Replica> all;
  const bool alike = all_alike(*ask.host, groups);
  const int ranks = split.sizes.expert_replicas / split.sizes.gathered;
  std::vector<GroupLinks> launch_links(stages);
  for (std::size_t begin = 0; begin + stages <= groups.size(); begin += stages) {
    Replica replica;
    replica.count = split.sizes.gathered;
    replica.stages.reserve(stages);
    for (std::size_t s = 0; s < stages; ++s) {
      const bool last = s + 1 == stages;
      if (alike && s > 0) {
        // Groups are of one size: cards and links are those of the first stage.
        replica.stages.push_back(replica.stages.front());
        SpeedStage& again = replica.stages.back();
        again.classes = classes[s];
        again.last = last;
        if (last) again.hop = {};
        mark_twin(replica);
        continue;
      }
      auto stage = stage_of(ask, split, groups, begin + s, cards);
      if (!stage) return std::unexpected(stage.error());
      stage->classes = classes[s];
      stage->last = last;
      if (!stage->last)
        stage->hop = hop_between(*ask.host, groups[begin + s], groups[begin + s + 1], stage->card);
      if (ranks > 1) {
        // The same for every rank of a launch.
        if (begin % (stages * static_cast<std::size_t>(ranks)) == 0) {
          launch_links[s] =
              group_links(*ask.host, together(groups, begin + s, stages, ranks), stage->card);
        }
        stage->expert_links = launch_links[s];
      }
      replica.stages.push_back(std::move(*stage));
    }
    if (alike) {
      replica.count = static_cast<int>(groups.size() / stages) * split.sizes.gathered;
      all.push_back(std::move(replica));
      break;
    }
    const auto twin =
        std::ranges::find_if(all, [&](const Replica& other) { return same(other, replica); });
    if (twin != all.end()) {
      twin->count += split.sizes.gathered;
    } else {
      all.push_back(std::move(replica));
    }
  }
  return all;
}

}  // namespace sx
