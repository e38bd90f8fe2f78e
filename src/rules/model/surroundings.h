// What around a launch changes how its model is read.
#pragma once

#include <string_view>

#include "check/rule.h"

namespace sx::rules {

// Whether a variable is switched on for the command, or in the environment of this machine when the
// command runs here.
bool switched_on(const Case& c, std::string_view name);

// The hub's tools are told to ask no network.
bool offline(const Case& c);

// Whether the command runs on this machine, so that its folders are the ones to look into: no other
// machine was named, and no container or remote shell stands around it.
bool runs_here(const Case& c);

// Whether --hf-overrides changes a key of the config, or cannot be read here: then the config does
// not decide.
bool overridden(const ServeSpec& serve, std::string_view key);

// The card of the launch with the least compute capability; null when none is known.
const Gpu* weakest_gpu(const Case& c);

}  // namespace sx::rules
