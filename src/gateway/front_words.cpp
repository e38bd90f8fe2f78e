// Addresses as people write them.
#include <algorithm>
#include <charconv>

#include "base/shown_word.h"
#include "base/strings.h"
#include "gateway/front.h"

namespace sx {
namespace {

constexpr std::size_t kMostAlias = 1024;
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

bool read_number(std::string_view text, int most, int& into) {
  const auto number = to_integer(text);
  if (!number || *number < 1 || *number > most) return false;
  into = static_cast<int>(*number);
  return true;
}

// ",weight=2,concurrency=64,key-file=a.key".
bool read_settings(std::string_view settings, BackendUrl& backend) {
  while (!settings.empty()) {
    settings.remove_prefix(1);
    const std::size_t end = std::min(settings.find(','), settings.size());
    const std::string_view setting = settings.substr(0, end);
    settings.remove_prefix(end);
    const std::size_t equals = std::min(setting.find('='), setting.size());
    const std::string_view name = setting.substr(0, equals);
    const std::string_view value = setting.substr(std::min(equals + 1, setting.size()));
    bool good = !value.empty();
    if (name == "weight")
      good = read_number(value, kMostWeight, backend.weight);
    else if (name == "concurrency")
      good = read_number(value, kMostRequests, backend.most);
    else if (name == "key-file")
      backend.key_file = value;
    else if (name == "key-env")
      backend.key_variable = value;
    else
      return false;
    if (!good) return false;
  }
  return backend.key_file.empty() || backend.key_variable.empty();  // one of them says it
}

}  // namespace

Result<BackendUrl> read_backend(std::string_view url) {
  constexpr std::string_view kPlain = "http://";
  const std::string shown = shown_word(url);
  if (url.starts_with("https://"))
    return fail(Error::Kind::Unsupported,
                "--backend " + shown + ": TLS towards engines is not there",
                "--backend " + shown + "：暂不支持以 TLS 连接引擎");
  if (!url.starts_with(kPlain))
    return fail(
        Error::Kind::Usage,
        "--backend " + shown + ": an address begins with http://, as in http://127.0.0.1:8001",
        "--backend " + shown + "：地址以 http:// 开头，如 http://127.0.0.1:8001");
  std::string_view rest = url.substr(kPlain.size());
  const std::size_t comma = std::min(rest.find(','), rest.size());
  const std::string_view settings = rest.substr(comma);
  rest = rest.substr(0, comma);
  const std::size_t slash = rest.find('/');
  const std::string_view path = slash == std::string_view::npos ? "" : rest.substr(slash);
  if (!path.empty() && path != "/" && path != "/v1" && path != "/v1/")
    return fail(Error::Kind::Unsupported,
                "--backend " + shown + ": paths in front of /v1 are not relayed",
                "--backend " + shown + "：不支持 /v1 之前带路径前缀的地址");
  const HostPort parts = split_port(rest.substr(0, slash));
  BackendUrl backend{.host = parts.host};
  if (!read_settings(settings, backend))
    return fail(Error::Kind::Usage,
                "--backend " + shown + ": behind the address stand weight=1…" +
                    std::to_string(kMostWeight) +
                    ", concurrency=N, and key-file=FILE or key-env=VARIABLE",
                "--backend " + shown + "：地址后面可以写 weight=1…" + std::to_string(kMostWeight) +
                    "、concurrency=N，以及 key-file=FILE 或 key-env=VARIABLE");
  const bool port = parts.port.empty() || read_port(parts.port, 1, backend.port);
  if (backend.host.empty() || !port || backend.host.find('@') != std::string::npos)
    return fail(Error::Kind::Usage, "--backend " + shown + ": not http://HOST:PORT",
                "--backend " + shown + "：不符合 http://HOST:PORT 的格式");
  return backend;
}

Result<std::pair<std::string, std::string>> read_alias(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view model =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  const bool odd = text.find_first_of("\r\n") != std::string_view::npos;
  if (name.empty() || model.empty() || odd || text.size() > kMostAlias)
    return fail(Error::Kind::Usage, "--alias " + std::string(text) + ": not NAME=MODEL",
                "--alias " + std::string(text) + "：不符合 NAME=MODEL 的格式");
  return std::pair{std::string(name), std::string(model)};
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
