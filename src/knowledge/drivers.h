// Which driver a CUDA runtime needs at least (data/drivers.tsv).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sx {

// Of "12.8": the oldest driver that runs programs of CUDA 12 on Linux; nothing for a CUDA that is
// not known.
std::optional<std::string_view> oldest_driver(std::string_view cuda);

// Whether driver version `a` came before `b`: "535.161.07" before "570.26". Nothing when one of
// them is no version.
std::optional<bool> driver_before(std::string_view a, std::string_view b);

}  // namespace sx
