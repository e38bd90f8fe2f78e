// Other names of models (`aliases`, `default_model`) beside the models that will run.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/up_make.h"

namespace sx {

struct NameFaults {
  std::vector<FileFault> errors, warnings;
};
// `served`: what replicas of the deployment answer to.
NameFaults faults_of_names(const DeploymentFile& file, const std::set<std::string>& served);

// Says what is wrong, underlined. An error: some of it leads nowhere.
Result<void> names_lead_somewhere(const UpWanted& wanted, const Deployment& made, Session& session);

}  // namespace sx
