// What a speed rests on, in sentences for --why.
#pragma once

#include <vector>

#include "fit/replica_speed.h"

namespace sx {

std::vector<Message> speed_notes(const SpeedAsk& ask, const ModelSplit& split,
                                 const std::vector<Replica>& replicas, const EngineSpeed& engine,
                                 const Speed& speed);

}  // namespace sx
