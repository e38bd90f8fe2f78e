// One HTTP request of ours to an engine or to our own address on this machine: bounded in time and
// size, its answer handed to whoever asked.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>

#include "run/http_message.h"

namespace sx {

using HttpHeard = std::function<void(HttpTold)>;

// Calls `heard` once, from the loop, and never before it returns.
void http_ask(boost::asio::io_context& loop, HttpAsk ask, HttpHeard heard);

}  // namespace sx
