// From layouts that fit to plans that are offered: best first, each asked of the checker before
// anybody sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/search.h"

namespace sx {

struct Offers {
  std::vector<Plan> plans;
  std::vector<Rejected> refused;  // by the checker, after all
};

inline constexpr std::size_t kAllOffers = SIZE_MAX;

// The drafts of one model and engine; the first `most` of them that the checker lets through.
Offers offers_of(Search& search, const PlanAsk& ask, std::size_t most = kAllOffers);

// A named plan that does not fit, with the reason.
Plan unfit_plan(Search& search, const std::string& name, const Candidate& candidate);

}  // namespace sx
