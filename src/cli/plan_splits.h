// `plan --splits MODEL…`: which tensor sizes each model splits into, as a table.
#pragma once

#include <string>

#include "cli/commands.h"
#include "diag/render.h"

namespace sx {

// An error for a model that nobody knows.
Result<std::string> splits_answer(const Arguments& arguments, const Session& session,
                                  const Style& style);

}  // namespace sx
