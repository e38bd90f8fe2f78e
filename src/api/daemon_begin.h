// What a daemon finds when it begins: a deployment that an earlier one left running, perhaps in the
// middle of a reload, or one to be started anew, and what the journal knows of its layouts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "api/daemon.h"
#include "run/given_up.h"
#include "run/layout_memory.h"
#include "run/supervisor.h"

namespace sx {

struct Beginning {
  bool resume = false;     // what runs is taken over
  std::size_t layout = 0;  // to begin with
  bool ladder = false;
  JournalMark began;  // what follows in the journal is of this deployment
  std::string machine;
  LayoutMemory memory;
  std::optional<Supervisor::Resumed> resumed;  // a reload was under way
  GivenUp given_up;  // by an earlier daemon; nothing where somebody has asked since
};

// `text`: that of the deployment's file. `set_aside`: where a damaged journal went.
Result<Beginning> begin_deployment(const DaemonAsk& ask, const std::string& text,
                                   const Deployment& deployment, Journal& journal,
                                   const std::optional<std::string>& set_aside);

// Why it runs in spite of errors, where it does.
void note_anyway(Journal& journal, const Deployment& deployment);
// Layouts that are left out, or tried again.
void note_layouts(Journal& journal, const LayoutMemory& memory);

}  // namespace sx
