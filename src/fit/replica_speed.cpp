// How a token goes through the stages, and what the other requests' prefills take of its time.
#include "fit/replica_speed.h"

#include <algorithm>
#include <cmath>

namespace sx {
namespace {

// A step goes through all stages; several groups of requests are on their way at the same time, so
// that each stage has one, when the engine works so.
struct Cycle {
  double seconds = 0, communication = 0;
};

Cycle decode_cycle(const Replica& replica, const ReplicaLoad& load, double length) {
  const EngineSpeed& engine = load.engine;
  const double stages = static_cast<double>(replica.stages.size());
  const double groups = engine.pipelines ? std::min(stages, load.running) : 1;
  const double sequences = load.running / groups;
  double sum = 0, longest = 0, communication = 0;
  for (const SpeedStage& stage : replica.stages) {
    const StepTime step = decode_step(*load.split, stage, engine, sequences, length, load.graphs);
    sum += step.seconds;
    longest = std::max(longest, step.seconds);
    communication += step.communication;
  }
  const double host = engine.host_us * kMicrosecond;
  double hop = 0;
  if (replica.stages.size() > 1) {
    constexpr double kActivation = 2;  // bytes
    const double bytes = kActivation * sequences * static_cast<double>(load.split->shape.hidden);
    hop = engine.hop_us * kMicrosecond + send_seconds(replica.stages.front().hop, bytes);
  }
  const double scale = engine.decode_scale;
  const double through = scale * sum + host + stages * hop;
  const double turn = groups * (scale * longest + host / stages);
  if (stages < 2 || through >= turn)
    return {.seconds = through, .communication = scale * communication + stages * hop};
  // The slowest stage is always busy: what the others do is hidden behind it.
  return {.seconds = turn,
          .communication = std::min(turn, scale * communication * groups / stages)};
}

struct Prefilled {
  double sum = 0, longest = 0, longest_communication = 0;
};

Prefilled prefill_of(const Replica& replica, const ReplicaLoad& load) {
  Prefilled all;
  for (const SpeedStage& stage : replica.stages) {
    const StepTime time = prefill(*load.split, stage, load.engine, load.input, load.chunk);
    all.sum += time.seconds;
    if (time.seconds <= all.longest) continue;
    all.longest = time.seconds;
    all.longest_communication = time.communication;
  }
  return all;
}

// Mean wait behind other requests' prefills, as of one server with a fixed service time.
double queue_wait(double prefill, double request, double running) {
  constexpr double kBusiest = 0.95;  // a closed load never fills a server beyond what it can do
  if (running <= 1 || prefill <= 0) return 0;
  const double busy = std::min(kBusiest, (running - 1) * prefill / request);
  return std::min(busy / (2 * (1 - busy)), (running - 1) / 2) * prefill;
}

}  // namespace

ReplicaTime replica_time(const Replica& replica, const ReplicaLoad& load) {
  const Cycle cycle = decode_cycle(replica, load, load.input + load.output / 2);
  const Prefilled pre = prefill_of(replica, load);
  const bool piped = load.engine.pipelines && replica.stages.size() > 1;
  const double blocking = piped ? pre.longest : pre.sum;
  const double others = load.engine.prefill_share * (load.running - 1) / load.output;
  ReplicaTime time;
  time.tpot = cycle.seconds + others * blocking;
  time.communication = cycle.communication + others *
                                                 (pre.longest > 0 ? blocking / pre.longest : 0) *
                                                 pre.longest_communication;
  // Pieces of one prompt follow each other through the stages.
  const double chunks = std::max(1.0, std::ceil(load.input / load.chunk));
  const double own = piped ? pre.sum / chunks + pre.longest * (chunks - 1) / chunks : pre.sum;
  const double host = load.engine.host_us * kMicrosecond * chunks;
  // A request comes in the middle of a step.
  const double step = load.running > 1 ? cycle.seconds / 2 : 0;
  const double request = own + host + time.tpot * load.output;
  time.service = own + host + step + queue_wait(blocking, request, load.running);
  return time;
}

std::vector<Replica> ideal_replicas(std::vector<Replica> replicas) {
  for (Replica& replica : replicas) {
    for (SpeedStage& stage : replica.stages) {
      stage.card = ideal(stage.card);
      stage.experts = {};
    }
  }
  return replicas;
}

ReplicaLoad ideal_load(ReplicaLoad load) {
  load.engine.decode_scale = 1;
  load.engine.host_us = load.engine.layer_us = load.engine.linear_us = load.engine.hop_us = 0;
  load.engine.skew = 1;
  return load;
}

}  // namespace sx
