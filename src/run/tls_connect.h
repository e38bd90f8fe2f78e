// A connection of ours to a server that speaks TLS: what is handed on is plain.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <string>

#include "base/unique_fd.h"
#include "sys/tls.h"

namespace sx {

struct TlsConnectAsk {
  boost::asio::ip::tcp::endpoint to;
  std::string host;           // that the server's certificate has to carry
  const TlsContext& context;  // lives on
  std::chrono::milliseconds limit{10'000};
};

struct TlsConnected {
  UniqueFd plain;                   // not open: it was not to be
  boost::system::error_code error;  // of the connection below
  std::string why;                  // TLS itself was refused, in OpenSSL's words
};

// Calls `heard` once, from the loop, and never before it returns.
void tls_connect(boost::asio::io_context& loop, TlsConnectAsk ask,
                 std::function<void(TlsConnected)> heard);

}  // namespace sx
