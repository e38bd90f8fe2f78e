// The answer of `check` in the format that was asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/render.h"

namespace sx {

std::string check_answer(std::string_view format, const std::vector<LaunchAnswer>& answers,
                         const Sources& sources, const Style& style);

}  // namespace sx
