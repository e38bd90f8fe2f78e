// One connection in TLS, and the pair of sockets behind which its bytes are plain: whoever is given
// the other end of the pair knows nothing of TLS.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "sys/tls.h"

namespace sx {

struct TlsLinkLimits {
  std::chrono::seconds handshake{10};  // as long as a head may take
  std::chrono::seconds unread{300};    // whoever does not read: as for a client without TLS
  std::chrono::seconds goodbye{2};     // for the other side to end after we have
};

struct TlsLinkAsk {
  UniqueFd outer;  // connected, not blocking
  TlsSession session;
  TlsLinkLimits limits;
  std::string plain_answer;  // for one who speaks HTTP without TLS; empty: none
};

// Shared: what it waits for keeps it. It holds at most a piece of 16 KiB each way, and nothing
// while it is idle; whoever does not read holds up the other side.
class TlsLink : public std::enable_shared_from_this<TlsLink> {
 public:
  TlsLink(boost::asio::io_context& loop, TlsLinkAsk ask);

  void begin();
  // The handshake is done. `plain` is not blocking.
  std::function<void(UniqueFd plain)> opened;
  // In the place of `opened`: the connection is given away as it is, and the link ends.
  std::function<void(UniqueFd outer, TlsSession session)> handed_over;
  std::function<void(TlsLink&)> ended;  // called once, and before it is freed

  bool is_open() const { return inner_.is_open(); }  // handshake done, not ended
  std::string why() const { return ask_.session.why(); }
  void end();  // at once, without a goodbye: the other side sees that it was cut

 private:
  using Descriptor =
      boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
  using Step = TlsSession::Step;
  using Next = void (TlsLink::*)();

  void shake_hands();
  void hand_over();
  bool make_pair();
  void in();
  bool give_inside(std::string_view bytes);
  void in_ends();
  void out();
  void say_goodbye();
  void answer_plain();
  void drop();

  void wait(Descriptor& on, boost::asio::posix::descriptor_base::wait_type what, Next next);
  void wait_for(Step step, Next next);
  void turn(Next next);
  void limit(std::chrono::seconds most);
  void no_limit();

  TlsLinkAsk ask_;
  Descriptor outer_, inner_;
  boost::asio::steady_timer timer_;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  std::string in_rest_, out_rest_;  // read, and not yet taken by the other side
  bool unheard_ = false;            // nobody inside takes what still comes
  bool in_ended_ = false, out_ended_ = false, ended_ = false;
};

}  // namespace sx
