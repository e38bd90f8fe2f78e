// Values of a machine file, each looked at: what is of another kind or out of range is not taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knowledge/gpus.h"
#include "read/json.h"
#include "read/machine_state.h"

namespace sx {

inline constexpr std::size_t kMostListed = 10000;  // ports, variables, packages, events

bool convert(const JsonValue& value, std::string& into);
bool convert(const JsonValue& value, Bytes& into);
bool convert(const JsonValue& value, int& into);
bool convert(const JsonValue& value, std::int64_t& into);
bool convert(const JsonValue& value, double& into);
bool convert(const JsonValue& value, bool& into);
bool convert(const JsonValue& value, ComputeCapability& into);
bool convert(const JsonValue& value, std::vector<std::string>& into);
bool convert(const JsonValue& value, std::vector<GpuProcess>& into);
bool convert(const JsonValue& value, std::vector<NumaNode>& into);
bool convert(const JsonValue& value, std::vector<KernelEvent>& into);
bool convert(const JsonValue& value, std::vector<Package>& into);

}  // namespace sx
