// Who listens: by tables as the kernel prints them, and by a socket of our own.
#include "sys/port_owner.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

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
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(socket.get(), 1), 0);
  ASSERT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const int port = ntohs(address.sin_port);
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
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(socket.get(), 1), 0);
  ASSERT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  char before[16] = {};
  ASSERT_EQ(::prctl(PR_GET_NAME, before), 0);
  ASSERT_EQ(::prctl(PR_SET_NAME, "a\xff\x7f模型服务"), 0);  // the last letter is cut
  const auto owner = owner_of(ntohs(address.sin_port));
  ::prctl(PR_SET_NAME, before);
  ASSERT_TRUE(owner);
  EXPECT_TRUE(owner->name.starts_with("a??模型服务")) << owner->name;
}

}  // namespace
}  // namespace sx
