// Looks for the names that a machine has for itself; a scheme may be missing, as curl allows.
#include "facts/local_url.h"

#include <algorithm>
#include <array>

#include "base/ports.h"
#include "base/strings.h"

namespace sx {
namespace {

constexpr std::array<std::string_view, 4> kOwnNames{"localhost", "127.0.0.1", "0.0.0.0", "[::1]"};

bool ends_address(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '"' || c == '\'' || c == '|' || c == '&' ||
         c == ';' || c == ')' || c == ',' || c == ']';
}

bool begins_name(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  return before == '/' || ends_address(before) || before == '(' || before == '[' || before == '=';
}

}  // namespace

std::optional<LocalUrl> local_url(std::string_view text) {
  for (const std::string_view name : kOwnNames) {
    const std::size_t found = text.find(name);
    if (found == std::string_view::npos || !begins_name(text, found)) continue;
    LocalUrl url;
    const bool secure = text.substr(0, found).ends_with("https://");
    const bool plain = text.substr(0, found).ends_with("http://");
    url.at = found - (secure ? 8U : plain ? 7U : 0U);
    std::size_t at = found + name.size();
    url.end = at;
    while (url.end < text.size() && !ends_address(text[url.end])) ++url.end;
    std::string_view rest = text.substr(at, url.end - at);
    if (!plain && !secure && !rest.starts_with(':')) continue;  // a word that only looks like one
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    url.path = slash < rest.size() ? std::string(rest.substr(slash)) : "/";
    url.path = url.path.substr(0, url.path.find('?'));
    const std::string_view port = rest.substr(0, slash);
    url.port = secure ? 443 : 80;
    if (port.starts_with(':')) {
      const auto number = to_integer(port.substr(1));
      url.port = number && *number > 0 && *number <= kLastPort ? static_cast<int>(*number) : 0;
    }
    return url;
  }
  return {};
}

}  // namespace sx
