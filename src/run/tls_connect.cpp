// Connected first, as for plain HTTP; then a link takes the socket over.
#include "run/tls_connect.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "run/tls_link.h"

namespace sx {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

class Connecting : public std::enable_shared_from_this<Connecting> {
 public:
  Connecting(asio::io_context& loop, TlsConnectAsk ask, std::function<void(TlsConnected)> heard)
      : loop_(loop), ask_(std::move(ask)), heard_(std::move(heard)), socket_(loop), timer_(loop) {}

  void begin() {
    timer_.expires_after(ask_.limit);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error && self->heard_) self->give_up();  // it may be done by now
    });
    socket_.async_connect(ask_.to, [self = shared_from_this()](error_code error) {
      if (!self->heard_) return;
      if (error) return self->tell({.plain = {}, .error = error, .why = ""});
      self->shake_hands();
    });
  }

 private:
  void shake_hands() {
    error_code ignored;
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    socket_.non_blocking(true, ignored);
    UniqueFd outer(socket_.release(ignored));
    TlsSession session(ask_.context, outer.get(), ask_.host);
    const auto link = std::make_shared<TlsLink>(
        loop_, TlsLinkAsk{.outer = std::move(outer), .session = std::move(session), .limits = {}});
    link_ = link;
    link->opened = [self = shared_from_this()](UniqueFd plain) {
      self->tell({.plain = std::move(plain), .error = {}, .why = ""});
    };
    link->ended = [self = shared_from_this()](TlsLink& one) {
      const std::string why = one.why();
      self->tell({.plain = {},
                  .error = asio::error::connection_reset,
                  .why = why.empty() ? "the handshake was cut" : why});
    };
    link->begin();
  }

  void give_up() {
    tell({.plain = {}, .error = asio::error::timed_out, .why = ""});
    error_code ignored;
    socket_.close(ignored);
    if (const auto link = link_.lock()) link->end();
  }

  // Once, and not from within begin(): whoever asked is not ready to hear yet.
  void tell(TlsConnected told) {
    timer_.cancel();
    if (auto heard = std::exchange(heard_, {}))
      asio::post(loop_, [heard = std::move(heard), told = std::move(told)]() mutable {
        heard(std::move(told));
      });
  }

  asio::io_context& loop_;
  TlsConnectAsk ask_;
  std::function<void(TlsConnected)> heard_;  // empty: it was told
  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  std::weak_ptr<TlsLink> link_;
};

}  // namespace

void tls_connect(asio::io_context& loop, TlsConnectAsk ask,
                 std::function<void(TlsConnected)> heard) {
  std::make_shared<Connecting>(loop, std::move(ask), std::move(heard))->begin();
}

}  // namespace sx
