// How a token goes through the stages, and what other requests' prompts take of its time.
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

// From each stage to the next, and the drawn tokens back to the first.
double hop_seconds(const Replica& replica, const EngineSpeed& engine, double sequences,
                   std::int64_t hidden) {
  if (replica.stages.size() < 2) return 0;
  constexpr double kActivation = 2;  // bytes
  const double bytes = kActivation * sequences * static_cast<double>(hidden);
  double seconds = 0;
  std::vector<double> sent;
  for (const SpeedStage& stage : replica.stages) {
    sent.push_back(stage.last   ? 0
                   : stage.twin ? sent[*stage.twin]
                                : send_seconds(stage.hop, bytes));
    seconds += engine.hop_us * kMicrosecond;
    seconds += sent.back();
  }
  return seconds;
}

// Groups of requests that are on their way through the stages at the same time.
double on_their_way(const Replica& replica, const ReplicaLoad& load) {
  const double stages = static_cast<double>(replica.stages.size());
  return load.engine.pipelines ? std::min(stages, load.running) : 1;
}

StepLoad steady_load(const Replica& replica, const ReplicaLoad& load) {
  const double groups = on_their_way(replica, load);
  const double sequences = load.running / groups;
  const double met = meeting(*load.split);
  const double all = met > 1 ? std::max(1.0, met * load.running * load.busy) : load.running;
  // As many requests come as go; one's own prompt is not in its way. A rank without a request takes
  // a token of none along.
  return {.sequences = sequences,
          .length = load.input + load.output / 2,
          .all_sequences = std::max(met, all / groups),
          .arrivals = (all - 1) / groups / load.output,
          .input = load.input,
          .chunk = load.chunk,
          .graphs = load.graphs};
}

Cycle cycle_of(const Replica& replica, const ReplicaLoad& load) {
  const EngineSpeed& engine = load.engine;
  const double stages = static_cast<double>(replica.stages.size());
  const double groups = on_their_way(replica, load);
  const StepLoad steady = steady_load(replica, load);
  const double sequences = steady.sequences;
  double sum = 0, longest = 0, communication = 0;
  std::vector<StepTime> times;
  for (const SpeedStage& stage : replica.stages) {
    const StepTime time =
        stage.twin ? times[*stage.twin] : step(*load.split, stage, engine, steady);
    times.push_back(time);
    sum += time.seconds;
    longest = std::max(longest, time.seconds);
    communication += time.communication;
  }
  const double host = (engine.host_us + engine.request_us * sequences) * kMicrosecond;
  const double hops = hop_seconds(replica, engine, sequences, load.split->shape.hidden);
  const double scale = engine.decode_scale;
  const double through = scale * sum + host + hops;
  const double turn = groups * (scale * longest + host / stages);
  if (stages < 2 || through >= turn)
    return {.seconds = through, .communication = scale * communication + hops};
  // The slowest stage is always busy: what the others do is hidden behind it.
  return {.seconds = turn,
          .communication = std::min(turn, scale * communication * groups / stages)};
}

// One request's prompt on its way through the stages.
struct Prefilled {
  double sum = 0, longest = 0;
  double through = 0;  // until its last piece is out of the last stage
};

Prefilled prefill_of(const Replica& replica, const ReplicaLoad& load) {
  Prefilled all;
  const bool piped = load.engine.pipelines && replica.stages.size() > 1;
  const double first = std::min(load.input, load.chunk);
  const StepLoad steady = steady_load(replica, load);
  const double together = std::min(meeting(*load.split), pieces_at_once(steady));
  const auto seconds = [&](const SpeedStage& stage, double length) {
    return prefill(*load.split, stage, load.engine,
                   {.length = length, .chunk = load.chunk, .together = together})
        .seconds;
  };
  double behind = 0;
  std::vector<double> wholes, pieces;
  for (const SpeedStage& stage : replica.stages) {
    const double whole = stage.twin ? wholes[*stage.twin] : seconds(stage, load.input);
    wholes.push_back(whole);
    all.sum += whole;
    all.longest = std::max(all.longest, whole);
    if (!piped || first >= load.input) {
      all.through += whole;
      continue;
    }
    // The first piece passes one stage after the other; those behind it follow at the pace of the
    // slowest stage.
    const double piece = stage.twin ? pieces[*stage.twin] : seconds(stage, first);
    pieces.push_back(piece);
    all.through += piece;
    behind = std::max(behind, whole - piece);
  }
  all.through += behind;
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
  const Cycle cycle = cycle_of(replica, load);
  const Prefilled pre = prefill_of(replica, load);
  const bool piped = load.engine.pipelines && replica.stages.size() > 1;
  const double blocking = piped ? pre.longest : pre.sum;
  ReplicaTime time{.tpot = cycle.seconds, .communication = cycle.communication};
  const double chunks = std::max(1.0, std::ceil(load.input / load.chunk));
  const double host = (load.engine.first_us + load.engine.host_us * chunks) * kMicrosecond;
  // A request comes in the middle of a step.
  const double step = load.running > 1 ? cycle.seconds / 2 : 0;
  const double request = pre.through + host + time.tpot * load.output;
  time.service = pre.through + host + step + queue_wait(blocking, request, load.running);
  return time;
}

std::vector<Replica> ideal_replicas(std::vector<Replica> replicas) {
  for (Replica& replica : replicas) {
    for (SpeedStage& stage : replica.stages) {
      stage.card = ideal(stage.card);
      stage.experts = {};
      stage.expert_padding = 1;
    }
  }
  return replicas;
}

ReplicaLoad ideal_load(ReplicaLoad load) {
  load.engine.decode_scale = 1;
  load.engine.first_us = load.engine.host_us = load.engine.request_us = load.engine.layer_us =
      load.engine.linear_us = load.engine.hop_us = 0;
  load.engine.skew = 1;
  return load;
}

}  // namespace sx
