// What `status` says of a daemon that is gone: what is not known of it is not made up.
#include "cli/daemon_gone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sx {
namespace {

using testing::HasSubstr;
using testing::Not;

GoneDaemon gone_at(const std::string& address) {
  GoneDaemon gone{.name = "default", .address = address, .there = {}};
  gone.there.replicas.push_back(
      {.number = 0, .engine = {.pid = 77}, .keeper = ProcessIdentity{.pid = 78}, .launch = {}});
  return gone;
}

TEST(DaemonGone, TheAddressIsThatOfTheRecord) {
  GoneDaemon gone = gone_at("http://127.0.0.1:8123");
  EXPECT_THAT(gone_page(gone, Language::English), HasSubstr("through http://127.0.0.1:8123"));
  EXPECT_THAT(gone_json(gone), HasSubstr("\"address\":\"http://127.0.0.1:8123\""));
  gone.there.gateway = ProcessIdentity{.pid = 79};
  EXPECT_THAT(gone_page(gone, Language::Chinese), HasSubstr("网关 79 在 http://127.0.0.1:8123"));
}

TEST(DaemonGone, ARecordThatCannotBeReadHasNoAddress) {
  GoneDaemon gone = gone_at("");
  EXPECT_THAT(gone_page(gone, Language::English),
              HasSubstr("the gateway is gone: no requests reach them\n"));
  EXPECT_THAT(gone_json(gone), Not(HasSubstr("address")));
  gone.there.gateway = ProcessIdentity{.pid = 79};
  EXPECT_THAT(gone_page(gone, Language::English), HasSubstr("gateway 79 takes requests\n"));
  EXPECT_THAT(gone_page(gone, Language::Chinese), Not(HasSubstr("http")));
}

}  // namespace
}  // namespace sx
