// Who waits for a replica, in which order, and how long it may take.
#include "gateway/waiting.h"

#include <gtest/gtest.h>

#include "gateway/routing.h"

namespace sx {
namespace {

using std::chrono::milliseconds;
const auto kNow = GatewayClock::time_point(std::chrono::hours(1));

struct WaitingRoomTest : testing::Test {
  WaitingRoomTest() { room.most = 4; }
  Waiting one(int name, int priority = 0, const std::string& model = "m") {
    return {.model = model, .priority = priority, .wake = [this, name] { woken.push_back(name); }};
  }
  WaitingRoom room;
  std::vector<int> woken;
};

TEST_F(WaitingRoomTest, TheFirstToComeIsTheFirstToBeCalled) {
  auto a = one(1), b = one(2);
  EXPECT_TRUE(room.enter(a, kNow) && room.enter(b, kNow));
  EXPECT_EQ(room.place_of(a), 1U);
  EXPECT_EQ(room.place_of(b), 2U);
  EXPECT_EQ(b.place_at_first, 2U);
  room.call_next("m");
  room.call_next("m");
  room.call_next("m");
  EXPECT_EQ(woken, (std::vector<int>{1, 2}));
  room.stay(a);
  room.call_next("m");
  EXPECT_EQ(woken.back(), 1);
}

// Its replica ended under it: it was there before all who came meanwhile.
TEST_F(WaitingRoomTest, OneThatComesBackHasItsPlaceAgain) {
  auto a = one(1), b = one(2);
  room.enter(a, kNow);
  room.enter(b, kNow);
  room.leave(a, true, kNow);
  auto again = one(3);
  again.order = a.order;
  EXPECT_TRUE(room.enter(again, kNow));
  EXPECT_EQ(room.place_of(again), 1U);
  EXPECT_EQ(room.place_of(b), 2U);
}

TEST_F(WaitingRoomTest, HigherPriorityComesFirstAndEqualsInTurn) {
  auto a = one(1, 0), b = one(2, 5), c = one(3, 5);
  room.enter(a, kNow);
  room.enter(b, kNow);
  room.enter(c, kNow);
  EXPECT_EQ(room.place_of(b), 1U);
  EXPECT_EQ(room.place_of(c), 2U);
  EXPECT_EQ(room.place_of(a), 3U);
  EXPECT_TRUE(room.goes_first("m", 5));
  EXPECT_FALSE(room.goes_first("m", 6));
  EXPECT_FALSE(room.goes_first("other", 0));
}

TEST_F(WaitingRoomTest, ModelsHaveLinesOfTheirOwn) {
  auto a = one(1, 0, "a"), b = one(2, 0, "b");
  room.enter(a, kNow);
  room.enter(b, kNow);
  room.call_next("b");
  EXPECT_EQ(woken, std::vector<int>{2});
  room.stay(b);
  room.call_next_of_all();
  EXPECT_EQ(woken, (std::vector<int>{2, 1, 2}));
  EXPECT_EQ(room.place_of(b), 1U);
}

TEST_F(WaitingRoomTest, IsBoundedAndGivesPlacesBack) {
  std::vector<Waiting> all;
  for (int i = 0; i < 5; ++i) all.push_back(one(i));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(room.enter(all[static_cast<std::size_t>(i)], kNow));
  EXPECT_FALSE(room.enter(all[4], kNow));
  room.leave(all[1], false, kNow);
  room.leave(all[1], false, kNow);  // twice is once
  EXPECT_EQ(room.size(), 3U);
  EXPECT_EQ(room.place_of(all[1]), 0U);
  EXPECT_TRUE(room.enter(all[4], kNow));
  EXPECT_EQ(room.place_of(all[4]), 4U);
  room.leave(all[0], false, kNow);
  EXPECT_EQ(room.place_of(all[4]), 3U);
}

TEST_F(WaitingRoomTest, EstimatesByHowFastOthersLeft) {
  auto a = one(1), b = one(2), c = one(3), d = one(4);
  room.enter(a, kNow);
  room.enter(b, kNow);
  EXPECT_FALSE(a.estimate);  // nobody has left: not known
  room.leave(a, true, kNow + milliseconds(400));
  room.enter(c, kNow + milliseconds(400));
  EXPECT_EQ(c.estimate, milliseconds(800));
  room.leave(b, true, kNow + milliseconds(800));
  room.enter(d, kNow + milliseconds(800));
  EXPECT_EQ(d.estimate, milliseconds(800));
  // One who goes by itself says nothing about how fast replicas become free.
  room.leave(d, false, kNow + milliseconds(9000));
  EXPECT_EQ(room.time_for("m", 1), milliseconds(400));
}

RequestHead head_of(const std::string& bytes) { return *read_request_head(bytes); }

TEST(RequestHints, AreReadFromTheHead) {
  const std::string bytes =
      "POST / HTTP/1.1\r\nHost: a\r\nX-Session-Affinity: later\r\nX-Session-ID: s1\r\n"
      "x-stainless-read-timeout: 600.0\r\nX-Sextant-Priority: 7\r\nx-sextant-wait: 0\r\n\r\n";
  const RequestHead head = head_of(bytes);
  const RequestHints hints = hints_of(head);
  EXPECT_EQ(hints.session, "s1");
  EXPECT_EQ(hints.priority, 7);
  EXPECT_EQ(hints.patience, std::chrono::seconds(600));
  EXPECT_EQ(hints.wait, std::chrono::seconds(0));
}

TEST(RequestHints, WhatIsNoNumberIsNotSaid) {
  const std::string bytes =
      "POST / HTTP/1.1\r\nHost: a\r\nx-sextant-priority: -1\r\nx-sextant-wait: soon\r\n"
      "x-stainless-timeout: nan\r\n\r\n";
  const RequestHead head = head_of(bytes);
  const RequestHints hints = hints_of(head);
  EXPECT_TRUE(hints.session.empty());
  EXPECT_FALSE(hints.priority || hints.wait || hints.patience);
}

struct RoutingKeys : testing::Test {
  RouteKey key(const std::string& body, Surface surface, std::string_view session = {}) {
    RequestHints hints;
    hints.session = session;
    return routing.key_of(hints, body, find_body_keys(body), surface);
  }
  Routing routing;
};

TEST_F(RoutingKeys, ASessionByNameComesBeforeTheConversation) {
  const std::string body = R"({"messages":[{"role":"user","content":"a"}]})";
  EXPECT_EQ(key(body, Surface::OpenAi).kind, KeyKind::Prefix);
  EXPECT_EQ(key(body, Surface::OpenAi, "s").kind, KeyKind::Session);
  EXPECT_EQ(key(R"({"prompt_cache_key":"s","prompt":"x"})", Surface::OpenAi).kind,
            KeyKind::Session);
  EXPECT_EQ(key(R"({"input":"a"})", Surface::OpenAi).kind, KeyKind::None);
}

TEST_F(RoutingKeys, RememberWhereItWasAndTheTwoThatHadTheInstructionsLast) {
  const std::string system = std::string(2000, 's');
  const auto body = [&](const std::string& question) {
    return R"({"messages":[{"role":"system","content":")" + system +
           R"("},{"role":"user","content":")" + question + R"("}]})";
  };
  const auto ask = [&](const std::string& question) {
    return key(body(question), Surface::OpenAi);
  };
  EXPECT_EQ(ask("a").tokens, prompt_tokens(body("a").size()));
  EXPECT_EQ(routing.ask_for(ask("a"), {}).holders, (Holders{-1, -1}));
  routing.went_to(ask("a"), 70'000);
  routing.went_to(ask("b"), 0);
  routing.went_to(ask("c"), 0);
  const RouteAsk next = routing.ask_for(ask("a"), {});
  EXPECT_EQ(next.remembered, 70'000);
  EXPECT_EQ(next.holders, (Holders{0, 70'000}));
  routing.went_to(ask("d"), 9);
  EXPECT_EQ(routing.ask_for(ask("e"), {}).holders, (Holders{9, 0}));
  EXPECT_EQ(routing.ask_for(ask("e"), {}).remembered, -1);
}

TEST_F(RoutingKeys, AnAnswerIsGoneOnFromWhereItWasGiven) {
  const std::string next = R"({"input":"b","previous_response_id":"resp_7"})";
  EXPECT_EQ(key(next, Surface::Responses).kind, KeyKind::Prefix);  // nobody gave it here
  routing.answered(R"({"id":"resp_7","object":"response")", 3);
  const RouteKey known = key(next, Surface::Responses, "s");
  EXPECT_EQ(known.kind, KeyKind::Response);
  EXPECT_EQ(routing.ask_for(known, kNow).remembered, 3);
}

}  // namespace
}  // namespace sx
