// The name stands in bodies of JSON and in lines between daemon and gateway.
#include "run/served_name.h"

#include "base/utf8.h"

namespace sx {

bool is_served_name(std::string_view name) {
  const bool one_line = name.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
  return !name.empty() && name.size() <= kMostServedName && one_line && valid_utf8(name) == name;
}

}  // namespace sx
