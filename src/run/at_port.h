// A launch as it would be at another port of this machine.
#pragma once

#include <optional>

#include "run/deployment.h"

namespace sx {

// Its port stands in words as a flag's value ("--port 18100", "--bootstrap-port=18100") or beside a
// colon ("127.0.0.1:18100", "http://host:18100/v1", "18100:8000"); the same number elsewhere ("-c
// 18100") is something else. None: its command does not name it.
std::optional<EngineLaunch> at_port(const EngineLaunch& launch, int port);

}  // namespace sx
