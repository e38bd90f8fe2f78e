// The flags that say which machine is meant, of every command that asks for one.
#pragma once

#include "cli/arguments.h"
#include "gather/gather_host.h"

namespace sx {

HostAsk host_ask(const Arguments& arguments);

}  // namespace sx
