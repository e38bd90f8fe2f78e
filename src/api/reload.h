// What lies on disk while one deployment turns into another: whoever comes back after a crash finds
// both, and which of them is wanted.
#pragma once

#include <optional>
#include <string>

#include "run/deployment.h"
#include "run/journal.h"
#include "run/state_folder.h"
#include "run/supervisor.h"

namespace sx {

// Whether what runs may turn into that one. An error says what has to stay as it is.
Result<void> may_turn_into(const Deployment& running, const Deployment& wanted);

// One way to run a deployment: of its layouts this one.
struct Running {
  Deployment deployment;
  std::size_t layout = 0;
};

// Before anything turns. `before`: what to go back to; none: what ran was given up. Refused: all is
// on disk as it was, and no reload is under way.
Result<void> note_reload(const StateFolder& folder, Journal& journal, const Running& wanted,
                         const std::optional<Running>& before);
// It does not work: what ran before is wanted again, and a daemon that comes back goes on from
// there.
Result<void> note_turn_back(const StateFolder& folder, Journal& journal, const Running& now,
                            const std::string& cause);
// It came to its end, and this is what runs now. Refused: on disk it is still under way.
Result<void> note_reload_end(const StateFolder& folder, Journal& journal, const Running& now);

// The layout in which the deployment of this text runs, by the journal: what runs may be taken
// over. None: the journal's deployment is another one.
std::optional<std::size_t> noted_layout(const Journal& journal, std::string_view deployment_text);
// `layout`: none while it is on the ladder.
Result<void> note_deployment(Journal& journal, std::string_view deployment_text,
                             std::optional<std::size_t> layout);
void forget_deployment(Journal& journal);  // it was taken down
// A reload that has not come to its end; none: no reload was under way.
std::optional<Supervisor::Resumed> unfinished_reload(const StateFolder& folder,
                                                     const Journal& journal);
void forget_reload(const StateFolder& folder, Journal& journal);

// What the journal calls the layout that runs; empty on the ladder.
inline constexpr const char* kLayout = "layout";

}  // namespace sx
