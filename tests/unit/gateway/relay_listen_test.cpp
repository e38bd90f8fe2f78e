// What is said where nobody can be let in.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cerrno>

#include "gateway/relay.h"
#include "sys/system_words.h"

namespace sx {
namespace {

TEST(RelayListen, WithoutADescriptorThatIsTheReason) {
  boost::asio::io_context loop;
  Relay relay(loop, {});
  UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  const int next = ::dup(listener.get());  // the lowest that is free
  ::close(next);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit full = before;
  full.rlim_cur = static_cast<rlim_t>(next);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &full), 0);
  const Result<void> said = relay.listen(std::move(listener));
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(said);
  const Both why = system_words(EMFILE);
  EXPECT_EQ(said.error().what, "cannot accept connections: " + why.english);
  EXPECT_EQ(said.error().chinese, "无法接受连接：" + why.chinese);
}

}  // namespace
}  // namespace sx
