// Lists of processors as Linux writes them: "0-15,32-47".
#pragma once

#include <string_view>
#include <vector>

namespace sx {

// In order; empty when it is no such list, or one of more than 4 096.
std::vector<int> cpu_numbers(std::string_view list);

}  // namespace sx
