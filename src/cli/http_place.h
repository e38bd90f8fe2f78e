// The address of a server as people write it: http://127.0.0.1:8000, https://[::1]:8443/v1.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sx {

struct HttpPlace {
  std::string host;  // without the brackets of an IPv6 address
  int port = 80;
  bool tls = false;
};
// With or without a port, a slash or "/v1" behind it. An error says what is wanted.
Result<HttpPlace> http_place(std::string_view url);

}  // namespace sx
