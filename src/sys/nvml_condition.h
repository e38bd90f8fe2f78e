// The condition of one card as the driver's library tells it: errors, links to the board, clocks,
// who uses it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sx {

// Each value that the library gives, by a word of its own; what it does not give is not told.
void tell_nvml_condition(void* library, void* device,
                         const std::function<void(std::string_view, const std::string&)>& tell);

struct NvmlCondition;
// Reads one of those words back.
void read_nvml_condition(NvmlCondition& condition, std::string_view key, std::string_view value);

}  // namespace sx
