// The pages that the three engines show to Prometheus, with the names that a supervisor reads.
#pragma once

#include <string>

namespace fake {

class Engine;

std::string metrics_text(Engine& engine);

}  // namespace fake
