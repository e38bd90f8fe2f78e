// What makes a launch the same launch as an earlier one, so that what was learnt of it holds: its
// engine and version, its words without the port, the variables that its engine reads, the machine.
#pragma once

#include <string>

#include "run/deployment.h"
#include "sys/files.h"

namespace sx {

// `machine`: from machine_words(). A change of driver makes all of it new. Of several models each
// has a key of its own: what one of them cannot do says nothing of the others.
std::string layout_key(const DeployedLayout& layout, const std::string& model,
                       const std::string& machine);
// "TP4", "TP4 + TP1 (model)" of one of several.
std::string layout_name(const DeployedLayout& layout, const std::string& model);
// Of one replica: how long it takes to start does not depend on the others.
std::string launch_shape(const EngineLaunch& launch);

// The driver's own line about itself; empty: there is none.
std::string machine_words(const Files& files);

}  // namespace sx
