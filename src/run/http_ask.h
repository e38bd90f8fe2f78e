// One HTTP request of ours to an engine or to our own address on this machine: bounded in time and
// size, its answer handed to whoever asked.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <string>

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
};

struct HttpTold {
  enum class How { Answered, Refused, TimedOut, Broken } how = How::Broken;
  int status = 0;
  std::string body;
};

using HttpHeard = std::function<void(HttpTold)>;

// Calls `heard` once, from the loop, and never before it returns.
void http_ask(boost::asio::io_context& loop, HttpAsk ask, HttpHeard heard);

}  // namespace sx
