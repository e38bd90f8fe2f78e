// One replica: its stages with their cards and links, and how long its requests take.
#pragma once

#include <expected>
#include <optional>
#include <vector>

#include "fit/step_speed.h"
#include "fit/throughput.h"

namespace sx {

struct Replica {
  std::vector<SpeedStage> stages;
  int count = 1;  // replicas just like it, and groups in them
};

std::optional<ModelSplit> split_for(const SpeedAsk& ask);

// Replicas that nothing tells apart are counted together. An error says what is not known.
std::expected<std::vector<Replica>, Message> replicas_of(const SpeedAsk& ask,
                                                         const ModelSplit& split);

struct ReplicaLoad {
  const ModelSplit* split = nullptr;
  EngineSpeed engine;
  double running = 1;  // requests at a time, of the fullest replica or group
  double busy = 1;     // requests in all replicas together, as a part of what all would be so full
  double input = 0, output = 1;
  double chunk = 1;
  bool graphs = true;
};

struct ReplicaTime {
  double tpot = 0;           // mean seconds a token behind the first
  double service = 0;        // to the first token, once the request has a place
  double communication = 0;  // part of tpot
};
ReplicaTime replica_time(const Replica& replica, const ReplicaLoad& load);

// As if every kernel reached its peaks and nothing but links cost time besides: bounds.
std::vector<Replica> ideal_replicas(std::vector<Replica> replicas);
ReplicaLoad ideal_load(ReplicaLoad load);

SpeedBasis basis_of(const std::vector<Replica>& replicas, const EngineSpeed& engine,
                    const ModelSplit& split);
std::string_view basis_word(SpeedBasis basis);  // as the tables write it

}  // namespace sx
