// How long ranks take to sum up a message, and stages to pass one on.
#pragma once

#include "fit/group_links.h"
#include "knowledge/speed_cards.h"

namespace sx {

// The engine's own kernel up to its largest message, NCCL above and where it is not allowed.
double all_reduce_seconds(const GroupLinks& links, const EngineSpeed& engine, double bytes);

// All ranks get all parts; `bytes` are the parts together.
double all_gather_seconds(const GroupLinks& links, double bytes);

double send_seconds(const GroupLinks& links, double bytes);

}  // namespace sx
