// `--why`: the memory of each GPU, as a table and as JSON.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "diag/render.h"
#include "facts/case.h"
#include "fit/budget.h"

namespace sx {

// Nothing is added when the memory cannot be computed; then the reason stands in place of the
// table.
void add_budget(LaunchAnswer& answer, const Case& c, Language language);

// The ledger of each GPU: the array `budget` of CLI.md, and the table with where it comes from.
boost::json::array budget_entries(const Budget& budget);
std::string budget_page(const Budget& budget, Language language);

}  // namespace sx
