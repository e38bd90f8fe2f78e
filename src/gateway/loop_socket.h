// A connection of the relay: any stream descriptor, of TCP or one end of a pair, that a coroutine
// reads and writes. A frame that is destroyed while it waits is forgotten by its socket.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <tuple>

#include "gateway/socket_loop.h"

namespace sx {

class LoopSocket {
 public:
  using Endpoint = boost::asio::ip::tcp::endpoint;

  explicit LoopSocket(SocketLoop& loop);  // to be connected
  LoopSocket(SocketLoop& loop, UniqueFd opened, std::unique_ptr<TlsStream> tls = nullptr);
  LoopSocket(LoopSocket&&) noexcept = default;
  LoopSocket& operator=(LoopSocket&&) = delete;
  ~LoopSocket();

  bool is_open() const { return state_->fd.open(); }
  // Of TCP; an error for anything else.
  Endpoint remote_endpoint(LoopError& error) const;
  void shutdown_send();
  void cancel();  // whoever waits is told operation_aborted, in a later turn
  void close();   // the same, and the descriptor is gone
  void cut();     // the same, without a goodbye of TLS: the other side sees that it was cut
  // Nothing has come, as far as edges have told, that nobody has read.
  bool quiet() const { return !state_->readable; }
  // An idle one: still open, and nothing came that nobody asked for.
  bool usable() const;

  // At once, or the error would_block.
  std::size_t read_now(boost::asio::mutable_buffer to, LoopError& error);
  template <class Buffers>
  std::size_t write_now(const Buffers& from, LoopError& error) {
    SocketWait wait = writing(from);
    state_->try_now(wait);
    error = wait.error;
    return wait.bytes;
  }

  // What co_await is given. One coroutine may read and one may write at a time.
  class [[nodiscard]] Transfer {
   public:
    Transfer(SocketState& state, SocketLoop& loop, const SocketWait& wait)
        : state_(state), loop_(loop), wait_(wait) {}
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    ~Transfer();
    bool await_ready();
    void await_suspend(std::coroutine_handle<> waits);
    std::tuple<LoopError, std::size_t> await_resume() const { return {wait_.error, wait_.bytes}; }

   private:
    SocketState& state_;
    SocketLoop& loop_;
    SocketWait wait_;
  };
  Transfer read(boost::asio::mutable_buffer to) { return {*state_, *loop_, reading(to)}; }
  template <class Buffers>
  Transfer write(const Buffers& from) {
    return {*state_, *loop_, writing(from)};
  }
  // Its end is that of a wait for writing.
  Transfer connect(const Endpoint& to);

  // Called once: something may be read, or the other side has gone. Null: nobody is.
  void watch(SocketWatcher* watcher);

 private:
  static SocketWait reading(boost::asio::mutable_buffer to);
  template <class Buffers>
  static SocketWait writing(const Buffers& from) {
    SocketWait wait{.kind = SocketWait::Kind::Write};
    const auto end = boost::asio::buffer_sequence_end(from);
    for (auto at = boost::asio::buffer_sequence_begin(from); at != end; ++at) {
      const boost::asio::const_buffer part = *at;
      if (part.size() == 0) continue;
      wait.parts[wait.part_count++] = {const_cast<void*>(part.data()), part.size()};
    }
    return wait;
  }

  SocketLoop* loop_;
  std::unique_ptr<SocketState> state_;  // null: was moved from
};

}  // namespace sx
