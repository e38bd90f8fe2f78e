// Whether a port is somebody's: what keeps us from looking is nobody.
#include "run/free_ports.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "unit/sockets.h"

namespace sx {
namespace {

TEST(FreePorts, WhereSomebodyListensNobodyElseCan) {
  test::Listening other;
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
