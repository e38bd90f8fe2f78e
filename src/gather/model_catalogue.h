// A row of the built-in catalogue as a ModelSpec.
#pragma once

#include <string>

#include "facts/model_spec.h"
#include "knowledge/models.h"

namespace sx {

// Facts without places. `asked` is the id that the user gave.
ModelSpec model_from_row(const ModelRow& row, const std::string& asked);

}  // namespace sx
