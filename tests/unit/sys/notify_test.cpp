// What a service manager hears.
#include "sys/notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/unique_fd.h"

namespace sx {
namespace {

TEST(Notify, WordsReachTheSocketThatIsNamed) {
  const std::string name = "@sextant-test-" + std::to_string(::getpid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(static_cast<void*>(address.sun_path + 1), name.data() + 1, name.size() - 1);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  notify_service_manager("READY=1");
  ::unsetenv("NOTIFY_SOCKET");
  std::array<char, 64> piece{};
  ASSERT_EQ(::recv(socket.get(), piece.data(), piece.size(), 0), 7);
  EXPECT_EQ(std::string(piece.data(), 7), "READY=1");
}

TEST(Notify, NoSocketAndNamesThatAreNoneAreNoTrouble) {
  ::unsetenv("NOTIFY_SOCKET");
  notify_service_manager("READY=1");
  for (const std::string& name : {std::string(), std::string(5000, 'x'), std::string("/no/such")}) {
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    notify_service_manager("READY=1");
  }
  ::unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace sx
