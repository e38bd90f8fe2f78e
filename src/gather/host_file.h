// A machine saved to a file and read back: schema sextant.host/1.
#pragma once

#include <string>

#include "base/result.h"
#include "facts/host_spec.h"
#include "fit/links.h"

namespace sx {

// The whole machine as JSON, ending with a line end; `pick` is added when it was asked for.
std::string host_to_json(const HostSpec& host, const std::optional<GpuSet>& pick = {}, int k = 0);
Result<HostSpec> host_from_json(const Sources& sources, int source);

}  // namespace sx
