// One list of reasons, asked for by many rules.
#include "check/split_reasons.h"

#include <algorithm>

#include "check/layouts.h"

namespace sx {

std::vector<SplitProblem> split_reasons(const Case& c, std::initializer_list<SplitKind> kinds) {
  const Engine* engine = find_engine(c.serve.engine);
  const auto layout = layout_of(c.serve);
  if (engine == nullptr || !layout) return {};
  auto reasons = split_problems(c.model(), engine->split_ask(c, *layout));
  std::erase_if(reasons, [&](const SplitProblem& reason) { return std::ranges::find(kinds, reason.kind) == kinds.end(); });
  return reasons;
}

void propose_layouts(const Case& c, Complaint& complaint) {
  complaint.proposals = layout_proposals(c);
  if (complaint.proposals.empty()) complaint.proposals = sibling_proposals(c);
  complaint.diagnostic.no_fix = what_would_fit(c);
}

}  // namespace sx
