// A word that no other start ever had.
#pragma once

#include <string>

namespace sx {

std::string new_mark();  // 32 hexadecimal digits from the system's random source

}  // namespace sx
