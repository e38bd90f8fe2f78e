// What lies on disk while one deployment turns into another: whoever comes back after a crash finds
// both, and which of them is wanted.
#pragma once

#include <optional>
#include <string>

#include "run/deployment.h"
#include "run/journal.h"
#include "run/state_folder.h"

namespace sx {

// Whether what runs may turn into that one. An error says what has to stay as it is.
Result<void> may_turn_into(const Deployment& running, const Deployment& wanted);

// Before anything turns. `before`: what to go back to; none: what ran was given up.
Result<void> note_reload(const StateFolder& folder, Journal& journal, const Deployment& wanted,
                         const std::optional<Deployment>& before);
// It came to its end, and this is what runs now.
Result<void> note_reload_end(const StateFolder& folder, Journal& journal, const Deployment& now);

// Whether the journal's deployment is the one of this text: what runs may be taken over.
bool is_noted(const Journal& journal, std::string_view deployment_text);
Result<void> note_deployment(Journal& journal, std::string_view deployment_text);
void forget_deployment(Journal& journal);  // it was taken down
// What ran before a reload that has not come to its end; none: no reload was under way.
std::optional<Deployment> before_reload(const StateFolder& folder);
void forget_reload(const StateFolder& folder);

}  // namespace sx
