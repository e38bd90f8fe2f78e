// JSON that may be looked at in a terminal.
#pragma once

#include <string>
#include <string_view>

namespace sx {

// The same document: control characters beyond ASCII and the marks that turn the direction of
// writing, which JSON allows in strings as they are, become \u escapes. The document must be valid
// JSON in UTF-8.
std::string printable_json(std::string_view document);

}  // namespace sx
