// What answers of `plan` have in common, whatever kind of model they are about.
#pragma once

#include <boost/json.hpp>

#include "facts/host_spec.h"
#include "facts/model_spec.h"

namespace sx {

boost::json::object model_entry(const ModelSpec& model);
boost::json::object machine_entry(const HostSpec& host);

}  // namespace sx
