// The kinds of Asio that the relay uses: one loop in one thread, so no strands and no locks.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace sx {

using LoopExecutor = boost::asio::io_context::executor_type;
using TcpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, LoopExecutor>;
using TcpAcceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, LoopExecutor>;
using LoopError = boost::system::error_code;

template <class T = void>
using LoopTask = boost::asio::awaitable<T, LoopExecutor>;

// Errors come back as values.
inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::use_awaitable_t<LoopExecutor>{});

}  // namespace sx
