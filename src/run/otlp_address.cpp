// The form alone: nothing is looked up, and nobody is asked.
#include "run/otlp_address.h"

#include <algorithm>
#include <string>

#include "base/ports.h"
#include "base/shown_word.h"
#include "base/strings.h"
#include "diag/message.h"

namespace sx {
namespace {

constexpr Text kNotUrl{"traces go to http://HOST:PORT or https://HOST:PORT, not to {url}",
                       "链路追踪的地址格式是 http://HOST:PORT 或 https://HOST:PORT，而不是 {url}"};
constexpr Text kNoPort{"{port} in {url} is no port: it takes 1 to {most}",
                       "{url} 中的 {port} 不是端口：应为 1 到 {most}"};
constexpr Text kUserInUrl{
    "no user and password in the address of the collector: OTEL_EXPORTER_OTLP_HEADERS holds what "
    "it asks for",
    "采集器地址中不能带用户名和密码：认证信息要放进 OTEL_EXPORTER_OTLP_HEADERS"};

struct HostAndPort {
  std::string_view host, port;
  bool has_port = false;
};

// "[::1]:4318": the colons in brackets are the host's.
HostAndPort split_place(std::string_view place) {
  const std::size_t close = place.starts_with('[') ? place.find(']') : 0;
  const std::size_t colon = close == std::string_view::npos ? close : place.find(':', close);
  if (colon == std::string_view::npos) return {.host = place, .port = {}};
  return {.host = place.substr(0, colon), .port = place.substr(colon + 1), .has_port = true};
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) return host.size() > 2 && host.find(']') == host.size() - 1;
  return !host.empty() && host.find_first_of("[]:") == std::string_view::npos;
}

bool is_port(std::string_view text) {
  const bool digits =
      !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  const auto number = to_integer(text);
  return digits && number && *number >= 1 && *number <= kLastPort;
}

}  // namespace

Result<void> otlp_address_is_good(std::string_view url) {
  const std::size_t scheme = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  const std::size_t path = std::min(url.find_first_of("/?#", scheme), url.size());
  const std::string_view place = url.substr(scheme, path - scheme);
  // Of an address of another kind nobody can say where its password ends.
  if (place.contains('@') || (scheme == 0 && url.contains('@')))
    return fail(Error::Kind::Usage, in_both({kUserInUrl}));
  // Also where a char has a sign and where it has none.
  const bool odd = std::ranges::any_of(url, [](char c) { return c <= ' ' || c > '~'; });
  const HostAndPort parts = split_place(place);
  if (scheme == 0 || odd || !is_host(parts.host))
    return fail(Error::Kind::Usage, in_both({kNotUrl, {{"url", shown_word(url)}}}));
  if (parts.has_port && !is_port(parts.port))
    return fail(
        Error::Kind::Usage,
        in_both(
            {kNoPort,
             {{"port", shown_word(parts.port)}, {"url", shown_word(url)}, {"most", kLastPort}}}));
  return {};
}

}  // namespace sx
