// Why a daemon ends, for whoever finds it gone: said in its journal, in its log and as its last
// words, which `status` shows.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/both.h"
#include "run/journal.h"
#include "run/state_folder.h"

namespace sx {

// Who asked for it: a process behind the API's socket, or a signal.
Both asked_by_process(pid_t pid);
Both asked_by_signal(int signal);

// "ended at 2026-11-30 18:04:11 UTC: asked to by process 4711 (sextant up), after it had given up".
// `given_up`: the cause for which nothing ran any more when it was asked; empty: something did.
Both words_of_end(std::int64_t unix_ms, const Both& asked, const Both& given_up);

// Into the journal and the folder; the log gets what is returned to whoever ran the daemon.
void note_end(const StateFolder& folder, Journal& journal, const Both& words);

// The one before ended without any of this: it was killed, or the machine went down.
void note_lost_daemon(Journal& journal);

}  // namespace sx
