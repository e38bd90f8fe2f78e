// A port that an engine needs and somebody else has: who that is, in words.
#pragma once

#include <string_view>

#include "base/both.h"

namespace sx {

inline constexpr std::string_view kPortInUse = "port-in-use";  // the cause's name

// "port 18100 is held by process 4711 (nginx)". Looks through all processes: tens of milliseconds.
Both port_held(int port);
// Of one that another daemon of ours has: likewise where somebody listens, else that it is about
// to.
Both port_wanted(int port);

}  // namespace sx
