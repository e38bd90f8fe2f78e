// The relay's loop: what edges tell, what is not tried, who is heard when a connection ends.
#include "gateway/socket_loop.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <vector>

#include "loop_pairs.h"

namespace sx {
namespace {

namespace asio = boost::asio;

class SocketLoopTest : public testing::Test {
 protected:
  LoopSocket open(Pair& pair) { return {loop, std::move(pair.near)}; }
  void turns(int count) {
    for (int i = 0; i < count; ++i) loop.turn(0);
  }
  asio::io_context asio_loop{1};
  SocketLoop loop{asio_loop};
  asio::steady_timer pending{asio_loop, std::chrono::hours(1)};  // so that Asio has something to do
  void SetUp() override {
    pending.async_wait([](const LoopError&) {});
    turns(2);
  }
};

TEST_F(SocketLoopTest, WhatCameBeforeTheWaitIsRead) {
  Pair pair;
  LoopSocket socket = open(pair);
  pair.say("early");
  turns(1);
  Told told;
  read_once(socket, 100, told);
  turns(1);
  EXPECT_EQ(told.text, "early");
}

TEST_F(SocketLoopTest, WhatComesWhileSomebodyWaitsIsRead) {
  Pair pair;
  LoopSocket socket = open(pair);
  Told told;
  read_once(socket, 100, told);
  turns(3);
  EXPECT_EQ(told.times, 0);
  pair.say("late");
  turns(1);
  EXPECT_EQ(told.text, "late");
  EXPECT_TRUE(socket.quiet());  // a short read: nothing is left to try
}

// There is one edge, and it is not the reader's fault that its room was small.
TEST_F(SocketLoopTest, AFullReadIsFollowedByOneWithoutAnEdge) {
  Pair pair;
  LoopSocket socket = open(pair);
  pair.say("abcdefghij");
  turns(1);
  Told told;
  read_on(socket, 4, told);
  turns(3);
  EXPECT_EQ(told.text, "abcdefghij");
  EXPECT_EQ(told.times, 3);  // 4, 4, 2
  EXPECT_TRUE(socket.quiet());
  socket.close();
  turns(1);
}

// The last edge tells of the bytes and of the end; a short read must not forget the end.
TEST_F(SocketLoopTest, AnEndThatCameWithTheLastBytesIsTold) {
  for (const bool whole : {true, false}) {
    Pair pair;
    LoopSocket socket = open(pair);
    Told told;
    read_on(socket, 100, told);
    pair.say("bye");
    if (whole)
      pair.far.reset();
    else
      ::shutdown(pair.far.get(), SHUT_WR);
    turns(3);
    EXPECT_EQ(told.text, "bye");
    EXPECT_EQ(told.error, asio::error::eof);
  }
}

TEST_F(SocketLoopTest, AfterHalfACloseTheOtherHalfWorks) {
  Pair pair;
  LoopSocket socket = open(pair);
  ::shutdown(pair.far.get(), SHUT_WR);
  turns(1);
  LoopError error;
  EXPECT_EQ(socket.write_now(asio::buffer("still", 5), error), 5U);
  EXPECT_FALSE(error);
  std::array<char, 8> got{};
  EXPECT_EQ(::recv(pair.far.get(), got.data(), got.size(), MSG_DONTWAIT), 5);
}

TEST_F(SocketLoopTest, AWriteGoesOnWhenThereIsRoom) {
  Pair pair;
  LoopSocket socket = open(pair);
  const std::string text(std::size_t{4} << 20U, 'w');  // more than the kernel holds
  Told told;
  write_all(socket, text, told);
  turns(5);
  EXPECT_EQ(told.times, 0);
  const std::size_t held = told.bytes;
  std::string room(std::size_t{1} << 20U, '\0');
  std::size_t got = 0;
  for (int i = 0; i < 10'000 && got < text.size(); ++i) {
    const ssize_t count = ::recv(pair.far.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (count > 0) got += static_cast<std::size_t>(count);
    turns(1);
  }
  EXPECT_LT(held, text.size());
  EXPECT_EQ(got, text.size());
  EXPECT_EQ(told.times, 1);
}

TEST_F(SocketLoopTest, OneThatAlwaysHasSomethingLeavesTimeForOthers) {
  Pair busy, quiet;
  LoopSocket talks = open(busy), waits = open(quiet);
  busy.say(std::string(std::size_t{64} << 10U, 't'));
  Told much, little;
  read_on(talks, 16, much);
  read_once(waits, 16, little);
  quiet.say("me");
  turns(2);
  EXPECT_EQ(little.text, "me");
  EXPECT_LE(much.times, 12);  // a few in each turn
  EXPECT_GE(much.times, 2);
  turns(4000);
  EXPECT_EQ(much.bytes, std::size_t{64} << 10U);  // and none is forgotten
  talks.close();
  turns(1);
}

TEST_F(SocketLoopTest, MoreThanOneBatchIsServed) {
  constexpr std::size_t kMany = 400;
  std::vector<Pair> pairs(kMany);
  std::vector<std::unique_ptr<LoopSocket>> sockets;
  std::vector<Told> told(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    sockets.push_back(std::make_unique<LoopSocket>(loop, std::move(pairs[i].near)));
    read_once(*sockets[i], 16, told[i]);
  }
  turns(2);
  for (const Pair& pair : pairs) pair.say("x");
  turns(3);
  for (const Told& one : told) EXPECT_EQ(one.text, "x");
}

TEST_F(SocketLoopTest, ACancelledWaitIsToldAndTheSocketStays) {
  Pair pair;
  LoopSocket socket = open(pair);
  Told first, second;
  read_once(socket, 16, first);
  turns(1);
  socket.cancel();
  EXPECT_EQ(first.times, 0);  // never from within the call
  turns(1);
  EXPECT_EQ(first.error, asio::error::operation_aborted);
  read_once(socket, 16, second);
  pair.say("on");
  turns(2);
  EXPECT_EQ(second.text, "on");
}

TEST_F(SocketLoopTest, WhoWaitsForAClosedOneIsTold) {
  Pair pair;
  LoopSocket socket = open(pair);
  Told before, after;
  read_once(socket, 16, before);
  turns(1);
  socket.close();
  turns(1);
  EXPECT_EQ(before.error, asio::error::operation_aborted);
  read_once(socket, 16, after);
  turns(1);
  EXPECT_EQ(after.error, asio::error::operation_aborted);
}

TEST_F(SocketLoopTest, WhoWritesToAClosedOneIsTold) {
  Pair pair;
  LoopSocket socket = open(pair);
  const std::string text(std::size_t{4} << 20U, 'w');
  Told told;
  write_all(socket, text, told);
  turns(2);
  socket.close();
  turns(1);
  EXPECT_EQ(told.error, asio::error::operation_aborted);
}

TEST_F(SocketLoopTest, WhoWaitsForOneThatIsDestroyedIsTold) {
  Pair pair;
  auto socket = std::make_unique<LoopSocket>(loop, std::move(pair.near));
  Told told;
  read_once(*socket, 16, told);
  turns(1);
  socket.reset();
  turns(2);
  EXPECT_EQ(told.error, asio::error::operation_aborted);
}

TEST_F(SocketLoopTest, AFrameThatIsDestroyedWhileItWaitsIsForgotten) {
  Pair pair;
  LoopSocket socket = open(pair);
  Told gone, told;
  const LoopRoot frame = read_once(socket, 16, gone);
  turns(1);
  pair.say("ab");
  frame.frame.destroy();
  turns(1);
  EXPECT_EQ(gone.times, 0);
  read_once(socket, 16, told);
  turns(1);
  EXPECT_EQ(told.text, "ab");
}

}  // namespace
}  // namespace sx
