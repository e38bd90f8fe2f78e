// Times of the gateway, as one table of routes after the other says them.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "gateway/relay.h"

namespace sx {
namespace {

using std::chrono::seconds;

// `reload` of a file that does not say a time any more: what `config` calls the default holds.
TEST(RelayTimes, WhatATableLeavesOutIsAsItWasAtFirst) {
  boost::asio::io_context loop;
  Relay relay(loop, {});
  const RelayLimits usual = relay.limits;
  RouteTable said;
  said.times = {.queue = 3,
                .queue_wait = seconds(4),
                .silence = seconds(5),
                .total = seconds(6),
                .comment = seconds(7),
                .body = seconds(8)};
  relay.set_routes(said);
  EXPECT_EQ(relay.limits.queue, 3U);
  EXPECT_EQ(relay.waiting.most, 3U);
  EXPECT_EQ(relay.limits.queue_wait, seconds(4));
  EXPECT_EQ(relay.limits.silence, seconds(5));
  EXPECT_EQ(relay.limits.total, seconds(6));
  EXPECT_EQ(relay.limits.comment, seconds(7));
  EXPECT_EQ(relay.limits.body_whole, seconds(8));

  relay.set_routes(RouteTable{});
  EXPECT_EQ(relay.limits.queue, usual.queue);
  EXPECT_EQ(relay.waiting.most, usual.queue);
  EXPECT_EQ(relay.limits.queue_wait, usual.queue_wait);
  EXPECT_EQ(relay.limits.silence, usual.silence);
  EXPECT_EQ(relay.limits.total, usual.total);
  EXPECT_EQ(relay.limits.comment, usual.comment);
  EXPECT_EQ(relay.limits.body_whole, usual.body_whole);
}

// No answer at all in no time would be none of a gateway's: nought stands for the usual.
TEST(RelayTimes, NoughtIsNoLimitOnlyWhereThatHasSense) {
  boost::asio::io_context loop;
  Relay relay(loop, {});
  const RelayLimits usual = relay.limits;
  RouteTable said;
  said.times = {.queue = 0,
                .queue_wait = seconds(0),
                .silence = seconds(0),
                .total = seconds(0),
                .comment = seconds(0),
                .body = seconds(0)};
  relay.set_routes(said);
  EXPECT_EQ(relay.limits.queue, 0U);
  EXPECT_EQ(relay.limits.queue_wait, seconds(0));
  EXPECT_EQ(relay.limits.total, seconds(0));
  EXPECT_EQ(relay.limits.silence, usual.silence);
  EXPECT_EQ(relay.limits.comment, usual.comment);
  EXPECT_EQ(relay.limits.body_whole, usual.body_whole);
}

}  // namespace
}  // namespace sx
