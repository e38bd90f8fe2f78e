// How far a start has come and what runs, in the words of whoever reads it.
#pragma once

#include <string>
#include <string_view>

#include "diag/message.h"

namespace sx {

// "load", "加载"; a stage without words stays as it is.
std::string stage_name(std::string_view stage, Language language);
// A layout's label: "TP2 x PP3", "2 x as given", "2 x 按原命令".
std::string layout_name(std::string_view label, Language language);

}  // namespace sx
