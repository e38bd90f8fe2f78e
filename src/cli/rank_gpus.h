// Which GPU of a machine a PCI address is, and what links the GPUs of two ranks.
#pragma once

#include <string>
#include <string_view>

#include "facts/host_spec.h"
#include "read/nccl_log.h"

namespace sx {

// Null: the machine is not known, or has no such card.
const Gpu* gpu_at(const HostSpec* host, std::string_view pci);

// "NV4", "SYS"; empty: not known.
std::string link_between(const HostSpec* host, const NcclGroup& group, int a, int b);

}  // namespace sx
