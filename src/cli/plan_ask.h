// From what was typed after `sextant plan` to the question that is planned for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/commands.h"
#include "gather/gather_case.h"
#include "plan/plan.h"

namespace sx {

// Owns everything that the question points into.
struct GatheredPlan {
  PlanAsk ask;
  std::vector<std::unique_ptr<GatheredCases>> engines;  // one launch each
  std::unique_ptr<Http> http;
  std::vector<Message> assumed;  // "16 users, 2000 tokens in, 500 out"

  const Case& first() const { return engines.front()->cases.front(); }
};

// Errors are contradictions and things that nobody knows: the model, the machine, a card.
Result<std::unique_ptr<GatheredPlan>> gather_plan(const Arguments& arguments,
                                                  const Session& session);

// The bare launch of one engine of one model, gathered on the machine that was asked for.
Result<std::unique_ptr<GatheredCases>> bare_launch(const Arguments& arguments,
                                                   std::string_view engine,
                                                   const std::string& model,
                                                   const Outside& outside);

}  // namespace sx
