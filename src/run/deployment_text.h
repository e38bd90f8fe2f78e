// A deployment file written from what was asked in words: the same again, to keep and to change.
#pragma once

#include <string>

#include "run/deployment_file.h"

namespace sx {

// TOML that read_deployment_file() reads as `file` again: name, address, ladder and, of each model,
// all that a flag of `up` can say. Empty where a text in it is not UTF-8, which no such file holds.
std::string deployment_file_text(const DeploymentFile& file);

}  // namespace sx
