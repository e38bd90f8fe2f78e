// A change that a cause's row asks for, made one that helps this launch: what is to be lowered is
// never raised.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "facts/case.h"

namespace sx {

// "lower --flag VALUE" and "raise --flag VALUE" become "set --flag VALUE", or a step further where
// the launch has gone that far already; nothing where no step is left. Other words stay as they
// are.
std::optional<std::string> change_for(std::string_view change, const Case& c);

// "like NAME": the rule whose fixes are this cause's as well; empty for any other change.
std::string_view rule_meant(std::string_view change);

}  // namespace sx
