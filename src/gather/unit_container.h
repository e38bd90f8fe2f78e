// Parts of a unit that become parts of a container: its environment, and a whole quadlet.
#pragma once

#include <string_view>

#include "gather/manifest_container.h"
#include "gather/outside.h"
#include "gather/unit_values.h"

namespace sx {

// Environment= and, over them, EnvironmentFile=, read when it is there.
void take_unit_environment(Sources& sources, const UnitText& unit, std::string_view section,
                           const Outside& outside, Container& container);

// [Container] of Podman.
Container quadlet_container(Sources& sources, int source, const UnitText& unit,
                            const Outside& outside);

}  // namespace sx
