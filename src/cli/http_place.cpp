// Anything else than a host and a port is refused: requests go to paths of our own there.
#include "cli/http_place.h"

#include <algorithm>

#include "base/shown_word.h"
#include "base/strings.h"
#include "diag/message.h"

namespace sx {
namespace {

constexpr Text kUrl{"--url takes http://HOST:PORT or https://HOST:PORT, not {url}",
                    "--url 的格式是 http://HOST:PORT 或 https://HOST:PORT，而不是 {url}"};

// "host", "host:port", "[::1]", "[::1]:port".
bool take(std::string_view place, HttpPlace& into) {
  std::string_view behind;
  if (place.starts_with('[')) {
    const std::size_t end = place.find(']');
    if (end == std::string_view::npos || end == 1) return false;
    into.host = place.substr(1, end - 1);
    if (into.host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos) return false;
    behind = place.substr(end + 1);
  } else {
    const std::size_t colon = std::min(place.find(':'), place.size());
    into.host = place.substr(0, colon);
    behind = place.substr(colon);
  }
  if (into.host.empty() || into.host.find_first_of("/@?#[] ") != std::string::npos) return false;
  if (behind.empty()) return true;
  const auto port = behind.starts_with(':') ? to_integer(behind.substr(1)) : std::nullopt;
  if (!port || *port < 1 || *port > 65535) return false;
  into.port = static_cast<int>(*port);
  return true;
}

constexpr int kHttps = 443;

}  // namespace

Result<HttpPlace> http_place(std::string_view url) {
  std::string_view rest = url;
  HttpPlace place;
  place.tls = url.starts_with("https://");
  if (place.tls) place.port = kHttps;
  if (place.tls || url.starts_with("http://")) {
    rest.remove_prefix(url.find("//") + 2);
    while (rest.ends_with('/')) rest.remove_suffix(1);
    if (rest.ends_with("/v1")) rest.remove_suffix(3);
    while (rest.ends_with('/')) rest.remove_suffix(1);
    if (take(rest, place)) return place;
  }
  return fail(Error::Kind::Usage, in_both({kUrl, {{"url", shown_word(url)}}}));
}

}  // namespace sx
