// From the time of one step to what users see: tokens in turn, waiting, and pipelines.
#include "fit/throughput.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "fit/replica_speed.h"
#include "fit/speed_notes.h"

namespace sx {
namespace {

constexpr Text kNoUsers{"a load of {users} users cannot be timed", "无法估算 {users} 个用户的负载"};
constexpr Text kNoTokens{"a load without output tokens cannot be timed",
                         "输出 token 数为 0，无法估算速度"};
constexpr Text kNoModel{
    "layers, hidden size or heads of the model are not known, or its layers "
    "differ in ways that are not modelled",
    "模型的层数、隐藏维度或注意力头数未知，或者各层结构差异无法建模"};
constexpr Text kNoEngine{"nothing is known of how fast {engine} runs", "没有 {engine} 速度的资料"};
constexpr Text kTooLong{"a request of {length} tokens does not fit the KV pool of {pool}",
                        "{length} token 的请求放不进 {pool} token 的 KV 缓存池"};
constexpr Text kFewGpus{"the layout needs {needed} GPUs, the machine has {count}",
                        "该布局需要 {needed} 张 GPU，机器只有 {count} 张"};

// More than any load or machine; keeps sums of requests far inside of an int.
constexpr int kMostUsers = 10'000'000;

std::unexpected<NoSpeed> none(Message why) { return std::unexpected(NoSpeed{std::move(why)}); }

std::int64_t request_tokens(const Workload& load) {
  return load.input.count() + load.output.count();
}

// Requests that run at a time in one replica of so many users.
int running(const SpeedAsk& ask, int users) {
  double most = users;
  if (ask.max_num_seqs > 0) most = std::min(most, static_cast<double>(ask.max_num_seqs));
  if (ask.kv_tokens.count() > 0) {
    // In the mean a request has written half of its answer.
    const double tokens = static_cast<double>(ask.load.input.count()) +
                          static_cast<double>(ask.load.output.count()) / 2;
    const double fit =
        std::floor(static_cast<double>(ask.kv_tokens.count()) / std::max(1.0, tokens));
    most = std::min(most, fit);
  }
  return std::max(1, static_cast<int>(most));
}

std::optional<Message> unanswerable(const SpeedAsk& ask) {
  if (ask.model == nullptr || ask.host == nullptr) return kNoModel;
  if (ask.load.users < 1 || ask.load.users > kMostUsers)
    return Message{kNoUsers, {{"users", ask.load.users}}};
  if (ask.load.output.count() < 1 || ask.load.input.count() < 0) return kNoTokens;
  if (ask.kv_tokens.count() > 0 && request_tokens(ask.load) > ask.kv_tokens.count()) {
    return Message{kTooLong,
                   {{"length", Tokens{request_tokens(ask.load)}}, {"pool", ask.kv_tokens}}};
  }
  const auto count = static_cast<std::int64_t>(ask.host->gpus.size());
  const std::int64_t needed = std::int64_t{std::max(1, ask.layout.tensor)} *
                              std::max(1, ask.layout.pipeline) * std::max(1, ask.layout.data);
  if (needed > count) return Message{kFewGpus, {{"needed", needed}, {"count", count}}};
  return {};
}

Band around(double mid, double low, double high) {
  return {.low = mid * low, .mid = mid, .high = mid * high};
}

// The sum over replicas, and the slowest one's times.
struct Machine {
  double tpot = 0, first = 0, tokens_s = 0, communication = 0;
};

Machine machine_of(const std::vector<Replica>& replicas, const ReplicaLoad& load, int waiting) {
  Machine machine;
  for (const Replica& replica : replicas) {
    const ReplicaTime time = replica_time(replica, load);
    if (time.tpot > machine.tpot) {
      machine.tpot = time.tpot;
      machine.communication = time.communication;
    }
    const double request = time.service + (load.output - 1) * time.tpot;
    // Those without a place wait until so many requests before them have ended.
    const double place = static_cast<double>(waiting) / load.running * request;
    machine.first = std::max(machine.first, time.service + place);
    machine.tokens_s += replica.count * load.running * load.output / request;
  }
  return machine;
}

// What figures of a layout rest on, whatever the number of users.
struct Basis {
  EngineSpeed engine;
  ModelSplit split;
  std::vector<Replica> replicas;
};

std::expected<Basis, NoSpeed> basis_for(const SpeedAsk& ask) {
  if (auto why = unanswerable(ask)) return none(*std::move(why));
  auto engine = engine_speed(ask.engine);
  if (!engine) return none({kNoEngine, {{"engine", ask.engine}}});
  auto split = split_for(ask);
  if (!split) return none(kNoModel);
  auto replicas = replicas_of(ask, *split);
  if (!replicas) return none(std::move(replicas.error()));
  return Basis{*std::move(engine), *std::move(split), *std::move(replicas)};
}

Speed speed_on(const SpeedAsk& ask, const Basis& basis) {
  const auto& [engine, split, replicas] = basis;
  const int data = std::max(1, ask.layout.data) * split.sizes.gathered;
  const int users = (ask.load.users + data - 1) / data;  // of the fullest replica
  const int at_a_time = running(ask, users);
  const int together =
      static_cast<int>(std::min(std::int64_t{ask.load.users}, std::int64_t{at_a_time} * data));
  // Replicas are not all full when there are fewer users than places.
  const double busy = static_cast<double>(together) / (static_cast<double>(at_a_time) * data);
  const double chunk = ask.max_batched_tokens.count() > 0
                           ? static_cast<double>(ask.max_batched_tokens.count())
                           : engine.chunk;
  const ReplicaLoad load{.split = &split,
                         .engine = engine,
                         .running = static_cast<double>(at_a_time),
                         .busy = busy,
                         .input = static_cast<double>(ask.load.input.count()),
                         .output = static_cast<double>(ask.load.output.count()),
                         .chunk = std::max(1.0, chunk),
                         .graphs = ask.graphs};
  const Machine mid = machine_of(replicas, load, users - at_a_time);

  Speed speed;
  speed.running = together;
  speed.basis = basis_of(replicas, engine, split);
  const SpeedBand band = speed_band(basis_word(speed.basis));
  speed.tpot_s = around(mid.tpot, band.low, band.high);
  speed.ttft_s = around(mid.first, band.first_low, band.first_high);
  speed.output_tokens_s = around(mid.tokens_s * busy, 1 / band.high, 1 / band.low);
  if (speed.basis == SpeedBasis::DataSheet) {
    const Machine best = machine_of(ideal_replicas(replicas), ideal_load(load), 0);
    speed.tpot_s.low = std::min(mid.tpot, best.tpot);
    speed.ttft_s.low = std::min(mid.first, best.first);
    speed.output_tokens_s.high = std::max(mid.tokens_s, best.tokens_s) * busy;
  }
  speed.communication_s = mid.communication;
  speed.notes = speed_notes(ask, split, replicas, engine, speed);
  return speed;
}

}  // namespace

std::expected<Speed, NoSpeed> speed(const SpeedAsk& ask) {
  auto basis = basis_for(ask);
  if (!basis) return std::unexpected(std::move(basis.error()));
  return speed_on(ask, *basis);
}

std::expected<SpeedOfBoth, NoSpeed> speed_of_both(const SpeedAsk& ask) {
  auto basis = basis_for(ask);
  if (!basis) return std::unexpected(std::move(basis.error()));
  SpeedOfBoth both{.all = speed_on(ask, *basis), .alone = {}};
  SpeedAsk one = ask;
  one.load.users = 1;
  if (!unanswerable(one)) both.alone = speed_on(one, *basis);
  return both;
}

}  // namespace sx
