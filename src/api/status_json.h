// What runs, as the daemon's JSON says it (schema sextant.status/1, docs/API.md).
#pragma once

#include <boost/json/fwd.hpp>
#include <vector>

#include "run/journal.h"
#include "run/runner.h"

namespace sx {

boost::json::object status_json(const Runner& runner);
boost::json::array events_json(const std::vector<JournalLine>& lines);

}  // namespace sx
