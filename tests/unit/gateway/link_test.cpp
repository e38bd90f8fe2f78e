// The daemon's side of a gateway that does not do what it should: bounded patience, and versions
// that a clock cannot turn back.
#include "gateway/link.h"

#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "sys/files.h"
#include "sys/process_identity.h"
#include "sys/save_file.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

class Link : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/sxlinkXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_.path = name;
  }
  void TearDown() override {
    for (const ProcessIdentity& left : processes_called("relay", folder_.path))
      send_signal(left, SIGKILL);
    std::filesystem::remove_all(folder_.path);
  }

  // A gateway that notes each start of its own and then does nothing.
  std::string idle_program() const {
    const std::string path = folder_.path + "/idle";
    EXPECT_TRUE(save_file(
        path, "#!/bin/sh\necho x >>" + folder_.path + "/starts\nwhile :; do sleep 1; done\n",
        0700));
    return path;
  }
  std::size_t starts() const {
    return real_files().read(folder_.path + "/starts", mib(1)).value_or("").size() / 2;
  }

  boost::asio::io_context loop_{1};
  StateFolder folder_;
};

TEST_F(Link, OneThatNeverListensIsEndedAndAnotherIsStarted) {
  GatewayLink link(loop_, {.folder = folder_,
                           .program = idle_program(),
                           .host = "127.0.0.1",
                           .port = 0,
                           .comes_up = milliseconds(200)});
  ASSERT_TRUE(link.begin({}));
  // It did not live long, so the next one waits a second.
  for (int i = 0; i < 100 && starts() < 2; ++i) loop_.run_for(milliseconds(50));
  EXPECT_GE(starts(), 2U);
  link.stop(std::chrono::seconds(0));
}

TEST_F(Link, VersionsOfAnEarlierDaemonAreSmallerWhateverTheClockSays) {
  RouteTable before;
  before.version = std::int64_t{1} << 50;  // far in the future
  ASSERT_TRUE(save_file(folder_.routes(), routes_line(before)));
  GatewayLink link(
      loop_, {.folder = folder_, .program = "/no/such/program", .host = "127.0.0.1", .port = 0});
  ASSERT_TRUE(link.begin({}));
  const auto saved = real_files().read(folder_.routes(), mib(1));
  ASSERT_TRUE(saved);
  const auto table = read_routes(*saved);
  ASSERT_TRUE(table);
  EXPECT_GT(table->version, before.version);
}

}  // namespace
}  // namespace sx
