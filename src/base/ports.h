// TCP ports, which every layer meets: in flags, manifests, tables of the system.
#pragma once

namespace sx {

inline constexpr int kLastPort = 65535;  // of 16 bits

}  // namespace sx
