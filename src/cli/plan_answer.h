// The answer of `plan` for programs and for people.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/plan_ask.h"
#include "diag/render.h"
#include "plan/plan.h"

namespace sx {

struct PlanPage {
  const GatheredPlan& asked;
  const PlanAnswer& answer;
  std::int64_t microseconds = 0;  // of the search
  bool why = false;
  Style style;
};

using Say = std::function<void(std::string_view)>;
void say_plan_json(const PlanPage& page, const Say& say);  // sextant.plan/1, piece by piece
std::string plan_text(const PlanPage& page);      // a table to decide on, then commands to paste
std::string plan_markdown(const PlanPage& page);  // the same for an issue or a wiki

// The table of plans: its head, then a row a plan; for text and markdown alike.
std::vector<std::vector<std::string>> plan_rows(const PlanPage& page);
// What the answer is about, in one or two lines.
std::vector<std::string> plan_headline(const PlanPage& page);

// Layouts that are out, those with the same reason and the same way in on one line.
std::vector<std::string> rejected_lines(const PlanPage& page);

}  // namespace sx
