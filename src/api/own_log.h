// The daemon's own log, which `up` hands it as its standard output and error: kept small however
// long it runs, and its last words in both languages for whoever asks why it ended.
#pragma once

#include <string>

#include "base/both.h"
#include "run/state_folder.h"

namespace sx {

// One older file stays beside it. Nothing is done when our output goes elsewhere.
void keep_own_log_small(const StateFolder& folder);

void leave_last_words(const StateFolder& folder, const Both& said);
void forget_last_words(const StateFolder& folder);
// Empty: it left none.
Both last_words(const StateFolder& folder);

}  // namespace sx
