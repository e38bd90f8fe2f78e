// Beside a deployment that runs: what changes is shown, until it is taken down or nothing is left
// to wait for.
#pragma once

#include "cli/commands.h"
#include "run/state_folder.h"

namespace sx {

struct StayAsk {
  StateFolder folder;
  std::string name;  // of the deployment
  Language language = Language::English;
  ColourChoice colour = ColourChoice::Auto;
  bool until_serving = false;  // then it is left running
};

// A live table on a terminal, a line for each change elsewhere. An interrupt or SIGTERM lets
// requests end and takes everything down; a second one does not wait. Returns the exit code:
// whoever asks by SIGTERM got what was asked for.
int stay_beside(const StayAsk& ask, Session& session);

// What the daemon has to say at once, for those who do not stay.
void say_notes(const StateFolder& folder, Language language, Session& session);

}  // namespace sx
