// The relay's loop where things end within one batch of events, and beside Asio.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <deque>
#include <memory>

#include "gateway/loop_acceptor.h"
#include "loop_pairs.h"

namespace sx {
namespace {

namespace asio = boost::asio;

class SocketLoopEndsTest : public testing::Test {
 protected:
  void turns(int count) {
    for (int i = 0; i < count; ++i) loop.turn(0);
  }
  asio::io_context asio_loop{1};
  SocketLoop loop{asio_loop};
  asio::steady_timer pending{asio_loop, std::chrono::hours(1)};
  void SetUp() override {
    pending.async_wait([](const LoopError&) {});
    turns(2);
  }
};

// Reads once, then destroys `other` and puts a new socket in its place, which gets its number.
LoopRoot read_and_replace(SocketLoop& loop, LoopSocket& own, std::unique_ptr<LoopSocket>& other,
                          UniqueFd& next, Told& told, Told& of_next) {
  std::array<char, 16> room{};
  const auto [error, count] = co_await own.read(asio::buffer(room));
  ++told.times;
  told.error = error;
  told.bytes = count;
  if (!other) co_return;
  other.reset();
  other = std::make_unique<LoopSocket>(loop, UniqueFd(::fcntl(next.get(), F_DUPFD_CLOEXEC, 0)));
  next.reset();
  read_once(*other, 16, of_next);
}

TEST_F(SocketLoopEndsTest, AnEventOfOneThatHasGoneIsNobodyElses) {
  Pair first, second, third;
  auto one = std::make_unique<LoopSocket>(loop, std::move(first.near));
  auto two = std::make_unique<LoopSocket>(loop, std::move(second.near));
  Told by_first, by_second, of_third;
  read_and_replace(loop, *one, two, third.near, by_first, of_third);
  Told waits;
  read_once(*two, 16, waits);
  turns(2);
  first.say("a");
  second.say("b");  // both in one batch
  turns(3);
  EXPECT_EQ(by_first.times, 1);
  EXPECT_EQ(waits.times, 1);
  EXPECT_EQ(waits.error, asio::error::operation_aborted);
  EXPECT_EQ(of_third.times, 0);
  third.say("c");
  turns(1);
  EXPECT_EQ(of_third.text, "c");
}

class Watches final : public SocketWatcher {
 public:
  int times = 0;
  void may_read() override { ++times; }
};

TEST_F(SocketLoopEndsTest, AWatcherIsToldOnce) {
  Pair pair;
  LoopSocket socket(loop, std::move(pair.near));
  Watches watches;
  socket.watch(&watches);
  turns(2);
  EXPECT_EQ(watches.times, 0);
  pair.say("x");
  turns(3);
  pair.say("y");
  turns(3);
  EXPECT_EQ(watches.times, 1);
  socket.watch(&watches);  // what lies there is told anew
  turns(3);
  EXPECT_EQ(watches.times, 2);
  socket.watch(&watches);
  socket.watch(nullptr);
  turns(3);
  EXPECT_EQ(watches.times, 2);
}

TEST_F(SocketLoopEndsTest, AWatcherIsToldThatTheOtherSideHasGone) {
  Pair pair;
  LoopSocket socket(loop, std::move(pair.near));
  Watches watches;
  socket.watch(&watches);
  turns(2);
  pair.far.reset();
  turns(1);
  EXPECT_EQ(watches.times, 1);
  LoopError error;
  std::array<char, 4> room{};
  socket.read_now(asio::buffer(room), error);
  EXPECT_EQ(error, asio::error::eof);
}

TEST_F(SocketLoopEndsTest, AnIdleOneThatWasClosedOrSpokeIsNotUsable) {
  Pair closes, speaks, idle;
  LoopSocket one(loop, std::move(closes.near)), two(loop, std::move(speaks.near)),
      three(loop, std::move(idle.near));
  closes.far.reset();
  speaks.say("unasked");
  turns(1);
  EXPECT_FALSE(one.usable());
  EXPECT_FALSE(two.usable());
  EXPECT_TRUE(three.usable());
  three.close();
  EXPECT_FALSE(three.usable());
}

TEST_F(SocketLoopEndsTest, WhatIsPostedToAsioIsDoneInTheNextTurn) {
  bool done = false;
  asio::post(asio_loop, [&] { done = true; });
  loop.ask_asio();
  turns(1);
  EXPECT_TRUE(done);
}

TEST_F(SocketLoopEndsTest, ATimerOfAsioEndsAWait) {
  bool done = false;
  asio::steady_timer timer(asio_loop, std::chrono::milliseconds(10));
  timer.async_wait([&](const LoopError&) { done = true; });
  for (int i = 0; i < 5 && !done; ++i) loop.turn(5000);
  EXPECT_TRUE(done);
}

TEST_F(SocketLoopEndsTest, ItRunsUntilAsioIsStopped) {
  asio::steady_timer timer(asio_loop, std::chrono::milliseconds(5));
  timer.async_wait([&](const LoopError&) { asio_loop.stop(); });
  loop.run();
  EXPECT_TRUE(asio_loop.stopped());
}

// One that posts itself again and again.
struct Again {
  asio::io_context& asio_loop;
  int& left;
  void operator()() const {
    if (--left > 0) asio::post(asio_loop, *this);
  }
};

TEST_F(SocketLoopEndsTest, AsioThatAlwaysHasSomethingLeavesTimeForConnections) {
  Pair pair;
  LoopSocket socket(loop, std::move(pair.near));
  Told told;
  read_once(socket, 16, told);
  turns(1);
  int left = 10'000;
  asio::post(asio_loop, Again{asio_loop, left});
  loop.ask_asio();
  pair.say("x");
  turns(3);
  EXPECT_EQ(told.text, "x");
  EXPECT_GT(left, 9000);
  turns(1000);
  EXPECT_EQ(left, 0);
}

struct Listens {
  UniqueFd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  explicit Listens(bool listens) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket.get(), plain, size), 0);
    EXPECT_EQ(::getsockname(socket.get(), plain, &size), 0);
    if (listens) EXPECT_EQ(::listen(socket.get(), 64), 0);
  }
  LoopSocket::Endpoint place() const {
    return {asio::ip::address_v4::loopback(), ntohs(address.sin_port)};
  }
  UniqueFd client() const {
    UniqueFd one(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(one.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return one;
  }
};

LoopRoot connect_to(LoopSocket& socket, LoopSocket::Endpoint place, Told& told) {
  const auto [error, none] = co_await socket.connect(place);
  ++told.times;
  told.error = error;
}

TEST_F(SocketLoopEndsTest, AConnectionIsMadeOrRefused) {
  const Listens there(true), absent(false);
  LoopSocket one(loop), two(loop);
  Told made, refused;
  connect_to(one, there.place(), made);
  connect_to(two, absent.place(), refused);
  for (int i = 0; i < 100 && made.times + refused.times < 2; ++i) loop.turn(10);
  EXPECT_EQ(made.times, 1);
  EXPECT_FALSE(made.error) << made.error.message();
  EXPECT_EQ(refused.error, asio::error::connection_refused);
  LoopError error;
  EXPECT_EQ(one.remote_endpoint(error), there.place());
  Pair pair;
  const LoopSocket local(loop, std::move(pair.near));
  local.remote_endpoint(error);
  EXPECT_TRUE(error);
}

// A read stops there, and no edge tells of what lies behind.
TEST_F(SocketLoopEndsTest, AByteOutOfBandKeepsNothingFromBeingRead) {
  Listens listens(true);
  LoopAcceptor acceptor(loop, UniqueFd(::fcntl(listens.socket.get(), F_DUPFD_CLOEXEC, 3)), [] {});
  const UniqueFd client = listens.client();
  LoopSocket socket(loop, acceptor.take().client);
  const int on = 1;
  ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  EXPECT_EQ(::send(client.get(), "front", 5, 0), 5);
  EXPECT_EQ(::send(client.get(), "!", 1, MSG_OOB), 1);
  EXPECT_EQ(::send(client.get(), "behind", 6, 0), 6);
  Told told;
  turns(1);
  read_on(socket, 4096, told);
  turns(3);
  EXPECT_EQ(told.text, "frontbehind");
  EXPECT_EQ(::send(client.get(), "later", 5, 0), 5);
  turns(2);
  EXPECT_EQ(told.text, "frontbehindlater");
  socket.close();
  turns(1);  // who still reads is told so
}

TEST_F(SocketLoopEndsTest, ClientsAreTakenAsTheyCome) {
  Listens listens(true);
  int told = 0;
  LoopAcceptor acceptor(loop, UniqueFd(::fcntl(listens.socket.get(), F_DUPFD_CLOEXEC, 3)),
                        [&] { ++told; });
  const UniqueFd one = listens.client(), two = listens.client();
  acceptor.watch();
  turns(2);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(acceptor.take().client.open());
  acceptor.watch();  // one is left: no edge will tell of it
  turns(2);
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(acceptor.take().client.open());
  EXPECT_FALSE(acceptor.take().client.open());
  acceptor.watch();
  turns(2);
  EXPECT_EQ(told, 2);
  const UniqueFd three = listens.client();
  turns(1);
  EXPECT_EQ(told, 3);
}

// Answers of the system to the next calls: an error, or 0 for whoever waits.
std::deque<int> accept_errors;
int accept_calls = 0;
int accept_with_errors(int listening) {
  ++accept_calls;
  const int error = accept_errors.empty() ? 0 : accept_errors.front();
  if (!accept_errors.empty()) accept_errors.pop_front();
  if (error == 0) return ::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  errno = error;
  return -1;
}

class AcceptTest : public SocketLoopEndsTest {
 protected:
  AcceptTest() {
    accept_errors.clear();
    accept_calls = 0;
  }
  Listens listens{true};
  int told = 0;
  LoopAcceptor acceptor{loop, UniqueFd(::fcntl(listens.socket.get(), F_DUPFD_CLOEXEC, 3)),
                        [this] { ++told; }, accept_with_errors};
};

TEST_F(AcceptTest, WhoeverIsGoneIsPassedOverForTheNext) {
  for (const int error : {EINTR, ECONNABORTED, EPROTO, EPERM, ENETDOWN, EHOSTUNREACH, ETIMEDOUT}) {
    const UniqueFd client = listens.client();
    accept_errors = {error, error};
    const auto taken = acceptor.take();
    EXPECT_TRUE(taken.client.open()) << error;
    EXPECT_FALSE(taken.later) << error;
  }
}

TEST_F(AcceptTest, WhatIsLackingIsTriedAgainWithoutAnotherClient) {
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM, EIO}) {
    const UniqueFd client = listens.client();
    turns(1);
    accept_errors = {error};
    const auto taken = acceptor.take();
    EXPECT_FALSE(taken.client.open());
    EXPECT_TRUE(taken.later) << error;
    told = 0;
    acceptor.watch();  // as its owner does after a pause
    turns(2);
    EXPECT_EQ(told, 1) << "no edge tells of it a second time, " << error;
    EXPECT_TRUE(acceptor.take().client.open());
    EXPECT_FALSE(acceptor.take().later);
  }
}

TEST_F(AcceptTest, AFloodOfThoseThatGoAgainIsBounded) {
  accept_errors.assign(1000, ECONNABORTED);
  EXPECT_TRUE(acceptor.take().later);
  EXPECT_LE(accept_calls, 16);
}

// Another process has the listening socket too: closing ours does not take it out of the set.
TEST_F(SocketLoopEndsTest, AClosedListenerThatOthersHaveTellsNothing) {
  const Listens listens(true);
  int told = 0;
  auto acceptor = std::make_unique<LoopAcceptor>(
      loop, UniqueFd(::fcntl(listens.socket.get(), F_DUPFD_CLOEXEC, 3)), [&] { ++told; });
  acceptor->watch();
  turns(2);
  acceptor.reset();
  turns(2);
  const UniqueFd late = listens.client();
  turns(2);
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace sx
