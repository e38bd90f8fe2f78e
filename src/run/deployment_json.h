// Parts of the deployment's record that other records hold too.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "run/deployment.h"

namespace sx {

boost::json::object launch_json(const EngineLaunch& launch);
Result<EngineLaunch> read_launch(const boost::json::value& value);

}  // namespace sx
