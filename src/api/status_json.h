// What runs, as the daemon's JSON says it (schema sextant.status/1, docs/API.md).
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "run/journal.h"
#include "run/runner.h"

namespace sx {

// What the runner does not know itself.
struct StatusBeside {
  std::vector<JournalNote> notes;
  std::function<std::optional<std::int64_t>(int replica)> in_flight;  // requests at it
};

boost::json::object status_json(const Runner& runner, const StatusBeside& beside);
// The latest notes of the deployment at hand: those behind that one.
std::vector<JournalNote> notes_since(const Journal& journal, std::int64_t note);
// What a restart was answered with; `why`: it has to stop first.
boost::json::object restart_json(int replica, bool beside, const std::optional<Both>& why);
boost::json::array events_json(const std::vector<JournalLine>& lines);

}  // namespace sx
