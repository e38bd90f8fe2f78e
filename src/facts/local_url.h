// The address that a health command asks: `curl -f http://localhost:8000/health || exit 1`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sx {

struct LocalUrl {
  int port = 0;         // 0: replaced by something that is not known here
  std::string path;     // "/health"; "/" where none is said
  std::size_t at = 0;   // where the address begins in the text
  std::size_t end = 0;  // where it ends
};

// The first address of the own machine in the text; nothing when there is none.
std::optional<LocalUrl> local_url(std::string_view text);

}  // namespace sx
