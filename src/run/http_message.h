// A request of ours to an engine or to our own address, and what came of it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "sys/tls.h"

namespace sx {

struct HttpAsk {
  std::string host = "127.0.0.1";
  int port = 0;
  std::string method = "GET";
  std::string target = "/";
  std::string body;  // JSON; empty: none
  std::string bearer;
  std::chrono::milliseconds limit{5000};
  std::size_t most_bytes = std::size_t{1} << 20U;
  std::optional<TlsTrust> tls = {};  // over TLS, to whom is trusted; empty: plain
  std::string name = {};             // that its certificate has to carry; empty: `host`
};

struct HttpTold {
  enum class How { Answered, Refused, TimedOut, Broken } how = How::Broken;
  int status = 0;
  std::string body;
  std::string why = {};  // TLS was refused, in OpenSSL's words; empty: it was not
};

// Waits for the answer. For commands; the daemon asks in its loop (run/http_ask.h).
HttpTold http_once(const HttpAsk& ask);

}  // namespace sx
