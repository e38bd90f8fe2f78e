// Clients come, through the door of TLS where there is one, and go; a drain waits for the last one.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>

#include "gateway/descriptors.h"
#include "gateway/relay.h"
#include "gateway/session.h"
#include "gateway/tls_door.h"
#include "sys/system_words.h"

namespace sx {
namespace {

namespace asio = boost::asio;

// Before the next try, when a descriptor or memory is lacking: what is open ends some time.
constexpr std::chrono::milliseconds kPause{100};
constexpr int kMostAtOnce = 8;  // new ones, some 20 µs each, before those that are there

}  // namespace

int Relay::port() {
  asio::ip::tcp::endpoint place;
  auto size = static_cast<socklen_t>(place.capacity());
  if (::getsockname(listener(), place.data(), &size) != 0) return 0;
  return place.port();
}

Result<void> Relay::listen(UniqueFd listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  int listens = 0;
  socklen_t listens_size = sizeof listens;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      ::getsockopt(listener.get(), SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_size) != 0 ||
      listens == 0 || (address.ss_family != AF_INET && address.ss_family != AF_INET6))
    return fail(Error::Kind::Usage, "the descriptor is not a listening TCP socket",
                "该描述符不是处于监听状态的 TCP 套接字");
  const auto refused = [] {
    const Both why = system_words(errno);
    return fail(Error::Kind::Refused, "cannot accept connections: " + why.english,
                "无法接受连接：" + why.chinese);
  };
  UniqueFd ours(::fcntl(listener.get(), F_DUPFD_CLOEXEC, 3));
  if (!ours.open()) return refused();
  acceptor_.emplace(sockets, std::move(ours), [this] { accept_those_that_wait(); });
  if (!acceptor_->is_open()) return refused();
  count_descriptors();
  accept();
  return {};
}

// Clients that do nothing must not take what those that ask need to reach a replica: the kernel's
// queue holds the others.
void Relay::count_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const auto all = static_cast<std::size_t>(limit.rlim_cur);
  const std::size_t ours = std::clamp(all / 4, kLeastOfOurs, kDescriptorsOfOurs);
  const std::size_t left = all - std::min(ours, all);
  fitting_ = std::max<std::size_t>(1, left / kDescriptorsOfClient);
}

void Relay::accept() {
  if (!draining_ && acceptor_ && has_room()) acceptor_->watch();
}

void Relay::accept_those_that_wait() {
  for (int i = 0; i < kMostAtOnce && has_room(); ++i) {
    auto taken = acceptor_->take();
    if (taken.later) {
      pause_.expires_after(kPause);
      pause_.async_wait([this](LoopError error) {
        if (!error) accept();
      });
      return;
    }
    if (!taken.client.open()) break;
    take_in(std::move(taken.client));
  }
  accept();
}

void Relay::take_in(UniqueFd client) {
  if (!door_) return admit(LoopSocket(sockets, std::move(client)));
  door_->take(std::move(client));
  sockets.ask_asio();
}

// In TLS also those that still shake hands.
std::size_t Relay::connections() const {
  return sessions_.size() + (door_ ? door_->connections() : 0);
}

Result<void> Relay::encrypt(const TlsFiles& files) {
  if (door_) return door_->change(files);
  TlsDoor::Ask ask{.files = files};
  ask.give = [this](UniqueFd client, TlsSession session) {
    admit({sockets, std::move(client), std::make_unique<TlsStream>(std::move(session))});
  };
  ask.ended = [this] {
    accept();
    end_if_drained();
  };
  ask.trouble = [this](const Error& error) {
    if (trouble) trouble(error);
  };
  door_ = std::make_unique<TlsDoor>(loop, std::move(ask));
  books.scheme = "https";
  count_descriptors();
  return door_->begin();
}

void Relay::admit(LoopSocket client) {
  ++counters.connections;
  ++counters.connections_open;
  const auto session = std::make_shared<ClientSession>(*this, std::move(client));
  sessions_.add(*session);
  session->begin();
}

void Relay::forget(ClientSession& session) {
  if (!sessions_.remove(session)) return;
  --counters.connections_open;
  accept();
  end_if_drained();
}

void Relay::drain(std::chrono::seconds grace, std::function<void()> done) {
  const auto cut_at = GatewayClock::now() + grace;
  cut_at_ = draining_ ? std::min(cut_at_, cut_at) : cut_at;
  drained_ = std::move(done);
  if (!draining_) {
    draining_ = true;
    acceptor_.reset();
    sessions_.each([](ClientSession& session) { session.end_when_idle(); });
    if (door_) door_->close();
  }
  end_if_drained();
}

void Relay::end_if_drained() {
  const bool open = !sessions_.empty() || (door_ && door_->connections() > 0);
  if (!draining_ || open || !drained_) return;
  asio::post(loop, std::exchange(drained_, {}));
  sockets.ask_asio();
}

}  // namespace sx
