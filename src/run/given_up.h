// Models that were given up, with what was said of them, as the journal remembers it: a daemon that
// comes back does not try once more what has failed for good.
#pragma once

#include <map>
#include <string>

#include "run/supervisor_events.h"

namespace sx {

using GivenUp = std::map<std::string, ReplicaView>;  // by model

// Empty where there are none.
std::string given_up_words(const GivenUp& models);
// Words that are none of ours say nothing: all is tried then.
GivenUp read_given_up(const std::string& words);

}  // namespace sx
