// Eight engines with caches of prefixes and many conversations at a time, in a clock of their own:
// what a way of choosing replicas gains in cache hits and costs in balance.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <list>
#include <queue>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/affinity.h"

namespace sx::simulation {

inline constexpr std::size_t kReplicas = 8;
inline constexpr std::size_t kBlock = 128;  // characters

struct Request {
  std::size_t session = 0;
  std::string body;                   // as a client sends it
  std::vector<std::uint64_t> blocks;  // of the prompt, each with all before it
  std::size_t answer = 0;             // characters
};

// The cache of one engine: blocks, the ones not used for the longest go.
class PrefixCache {
 public:
  explicit PrefixCache(std::size_t most) : most_(most) {}

  // How many blocks from the front are there; all of them are afterwards.
  std::size_t use(const std::vector<std::uint64_t>& blocks) {
    std::size_t hits = 0;
    while (hits < blocks.size() && places_.contains(blocks[hits])) ++hits;
    // From the back, so that fronts stay longest.
    for (std::size_t i = blocks.size(); i-- > 0;) {
      if (const auto found = places_.find(blocks[i]); found != places_.end())
        order_.erase(found->second);
      order_.push_front(blocks[i]);
      places_[blocks[i]] = order_.begin();
    }
    while (order_.size() > most_) {
      places_.erase(order_.back());
      order_.pop_back();
    }
    return hits;
  }
  void clear() {
    order_.clear();
    places_.clear();
  }

 private:
  std::size_t most_;
  std::list<std::uint64_t> order_;
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

struct Engine {
  PrefixCache cache{3000};      // 96 k tokens of text
  std::uint64_t in_flight = 0;  // requests
  std::uint64_t load = 0;       // tokens as the gateway guesses them
  double held = 0;              // load over time
  double work = 0;              // tokens that were computed
};
using Engines = std::array<Engine, kReplicas>;
// The replica that gets a request.
using Policy = std::function<std::size_t(const Engines&, const Request&)>;

struct Result {
  std::size_t blocks = 0, hits = 0;
  double held_over_mean = 0, work_over_mean = 0;
  std::vector<std::vector<std::size_t>> places;  // by session, turn after turn
  double hit_rate() const { return static_cast<double>(hits) / static_cast<double>(blocks); }
};

struct Trace {
  std::uint64_t seed = 1;
  std::size_t sessions = 500;
  double sessions_per_second = 4;
  std::size_t system_prompts = 12;
};

class Simulation {
 public:
  Simulation(const Trace& trace, Policy policy)
      : trace_(trace), policy_(std::move(policy)), dice_(trace.seed) {
    for (std::size_t i = 0; i < trace.system_prompts; ++i)
      systems_.push_back(text(between(1500, 12'000)));
  }

  Result run() {
    double at = 0;
    result_.places.resize(trace_.sessions);
    for (std::size_t i = 0; i < trace_.sessions; ++i) {
      at += waits(1 / trace_.sessions_per_second);
      // A few instructions are used far more often than the others.
      const double drawn = share();
      const auto which =
          static_cast<std::size_t>(drawn * drawn * static_cast<double>(systems_.size()));
      sessions_.push_back({.system = which, .turns = 1 + between(0, 10)});
      events_.push({at, i, kNobody, 0});
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      pass_time(event.at);
      if (event.replica == kNobody)
        ask(event.session);
      else
        answered(event);
    }
    sum_up();
    return result_;
  }

 private:
  static constexpr std::size_t kNobody = kReplicas;
  struct Session {
    std::size_t system = 0, turns = 0, turn = 0;
    std::string turns_text;             // as JSON
    std::string rest;                   // of the text, behind its last whole block
    std::vector<std::uint64_t> blocks;  // of the text, each with all before it
  };
  struct Event {
    double at = 0;
    std::size_t session = 0, replica = 0;
    std::uint64_t load = 0;
    bool operator<(const Event& other) const { return at > other.at; }
  };

  double share() { return static_cast<double>(dice_() >> 11U) * 0x1p-53; }
  double waits(double mean) { return -mean * std::log(1 - share()); }
  std::size_t between(std::size_t least, std::size_t most) {
    return least + static_cast<std::size_t>(share() * static_cast<double>(most - least + 1));
  }
  std::string text(std::size_t size) {
    std::string made(size, ' ');
    std::uint64_t drawn = 0;
    for (std::size_t i = 0; i < size; ++i, drawn >>= 8U) {
      if (i % 8 == 0) drawn = dice_();
      made[i] = static_cast<char>('a' + (drawn & 0xffU) % 26);
    }
    return made;
  }

  void say(Session& session, std::string_view role, const std::string& words) {
    session.turns_text += session.turns_text.empty() ? "" : ",";
    session.turns_text.append(R"({"role":")").append(role).append(R"(","content":")");
    session.turns_text.append(words).append("\"}");
    session.rest += words;
    std::size_t at = 0;
    for (; at + kBlock <= session.rest.size(); at += kBlock) {
      const std::uint64_t before = session.blocks.empty() ? 0 : session.blocks.back();
      session.blocks.push_back(
          hash_bytes(std::string_view(session.rest).substr(at, kBlock), before));
    }
    session.rest.erase(0, at);
  }

  Request request_of(std::size_t index) {
    Session& session = sessions_[index];
    if (session.blocks.empty()) say(session, "system", systems_[session.system]);
    say(session, "user", text(between(60, 2000)));
    return {.session = index,
            .body = R"({"model":"m","messages":[)" + session.turns_text + "]}",
            .blocks = session.blocks,
            .answer = between(200, 2400)};
  }

  void ask(std::size_t index) {
    const Request request = request_of(index);
    const std::size_t replica = policy_(engines_, request);
    Engine& engine = engines_[replica];
    const std::size_t hits = engine.cache.use(request.blocks);
    result_.blocks += request.blocks.size();
    result_.hits += hits;
    result_.places[index].push_back(replica);
    const double fresh = static_cast<double>((request.blocks.size() - hits) * kBlock) / 4;
    const double tokens = static_cast<double>(request.answer) / 4;
    const std::uint64_t load = request.body.size() / 4 + 256;
    ++engine.in_flight;
    engine.load += load;
    engine.work += fresh + tokens;
    const double step = 0.006 + 0.00035 * static_cast<double>(engine.in_flight);
    const double took = fresh / 8000 * static_cast<double>(engine.in_flight) + tokens * step;
    say(sessions_[index], "assistant", text(request.answer));
    events_.push({now_ + took, index, replica, load});
  }

  void answered(const Event& event) {
    --engines_[event.replica].in_flight;
    engines_[event.replica].load -= event.load;
    Session& session = sessions_[event.session];
    if (++session.turn < session.turns)
      events_.push({now_ + 2 + waits(10), event.session, kNobody, 0});
  }

  void pass_time(double at) {
    for (Engine& engine : engines_) engine.held += static_cast<double>(engine.load) * (at - now_);
    now_ = at;
  }

  void sum_up() {
    double held = 0, most_held = 0, work = 0, most_work = 0;
    for (const Engine& engine : engines_) {
      held += engine.held / kReplicas;
      work += engine.work / kReplicas;
      most_held = std::max(most_held, engine.held);
      most_work = std::max(most_work, engine.work);
    }
    result_.held_over_mean = most_held / held;
    result_.work_over_mean = most_work / work;
  }

  Trace trace_;
  Policy policy_;
  std::mt19937_64 dice_;
  std::vector<std::string> systems_;
  std::vector<Session> sessions_;
  std::priority_queue<Event> events_;
  Engines engines_;
  Result result_;
  double now_ = 0;
};

}  // namespace sx::simulation
