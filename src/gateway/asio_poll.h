// The descriptor that becomes readable when Asio has something to do: its own epoll set, timers and
// signals among what is in it. So a loop of ours can wait for Asio as for one more descriptor.
#pragma once

#include <boost/asio/io_context.hpp>

namespace sx {

int asio_poll_descriptor(boost::asio::io_context& asio);  // stays Asio's

}  // namespace sx
