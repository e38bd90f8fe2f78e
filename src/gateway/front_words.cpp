// Addresses as people write them.
#include <charconv>

#include "gateway/front.h"

namespace sx {
namespace {

constexpr std::string_view kDefaultHost = "127.0.0.1";  // nobody from elsewhere unless asked for

struct HostPort {
  std::string host;
  std::string_view port;
};

// The part before the last colon, without the brackets of an IPv6 address.
HostPort split_port(std::string_view text) {
  const bool six = text.starts_with('[');
  const std::size_t close = six ? text.find(']') : std::string_view::npos;
  const std::size_t colon = text.find(':', close == std::string_view::npos ? 0 : close);
  std::string_view host = text.substr(0, colon);
  if (six && close != std::string_view::npos) host = text.substr(1, close - 1);
  return {std::string(host),
          colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1)};
}

bool read_port(std::string_view text, int least, int& port) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && port >= least &&
         port <= 65535;
}

}  // namespace

Result<BackendUrl> read_backend(std::string_view url) {
  constexpr std::string_view kPlain = "http://";
  const std::string shown(url);
  if (url.starts_with("https://"))
    return fail(Error::Kind::Unsupported,
                "--backend " + shown + ": TLS towards engines is not there",
                "--backend " + shown + "：暂不支持以 TLS 连接引擎");
  if (!url.starts_with(kPlain))
    return fail(Error::Kind::Usage, "--backend " + shown + ": an address begins with http://",
                "--backend " + shown + "：地址以 http:// 开头");
  std::string_view rest = url.substr(kPlain.size());
  const std::size_t slash = rest.find('/');
  const std::string_view path = slash == std::string_view::npos ? "" : rest.substr(slash);
  if (!path.empty() && path != "/" && path != "/v1" && path != "/v1/")
    return fail(Error::Kind::Unsupported,
                "--backend " + shown + ": paths in front of /v1 are not relayed",
                "--backend " + shown + "：不支持 /v1 之前带路径前缀的地址");
  const HostPort parts = split_port(rest.substr(0, slash));
  BackendUrl backend{.host = parts.host};
  const bool port = parts.port.empty() || read_port(parts.port, 1, backend.port);
  if (backend.host.empty() || !port || backend.host.find('@') != std::string::npos)
    return fail(Error::Kind::Usage, "--backend " + shown + ": not http://HOST:PORT",
                "--backend " + shown + "：不符合 http://HOST:PORT 的格式");
  return backend;
}

bool only_this_machine(std::string_view host) {
  return host.starts_with("127.") || host == "localhost" || host == "::1";
}

Result<ListenPlace> read_listen(std::string_view place) {
  const HostPort parts = split_port(place);
  ListenPlace listen{.host = parts.host.empty() ? std::string(kDefaultHost) : parts.host};
  if (parts.port.empty() || !read_port(parts.port, 0, listen.port))
    return fail(Error::Kind::Usage, "--listen " + std::string(place) + ": not HOST:PORT",
                "--listen " + std::string(place) + "：不符合 HOST:PORT 的格式");
  return listen;
}

}  // namespace sx
