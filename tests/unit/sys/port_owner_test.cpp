// Who listens: by tables as the kernel prints them, and by a socket of our own.
#include "sys/port_owner.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "unit/sockets.h"

namespace sx {
namespace {

constexpr std::string_view kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4242 1 0\n"
    "   1: 0100007F:1F40 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 "
    "4243 1 0\n"
    "   2: 00000000:1F41 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4244 1 0\n";

TEST(PortOwner, OnlyListenersOfThatPortCount) {
  EXPECT_EQ(listening_inodes(kTable, 8000), (std::set<std::uint64_t>{4242}));
  EXPECT_EQ(listening_inodes(kTable, 8001), (std::set<std::uint64_t>{4244}));
  EXPECT_TRUE(listening_inodes(kTable, 80).empty());
  EXPECT_TRUE(listening_inodes("1 x 0A 0A 1 1 1 1 1 1\n\xFF\n:", 0).empty());
}

TEST(PortOwner, ASocketOfOursIsOursAndNotAnothers) {
  const test::Listening listening;
  const int port = listening.port;
  const auto us = identity_of(::getpid());
  const auto parent = identity_of(::getppid());
  ASSERT_TRUE(us);
  EXPECT_EQ(one_listens({*us}, port), true);
  if (parent) EXPECT_NE(one_listens({*parent}, port), true);
  EXPECT_EQ(one_listens({*us}, 1), std::nullopt);
  const auto owner = owner_of(port);
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->pid, ::getpid());
  EXPECT_EQ(owner->name, "unit_sys");
  EXPECT_FALSE(owner_of(1));
}

// It stands in JSON and on terminals.
TEST(PortOwner, ItsNameIsAWordWhateverItsBytesAre) {
  const test::Listening listening;
  char before[16] = {};
  ASSERT_EQ(::prctl(PR_GET_NAME, before), 0);
  ASSERT_EQ(::prctl(PR_SET_NAME, "a\xff\x7f模型服务"), 0);  // the last letter is cut
  const auto owner = owner_of(listening.port);
  ::prctl(PR_SET_NAME, before);
  ASSERT_TRUE(owner);
  EXPECT_TRUE(owner->name.starts_with("a??模型服务")) << owner->name;
}

}  // namespace
}  // namespace sx
