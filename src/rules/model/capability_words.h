// What the two rules about number formats and compute capability say alike.
#pragma once

#include <optional>

#include "check/rule.h"
#include "rules/model/number_format.h"

namespace sx::rules {

// A card that lacks what the format needs.
struct CapabilityGap {
  ComputeCapability need, have;
  std::optional<ComputeCapability> method_need;  // of the method alone, which is judged first
};

std::optional<CapabilityGap> capability_gap(const Case& c, const NumberFormat& format,
                                            const Gpu& gpu);

// The whole complaint, with ways out.
Complaint too_old(const Case& c, const NumberFormat& format, const CapabilityGap& gap,
                  const Gpu& gpu);

// What the engine says, and when.
Message refused(const Case& c, const NumberFormat& format, const CapabilityGap& gap);

}  // namespace sx::rules
