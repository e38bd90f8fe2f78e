// A link between two programs: what goes through it, who holds up whom, how each side's end is told
// to the other, and that no wait is without a limit.
#include "run/tls_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <csignal>

#include "temporary_folder.h"
#include "unit/sockets.h"
#include "unit/tls_files.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

std::string all_of(int socket) {
  std::string got;
  std::array<char, 65'536> piece{};
  ssize_t count = 0;
  while ((count = ::recv(socket, piece.data(), piece.size(), MSG_DONTWAIT)) > 0)
    got.append(piece.data(), static_cast<std::size_t>(count));
  return count == 0 ? got + '$' : got;  // it has ended
}

std::size_t send_all(int socket, std::size_t size) {
  const std::string piece(std::min<std::size_t>(size, 65'536), 'x');
  std::size_t sent = 0;
  ssize_t count = 0;
  while (sent < size && (count = ::send(socket, piece.data(), std::min(piece.size(), size - sent),
                                        MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
    sent += static_cast<std::size_t>(count);
  return sent;
}

// A server's link and a client's, joined by a pair; `near` and `far` are their plain ends.
class TlsLinkTest : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // as the programs that use it do
    const TlsFiles files = test::tls_files(folder_.path());
    server_ = std::make_unique<TlsContext>(TlsContext::of_server(files).value());
    client_ = std::make_unique<TlsContext>(
        TlsContext::of_client({.ca_file = "", .only = files.certificate}).value());
  }

  std::shared_ptr<TlsLink> link(UniqueFd outer, bool serves, UniqueFd& plain) {
    const int socket = outer.get();
    const auto made = std::make_shared<TlsLink>(
        loop_, TlsLinkAsk{.outer = std::move(outer),
                          .session = serves ? TlsSession(*server_, socket)
                                            : TlsSession(*client_, socket, "localhost"),
                          .limits = limits_,
                          .plain_answer = "use TLS"});
    made->opened = [&plain](UniqueFd given) { plain = std::move(given); };
    made->ended = [this](TlsLink&) { ++ended_; };
    made->begin();
    return made;
  }

  void join() {
    auto [one, other] = test::joined_pair();
    serving_ = link(std::move(one), true, near_);
    asking_ = link(std::move(other), false, far_);
    turn([&] { return near_.open() && far_.open(); });
    ASSERT_TRUE(near_.open() && far_.open());
  }

  template <class Holds>
  bool turn(Holds holds, milliseconds most = milliseconds(5000)) {
    const auto until = std::chrono::steady_clock::now() + most;
    while (!holds()) {
      if (std::chrono::steady_clock::now() >= until) return false;
      loop_.run_one_for(milliseconds(5));
    }
    return true;
  }

  test::TemporaryFolder folder_;
  boost::asio::io_context loop_;
  std::unique_ptr<TlsContext> server_, client_;
  TlsLinkLimits limits_{.handshake = std::chrono::seconds(5),
                        .unread = std::chrono::seconds(5),
                        .goodbye = std::chrono::seconds(5)};
  std::shared_ptr<TlsLink> serving_, asking_;
  UniqueFd near_, far_;
  int ended_ = 0;
};

TEST_F(TlsLinkTest, BytesGoThroughBothWaysWhole) {
  join();
  std::string near, far;
  std::size_t sent = 0, back = 0;
  constexpr std::size_t kAll = 3'000'000;
  ASSERT_TRUE(turn([&] {
    sent += send_all(far_.get(), kAll - sent);
    back += send_all(near_.get(), kAll - back);
    near += all_of(near_.get());
    far += all_of(far_.get());
    return near.size() == kAll && far.size() == kAll;
  }));
  EXPECT_EQ(near, std::string(kAll, 'x'));
  EXPECT_EQ(far, std::string(kAll, 'x'));
}

TEST_F(TlsLinkTest, WhoDoesNotReadHoldsUpTheOther) {
  join();
  std::size_t taken = 0;
  turn([&] { return (taken += send_all(near_.get(), 65'536)) > (4U << 20U); }, milliseconds(300));
  EXPECT_LT(taken, 2U << 20U);  // what lies in the pairs and in a piece each way
  std::size_t read = 0;
  EXPECT_TRUE(turn([&] {
    read += all_of(far_.get()).size();
    return read == taken;
  }));
}

// A session that closes with a request half read, while its client has not read the answer.
TEST_F(TlsLinkTest, AnEndIsToldAndWhatWasAnsweredArrives) {
  join();
  std::size_t answered = 0;
  turn([&] { return (answered += send_all(near_.get(), 65'536)) > (4U << 20U); },
       milliseconds(200));
  near_.reset();
  EXPECT_EQ(send_all(far_.get(), 10'000), 10'000U);
  turn([] { return false; }, milliseconds(100));
  std::string got;
  EXPECT_TRUE(turn([&] { return (got += all_of(far_.get())).ends_with('$'); }));
  EXPECT_EQ(got.size(), answered + 1);
  far_.reset();
  EXPECT_TRUE(turn([&] { return ended_ == 2; }));
}

TEST_F(TlsLinkTest, OneSideMayEndAndStillListen) {
  join();
  ::shutdown(far_.get(), SHUT_WR);
  std::string got;
  EXPECT_TRUE(turn([&] { return (got += all_of(near_.get())) == "$"; }));
  EXPECT_EQ(send_all(near_.get(), 9), 9U);
  std::string answer;
  EXPECT_TRUE(turn([&] { return (answer += all_of(far_.get())) == "xxxxxxxxx"; }));
  near_.reset();
  EXPECT_TRUE(turn([&] { return ended_ == 2; }));
}

TEST_F(TlsLinkTest, ACutIsSeenInside) {
  join();
  asking_->end();
  EXPECT_EQ(ended_, 1);
  std::string got;
  EXPECT_TRUE(turn([&] { return (got += all_of(near_.get())).ends_with('$'); }));
}

TEST_F(TlsLinkTest, AHandshakeThatDoesNotComeIsOver) {
  limits_.handshake = std::chrono::seconds(1);
  auto [one, silent] = test::joined_pair();
  const auto slow = link(std::move(one), true, near_);
  EXPECT_FALSE(turn([&] { return ended_ == 1; }, milliseconds(700)));
  EXPECT_TRUE(turn([&] { return ended_ == 1; }, milliseconds(3000)));
  EXPECT_FALSE(near_.open());
}

TEST_F(TlsLinkTest, OneWhoNeverReadsIsOver) {
  limits_.unread = limits_.goodbye = std::chrono::seconds(1);
  auto [one, other] = test::joined_pair();
  serving_ = link(std::move(one), true, near_);
  TlsSession client(*client_, other.get(), "localhost");
  ASSERT_TRUE(turn([&] { return client.shake_hands() == TlsSession::Step::Done && near_.open(); }));
  std::size_t taken = 0;
  turn([&] { return (taken += send_all(near_.get(), 65'536)) > (4U << 20U); }, milliseconds(200));
  EXPECT_TRUE(turn([&] { return ended_ == 1; }, milliseconds(4000)));
}

TEST_F(TlsLinkTest, HttpInTheClearIsAnswered) {
  auto [one, other] = test::joined_pair();
  const auto serving = link(std::move(one), true, near_);
  const std::string_view words = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_GT(::send(other.get(), words.data(), words.size(), 0), 0);
  std::string got;
  EXPECT_TRUE(turn([&] { return (got += all_of(other.get())) == "use TLS$"; })) << got;
  EXPECT_FALSE(near_.open());
  other.reset();
  EXPECT_TRUE(turn([&] { return ended_ == 1; }));
}

}  // namespace
}  // namespace sx
