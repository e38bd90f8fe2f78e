// Bytes of any length, piece by piece: files, pipes and standard input are read the same way.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sx {

// Reads to the end; the view dies with each call. "-" is standard input. A folder is refused; a
// pipe may take as long as its writer does.
Result<void> read_stream(const std::string& path,
                         const std::function<void(std::string_view bytes)>& take);

}  // namespace sx
