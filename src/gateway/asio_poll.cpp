// Asio keeps it to itself. Access is not checked in an explicit instantiation ([temp.spec]), so the
// member can be named there; a Boost without it does not compile, rather than go wrong.
#include "gateway/asio_poll.h"

#include <boost/asio/detail/epoll_reactor.hpp>

namespace sx {
namespace {

using Reactor = boost::asio::detail::epoll_reactor;

template <int Reactor::* Member>
struct Shown {
  friend int descriptor_of(Reactor& reactor) { return reactor.*Member; }
};
int descriptor_of(Reactor& reactor);
template struct Shown<&Reactor::epoll_fd_>;

}  // namespace

int asio_poll_descriptor(boost::asio::io_context& asio) {
  return descriptor_of(boost::asio::use_service<Reactor>(asio));
}

}  // namespace sx
