// Whether a port is somebody's: what keeps us from looking is nobody.
#include "run/free_ports.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/unique_fd.h"

namespace sx {
namespace {

struct Listener {
  UniqueFd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port = 0;

  Listener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* place = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket.get(), place, size), 0);
    EXPECT_EQ(::listen(socket.get(), 1), 0);
    EXPECT_EQ(::getsockname(socket.get(), place, &size), 0);
    port = ntohs(address.sin_port);
  }
};

TEST(FreePorts, WhereSomebodyListensNobodyElseCan) {
  Listener other;
  EXPECT_FALSE(port_is_free("127.0.0.1", other.port));
  EXPECT_FALSE(port_is_free("0.0.0.0", other.port));
  other.socket.reset();
  EXPECT_TRUE(port_is_free("127.0.0.1", other.port));
}

// A network namespace whose loopback is down has no address either.
TEST(FreePorts, AnAddressThatIsNotThereIsHeldByNobody) {
  EXPECT_TRUE(port_is_free("192.0.2.1", 18100));
}

TEST(FreePorts, WithoutADescriptorNothingIsSaidOfOthers) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const bool free = port_is_free("127.0.0.1", 18100);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(free);
}

}  // namespace
}  // namespace sx
