// One launch of a deployment as it will be read by everybody after: its places filled, in its
// container, and what stands beside it said.
#pragma once

#include <string>
#include <vector>

#include "cli/up_ask.h"
#include "gather/gather_command.h"
#include "run/command_template.h"

namespace sx {

struct ReadLaunch {
  Launch launch;
  std::vector<Message> remarks;  // parts of the text that are left out
};
// An error where the text holds other commands than the launch: they would not be run.
Result<ReadLaunch> read_launch_of(const std::vector<std::string>& command, const UpAsk& ask,
                                  const Outside& outside);
// An error where a value of the template would not reach the launch as the one word it stands for.
Result<void> values_stay_words(const std::vector<std::string>& command,
                               const TemplateValues& values, const Outside& outside);
// As read_launch_of, behind the image of the deployment where it has one.
Result<ReadLaunch> placed_launch_of(const std::vector<std::string>& command, const UpAsk& ask,
                                    const Outside& outside);

}  // namespace sx
