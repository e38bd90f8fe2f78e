// How long ranks take to sum up a message over links without NVLink (data/collectives.tsv).
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace sx {

// Microseconds of one all-reduce as measured on one machine of that kind ("pcie4", "pcie5");
// nothing for links and numbers of ranks that were not measured.
std::optional<double> all_reduce_us(std::string_view link, int ranks, Bytes message);

}  // namespace sx
