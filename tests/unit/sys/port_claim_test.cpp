// Who may have a port that nobody listens on yet.
#include "sys/port_claim.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <string>

namespace sx {
namespace {

// No program of ours chooses one of these.
int a_port() {
  static int next = 0;
  return 100'000 + static_cast<int>(::getpid() % 100'000) * 10 + next++;
}

TEST(PortClaim, OneOfEachRoleHasIt) {
  const int port = a_port();
  PortClaims chooser(PortRole::Chooser), other(PortRole::Chooser), daemon(PortRole::Daemon);
  EXPECT_TRUE(chooser.take(port));
  EXPECT_TRUE(chooser.take(port)) << "ours already";
  EXPECT_FALSE(other.take(port));
  EXPECT_FALSE(is_given(port));
  EXPECT_TRUE(daemon.take(port));
  EXPECT_TRUE(is_given(port));
  EXPECT_TRUE(is_claimed(port, PortRole::Daemon));
  EXPECT_FALSE(is_claimed(port, PortRole::Keeper));
  chooser.drop(port);
  EXPECT_TRUE(other.take(port)) << "free among choosers again";
  EXPECT_TRUE(is_given(port)) << "and still the daemon's";
}

TEST(PortClaim, LookingTakesNothing) {
  const int port = a_port();
  PortClaims keeper(PortRole::Keeper);
  EXPECT_FALSE(is_claimed(port, PortRole::Keeper));
  EXPECT_TRUE(keeper.take(port));
  EXPECT_TRUE(is_claimed(port, PortRole::Keeper));
  EXPECT_TRUE(is_claimed(port, PortRole::Keeper)) << "asked twice";
}

TEST(PortClaim, WhatIsNotKeptIsFree) {
  const int first = a_port(), second = a_port();
  PortClaims daemon(PortRole::Daemon);
  EXPECT_TRUE(daemon.take(first) && daemon.take(second));
  daemon.keep({second, a_port()});
  EXPECT_FALSE(is_claimed(first, PortRole::Daemon));
  EXPECT_TRUE(is_claimed(second, PortRole::Daemon));
}

TEST(PortClaim, ItGoesWithTheProcessHoweverThatEnds) {
  const int port = a_port();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    PortClaims claims(PortRole::Daemon);
    const char taken = claims.take(port) ? '1' : '0';
    [[maybe_unused]] const auto told = ::write(ends[1], &taken, 1);
    for (;;) ::pause();
  }
  char taken = 0;
  ASSERT_EQ(::read(ends[0], &taken, 1), 1);
  PortClaims ours(PortRole::Daemon);
  const bool while_it_lives = ours.take(port);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(taken, '1');
  EXPECT_FALSE(while_it_lives);
  EXPECT_FALSE(is_claimed(port, PortRole::Daemon));
  EXPECT_TRUE(ours.take(port));
  ::close(ends[0]);
  ::close(ends[1]);
}

// So many descriptors at most; further ports are used without a claim, as if nobody else were
// there.
TEST(PortClaim, ThereIsAnEndToThem) {
  constexpr int kFar = 3'000'000, kMany = 600;
  PortClaims daemon(PortRole::Daemon);
  for (int i = 0; i < kMany; ++i) EXPECT_TRUE(daemon.take(kFar + i));
  EXPECT_TRUE(is_claimed(kFar, PortRole::Daemon));
  EXPECT_FALSE(is_claimed(kFar + kMany - 1, PortRole::Daemon));
}

// A socket that talks to one other alone refuses everybody else, and has the name all the same.
TEST(PortClaim, WhoTalksToAnotherHasItToo) {
  const int port = a_port();
  const std::string text = "sextant/port/" + std::to_string(port) + "/wanted";
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(&name.sun_path[1], text.data(), text.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  const UniqueFd stranger(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(stranger.get(), reinterpret_cast<const sockaddr*>(&name), size), 0);
  ASSERT_EQ(::connect(stranger.get(), reinterpret_cast<const sockaddr*>(&name), size), 0);
  const UniqueFd other(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ASSERT_NE(::connect(other.get(), reinterpret_cast<const sockaddr*>(&name), size), 0);
  EXPECT_TRUE(is_claimed(port, PortRole::Daemon));
}

// Anybody of the machine may send to such a name; nothing may pile up.
TEST(PortClaim, NothingThatIsSentToItIsKept) {
  const int port = a_port();
  PortClaims daemon(PortRole::Daemon);
  ASSERT_TRUE(daemon.take(port));
  const std::string text = "sextant/port/" + std::to_string(port) + "/wanted";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(&address.sun_path[1], text.data(), text.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_LT(::send(socket.get(), "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT), 0);
}

}  // namespace
}  // namespace sx
