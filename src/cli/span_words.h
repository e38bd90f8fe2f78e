// Times as people say them; JSON keeps milliseconds.
#pragma once

#include <cstdint>
#include <string>

#include "diag/message.h"

namespace sx {

// "31 s", "4 min", "25 h", "3 days": as coarse as it is worth knowing. Less than nothing is "0 s".
std::string span_of(std::int64_t ms, Language language);

// How long something has been so: as above, with tenths while it is young ("4.2 s").
std::string age_of(std::int64_t ms, Language language);

}  // namespace sx
