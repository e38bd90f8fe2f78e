// The JSON text that all uses of one JSON flag mean together: --x '{"a": 1}' --x.b.c 2 --x.list+
// v1,v2.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/serve_spec.h"

namespace sx::argparse {

// In the order of the uses; the same leaf twice: the last one wins. Nothing when a text cannot be
// read. Text that is no object and stands alone is given back as it is.
std::optional<std::string> merged_json(const std::vector<const FlagUse*>& uses);

// A string with quotes around it, as JSON writes it.
std::string json_quoted(std::string_view text);

}  // namespace sx::argparse
