// Why NCCL does not take the fast way, in its own words and in ours (data/nccl_reasons.tsv).
#pragma once

#include <span>
#include <string_view>

#include "knowledge/constraints.h"

namespace sx {

struct NcclReasonRow {
  std::string_view text;  // a part of its line
  Sentence means;
  std::string_view source;
};

std::span<const NcclReasonRow> nccl_reasons();

}  // namespace sx
