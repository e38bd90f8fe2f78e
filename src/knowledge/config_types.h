// Kinds of config that load without code from the model's repository
// (data/engines/<engine>/config_types.tsv).
#pragma once

#include <string_view>

#include "base/version.h"

namespace sx {

// Whether the engine, or the transformers library it uses, has the class for this model_type: in
// this version, or in any.
bool config_type_known(std::string_view engine, std::string_view model_type,
                       const Version& version);
bool config_type_known_to_any(std::string_view engine, std::string_view model_type);

}  // namespace sx
