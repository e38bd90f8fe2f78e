// What the driver's library tells of a card's condition, as facts.
#pragma once

#include "facts/host_spec.h"
#include "sys/files.h"
#include "sys/nvml.h"

namespace sx {

// `files`: where names of processes stand; null: they stay unknown.
GpuState<Fact> condition_of(const NvmlCondition& told, const Files* files);

// What the system tells besides: interfaces, the kernel's options, the driver's module.
HostState<Fact> condition_of_system(const Files& files);

}  // namespace sx
