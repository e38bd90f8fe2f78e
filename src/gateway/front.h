// The gateway on its own: in front of engines that somebody else started.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gateway/link.h"

namespace sx {

struct BackendUrl {
  std::string host;
  int port = 80;
};
// "http://10.0.0.7:8000", also with /v1 behind it as clients write it. Usage: what is wrong.
Result<BackendUrl> read_backend(std::string_view url);

struct ListenPlace {
  std::string host;
  int port = 0;
};
// "127.0.0.1:8000", ":8000", "[::1]:8000".
Result<ListenPlace> read_listen(std::string_view place);

struct FrontAsk {
  std::vector<BackendUrl> backends;
  ListenPlace listen;
  // Once it listens; the port is that of the system where 0 was asked for.
  std::function<void(const ListenPlace&)> listens;
};
// Until it is asked to end, and then until its requests have ended, for half a minute at most.
Result<void> run_front(const FrontAsk& ask);

}  // namespace sx
