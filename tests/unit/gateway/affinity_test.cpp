// The order of a key: fair, by weight, and unmoved by replicas that come and go. Then B14: beside a
// policy that keeps a tree of all prompts, which is what the field uses.
#include "gateway/affinity.h"

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <set>

#include "gateway/body_keys.h"
#include "gateway/choice.h"
#include "gateway/place_memory.h"
#include "gateway/routing.h"
#include "unit/gateway/affinity_simulation.h"
#include "unit/gateway/affinity_trees.h"

namespace sx {
namespace {

int first_of(std::uint64_t key, const std::vector<std::pair<int, int>>& replicas) {
  int first = -1;
  double least = 0;
  for (const auto& [replica, weight] : replicas) {
    const double rank = rendezvous_rank(key, replica, weight);
    if (first >= 0 && rank >= least) continue;
    first = replica;
    least = rank;
  }
  return first;
}

TEST(Rendezvous, SharesKeysByWeight) {
  std::map<int, double> got;
  constexpr int kKeys = 40'000;
  for (int i = 0; i < kKeys; ++i)
    ++got[first_of(hash_bytes("key " + std::to_string(i)), {{0, 1}, {1, 1}, {2, 2}, {3, 4}})];
  for (const auto& [replica, weight] : std::map<int, int>{{0, 1}, {1, 1}, {2, 2}, {3, 4}})
    EXPECT_NEAR(got[replica] / kKeys, weight / 8.0, 0.01) << replica;
}

TEST(Rendezvous, ALostReplicaMovesItsOwnShareAlone) {
  std::vector<std::pair<int, int>> all, fewer;
  for (int i = 0; i < 8; ++i) all.emplace_back(i, 1);
  for (const auto& one : all)
    if (one.first != 3) fewer.push_back(one);
  int moved = 0;
  std::map<int, int> to;
  constexpr int kKeys = 8000;
  for (int i = 0; i < kKeys; ++i) {
    const std::uint64_t key = hash_bytes(std::to_string(i));
    const int before = first_of(key, all), after = first_of(key, fewer);
    if (before != 3) {
      EXPECT_EQ(before, after);
      continue;
    }
    ++moved;
    ++to[after];
  }
  EXPECT_NEAR(moved, kKeys / 8.0, kKeys / 80.0);
  EXPECT_EQ(to.size(), 7U);  // and nobody gets all of it
  for (const auto& [replica, count] : to) EXPECT_LT(count, moved / 4) << replica;
}

TEST(Hash, EveryByteAndTheLengthCount) {
  std::set<std::uint64_t> seen;
  std::string text(70, 'a');
  for (std::size_t size = 0; size <= text.size(); ++size)
    seen.insert(hash_bytes(text.substr(0, size)));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = 'b';
    seen.insert(hash_bytes(other));
  }
  seen.insert(hash_bytes(text, 1));
  seen.insert(hash_bytes(std::string(70, '\0')));
  EXPECT_EQ(seen.size(), 71U + 70U + 2U);
}

TEST(PlaceMemory, KeepsWhatWasUsedLast) {
  PlaceMemory memory(64);
  EXPECT_FALSE(memory.find(1));
  memory.put(1, 5);
  memory.put(1, 6);
  EXPECT_EQ(memory.find(1), 6U);
  // Keys of one set: of nine, the one that was not asked for goes.
  for (std::uint64_t i = 0; i < 8; ++i) memory.put(1 + 8 * i, i);
  EXPECT_EQ(memory.find(1), 0U);
  memory.put(1 + 8 * 8, 8);
  EXPECT_EQ(memory.find(1), 0U);
  EXPECT_FALSE(memory.find(9));
  EXPECT_EQ(memory.find(65), 8U);
}

// --- B14 ---

using simulation::Engines;
using simulation::kReplicas;
using simulation::Request;
using simulation::Simulation;

class OurPolicy {
 public:
  explicit OurPolicy(int lost = -1, std::size_t lost_after = 0)
      : lost_(lost), lost_after_(lost_after) {}

  std::size_t operator()(const Engines& engines, const Request& request) {
    ++asked_;
    std::vector<RouteCandidate> candidates(kReplicas);
    for (std::size_t i = 0; i < kReplicas; ++i) {
      candidates[i].replica = static_cast<int>(i);
      candidates[i].takes = static_cast<int>(i) != lost_ || asked_ < lost_after_;
      candidates[i].serves = true;
      candidates[i].load = engines[i].load;
    }
    const RouteKey key =
        routing_.key_of({}, request.body, find_body_keys(request.body), Surface::OpenAi);
    const RouteChoice choice = choose(candidates, routing_.ask_for(key, {}));
    EXPECT_GE(choice.index, 0);
    routing_.went_to(key, choice.index);
    return static_cast<std::size_t>(choice.index);
  }

 private:
  Routing routing_;
  int lost_;
  std::size_t lost_after_;
  std::size_t asked_ = 0;
};

struct Shape {
  const char* name;
  simulation::Trace trace;
};

std::string told(const Shape& shape, const simulation::Result& ours,
                 const simulation::Result& tree) {
  const auto number = [](double value) { return std::to_string(value).substr(0, 5); };
  return std::string(shape.name) + ", seed " + std::to_string(shape.trace.seed) + ": hits " +
         number(ours.hit_rate()) + ", tree " + number(tree.hit_rate()) + "; load over mean " +
         number(ours.held_over_mean) + ", tree " + number(tree.held_over_mean);
}

TEST(PrefixAffinity, HitsAsOftenAsATreeAndKeepsTheBalance) {
  const std::vector<Shape> shapes{
      {"a dozen instructions", {.seed = 1}},
      {"one for all", {.seed = 1, .system_prompts = 1}},
      {"a hundred", {.seed = 1, .system_prompts = 100}},
      {"busy", {.seed = 1, .sessions = 700, .sessions_per_second = 8}},
      {"at ease", {.seed = 1, .sessions = 300, .sessions_per_second = 1.5}},
      {"a hundred, at ease",
       {.seed = 1, .sessions = 300, .sessions_per_second = 1.5, .system_prompts = 100}}};
  for (const Shape& shape : shapes) {
    OurPolicy our_policy;
    simulation::CacheAware cache_aware;
    const auto ours = Simulation(shape.trace, std::ref(our_policy)).run();
    const auto tree = Simulation(shape.trace, std::ref(cache_aware)).run();
    SCOPED_TRACE(told(shape, ours, tree));
    EXPECT_GT(tree.hit_rate(), 0.4);  // else the yardstick is none
    EXPECT_GE(ours.hit_rate(), 0.95 * tree.hit_rate());
    EXPECT_LE(ours.held_over_mean, 1.25);
    std::cout << told(shape, ours, tree) << '\n';
  }
}

// Turns that went elsewhere than the turn before, of sessions that had not lost their replica.
TEST(PrefixAffinity, ALostReplicaMovesItsOwnConversationsAlone) {
  const simulation::Trace trace{.seed = 4};
  std::size_t turns = 0, moved = 0, had_lost = 0, others = 0;
  OurPolicy our_policy(5, 1200);
  const auto result = Simulation(trace, std::ref(our_policy)).run();
  for (const auto& places : result.places) {
    bool lost_one = false;
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i] != places[i - 1] && places[i - 1] == 5)
        lost_one = true;
      else if (places[i] != places[i - 1])
        ++moved;
      ++turns;
    }
    (lost_one ? had_lost : others) += 1;
  }
  EXPECT_GT(had_lost, 10U);
  EXPECT_LT(had_lost, others / 4);
  EXPECT_LT(moved, turns / 10);  // those that went past a replica with too much
}

}  // namespace
}  // namespace sx
