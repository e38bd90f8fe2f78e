// What becomes of a request, and the words for what does not pass.
#include "gateway/decide.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

namespace sx {
namespace {

using Kind = RequestFate::Kind;

RequestFate fate(const std::string& method, const std::string& target,
                 const std::string& more = "") {
  static std::string text;  // the head looks into it
  text = method + ' ' + target + " HTTP/1.1\r\nHost: a\r\n" + more + "\r\n";
  const auto head = read_request_head(text);
  EXPECT_TRUE(head) << text;
  return head ? fate_of(*head) : RequestFate{};
}

TEST(Fate, OpenAiPathsPass) {
  for (const char* path : {"/v1/chat/completions", "/v1/completions", "/v1/embeddings",
                           "/v1/rerank", "/v1/messages", "/v1/responses", "/v1/score?x=1"}) {
    const RequestFate one = fate("POST", path);
    EXPECT_EQ(one.kind, Kind::Relayed) << path;
    EXPECT_NE(one.path, nullptr) << path;
  }
  EXPECT_FALSE(fate("POST", "/v1/responses").path->again);
  EXPECT_TRUE(fate("POST", "/v1/chat/completions").path->again);
}

TEST(Fate, WhatWeKnowIsAnsweredHere) {
  EXPECT_EQ(fate("GET", "/v1/models").kind, Kind::Models);
  EXPECT_EQ(fate("HEAD", "/health").kind, Kind::Health);
  EXPECT_EQ(fate("GET", "/ready?x").kind, Kind::Ready);
  EXPECT_EQ(fate("GET", "/metrics").kind, Kind::Metrics);
  EXPECT_EQ(fate("GET", "/v1/models/Qwen/Qwen3-8B").model, "Qwen/Qwen3-8B");
  EXPECT_EQ(fate("POST", "/v1/models").refusal.status, 405);
}

TEST(Fate, EverythingElseIsRefused) {
  EXPECT_EQ(fate("POST", "/sleep").refusal.status, 403);
  EXPECT_EQ(fate("GET", "/slots").refusal.status, 403);
  for (const char* path : {"/", "/v1", "/v1/chat/completions/", "/V1/chat/completions",
                           "/v1/./chat/completions", "/v1/models/", "*", "http://a/v1/models"})
    EXPECT_EQ(fate("POST", path).refusal.status, 404) << path;
  EXPECT_EQ(fate("DELETE", "/v1/chat/completions").refusal.status, 405);
  EXPECT_EQ(fate("POST", "/v1/completions", "Connection: upgrade\r\n").refusal.status, 400);
  EXPECT_EQ(fate("POST", "/v1/completions", "Expect: 200-ok\r\n").refusal.status, 417);
}

TEST(Refusals, AreInTheShapeOfTheirApi) {
  const Refusal refusal = replica_failed(3, kRefusedConnection, false);
  const auto open_ai = boost::json::parse(error_body(refusal, Surface::OpenAi));
  EXPECT_EQ(open_ai.at("error").at("message").as_string(),
            "replica 3 refused the connection before its answer began, and no other one took over");
  EXPECT_EQ(open_ai.at("error").at("message_zh").as_string(),
            "副本 3 在开始回答之前拒绝了连接，没有其他副本能接手");
  EXPECT_EQ(open_ai.at("error").at("type").as_string(), "server_error");
  const auto anthropic = boost::json::parse(error_body(refusal, Surface::Anthropic));
  EXPECT_EQ(anthropic.at("type").as_string(), "error");
  EXPECT_EQ(anthropic.at("error").at("type").as_string(), "api_error");
  EXPECT_TRUE(error_event(refusal, Surface::OpenAi).ends_with("\n\ndata: [DONE]\n\n"));
  EXPECT_TRUE(error_event(refusal, Surface::Responses).starts_with("event: error\ndata: {"));
}

TEST(Refusals, ShowWordsOfClientsBoundedAndAsText) {
  const std::string long_name(10'000, 'm');
  EXPECT_LT(error_body(refused_model(long_name, {}), Surface::OpenAi).size(), 2000U);
  const std::string body = error_body(refused_model("\xff\"\n", {"a"}), Surface::OpenAi);
  EXPECT_EQ(boost::json::parse(body).at("error").at("code").as_string(), "model_not_found");
}

TEST(Refusals, EveryFaultHasWords) {
  for (int fault = 0; fault <= static_cast<int>(HeadFault::TooLong); ++fault) {
    const Refusal refusal = refused_head(static_cast<HeadFault>(fault));
    EXPECT_FALSE(refusal.message.empty());
    EXPECT_NE(reason_phrase(refusal.status), "Error");
  }
}

}  // namespace
}  // namespace sx
