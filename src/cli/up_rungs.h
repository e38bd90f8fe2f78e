// Rungs for a command that spreads one model over several GPUs: the same command over fewer.
#pragma once

#include <string>
#include <vector>

#include "cli/up_ask.h"
#include "gather/gather_command.h"
#include "run/free_ports.h"

namespace sx {

// A rung proves that it works, not how long its requests may be: less to load, sooner done.
void shorten(Launch& launch);

// It sees no other GPUs than its own.
void bind_to_gpus(EngineLaunch& launch);

struct CommandRung {
  DeployedLayout layout;
  std::vector<std::string> command;  // as it will be started: what `check` looks at
};
// One GPU, two, four … below the command's own tensor-parallel size; none for a command that
// splits the model in another way too. Which of them can work is for `check` to say.
Result<std::vector<CommandRung>> rungs_of_command(const Launch& launch, const UpAsk& ask,
                                                  const Outside& outside, FreePorts& ports);

// A rung of so many GPUs a replica with its name and what it proves.
DeployedLayout named_rung(std::size_t gpus, DeployedLayout layout);

// As it will be started: with its own port and address, behind the variables that the command
// itself or the deployment sets.
std::vector<std::string> as_started(const EngineLaunch& launch, const Outside& outside);

}  // namespace sx
