// Pairs of connected sockets, and coroutines that wait for one end: what the tests of the relay's
// loop share.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/error.hpp>
#include <string>
#include <string_view>

#include "gateway/loop_socket.h"
#include "gateway/loop_task.h"

namespace sx {

// One end is the relay's, the other one the test's.
struct Pair {
  UniqueFd near, far;
  Pair() {
    std::array<int, 2> both{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()), 0);
    near = UniqueFd(both[0]);
    far = UniqueFd(both[1]);
  }
  void say(std::string_view text) const {
    EXPECT_EQ(::send(far.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
};

// What a coroutine was told.
struct Told {
  int times = 0;
  LoopError error;
  std::string text;  // all that came
  std::size_t bytes = 0;
};

// Once.
inline LoopRoot read_once(LoopSocket& socket, std::size_t most, Told& told) {
  std::string room(most, '\0');
  const auto [error, count] = co_await socket.read(boost::asio::buffer(room));
  ++told.times;
  told.error = error;
  told.bytes += count;
  told.text += room.substr(0, count);
}

// Until an error, so much at a time.
inline LoopRoot read_on(LoopSocket& socket, std::size_t most, Told& told) {
  std::string room(most, '\0');
  while (true) {
    const auto [error, count] = co_await socket.read(boost::asio::buffer(room));
    ++told.times;
    told.error = error;
    if (error) co_return;
    told.bytes += count;
    if (told.text.size() < 4096) told.text += room.substr(0, count);
  }
}

inline LoopRoot write_all(LoopSocket& socket, const std::string& text, Told& told) {
  while (told.bytes < text.size()) {
    const auto rest = boost::asio::buffer(text) + told.bytes;
    const auto [error, count] = co_await socket.write(rest);
    told.error = error;
    if (error) co_return;
    told.bytes += count;
  }
  ++told.times;
}

}  // namespace sx
