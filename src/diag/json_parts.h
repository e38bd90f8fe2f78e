// The pieces of a finding as JSON values, for every format that is JSON. Always English; bytes that
// are no UTF-8 are replaced.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "base/source.h"
#include "diag/diagnostic.h"

namespace sx {

boost::json::string json_text(std::string_view text);
boost::json::string json_text(const Message& message);
std::string_view word(Severity severity);

// The typed numbers of a sentence by name.
boost::json::object json_arguments(const Message& message);

// One entry of `diagnostics` in sextant.check/1.
boost::json::object json_finding(Diagnostic diagnostic, const Sources& sources, int launch,
                                 bool several);

}  // namespace sx
