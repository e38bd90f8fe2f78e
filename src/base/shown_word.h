// Words of others inside our sentences: a variable or a flag may hold a whole file.
#pragma once

#include <string>
#include <string_view>

namespace sx {

// Valid UTF-8, whole letters, at most `most` bytes of it; "…" stands for the rest.
std::string shown_word(std::string_view word, std::size_t most = 200);

}  // namespace sx
