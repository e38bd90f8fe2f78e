// Tables with names and waits, backends with settings, and routes explained: all read back as they
// were written.
#include "gateway/explain.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "gateway/control.h"
#include "gateway/front.h"
#include "run/gateway_policy.h"

namespace sx {
namespace {

using std::chrono::seconds;

TEST(RouteTables, NamesAndWaitsAreReadBack) {
  RouteTable table{.version = 2};
  table.routes = {{.replica = 1,
                   .host = "127.0.0.1",
                   .port = 9,
                   .model = "m",
                   .takes = true,
                   .weight = 3,
                   .most = 8}};
  table.coming = {"m", "n"};
  table.aliases = {{"gpt-4o", "m"}};
  table.default_model = "m";
  table.down = {{"x", "oom-weights-too-big"}, {"y", ""}};
  table.restarts = true;
  table.times = {.queue = 0, .queue_wait = seconds(5), .silence = {}, .total = seconds(9)};
  table.times.body = seconds(7);
  const auto read = read_routes(routes_line(table));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->routes[0].weight, 3);
  EXPECT_EQ(read->routes[0].most, 8);
  EXPECT_EQ(read->coming, table.coming);
  EXPECT_EQ(read->aliases, table.aliases);
  EXPECT_EQ(read->default_model, "m");
  EXPECT_EQ(read->times.queue, 0);
  EXPECT_EQ(read->times.queue_wait, seconds(5));
  EXPECT_FALSE(read->times.silence);
  EXPECT_EQ(read->times.total, seconds(9));
  EXPECT_EQ(read->times.body, seconds(7));
  EXPECT_EQ(read->down, table.down);
  EXPECT_TRUE(read->restarts);
  EXPECT_FALSE(read_routes(R"({"replicas":[]})")->restarts) << "of an older daemon";
}

TEST(RouteTables, NamesThatCannotBeSentAndOddNumbersAreRefused) {
  const auto with = [](const std::string& more) {
    return read_routes("{\"replicas\":[]," + more + "}").has_value();
  };
  EXPECT_TRUE(with(R"("aliases":{"a":"b"},"coming":["x"],"queue":3)"));
  EXPECT_FALSE(with(R"("aliases":{"a":7})"));
  EXPECT_FALSE(with(R"("aliases":{"":"b"})"));
  EXPECT_FALSE(with(R"("aliases":{"a":"b\r\n"})"));
  EXPECT_FALSE(with(R"("aliases":[])"));
  EXPECT_TRUE(with(R"("down":{"a":""})"));
  EXPECT_FALSE(with(R"("down":{"a":null})"));
  EXPECT_FALSE(with(R"("restarts":1)"));
  EXPECT_FALSE(with(R"("coming":[7])"));
  EXPECT_FALSE(with(R"("default_model":"a\nb")"));
  EXPECT_FALSE(with(R"("queue":-1)"));
  EXPECT_FALSE(with(R"("total_s":999999999)"));
  EXPECT_FALSE(
      read_routes(R"({"replicas":[{"replica":0,"host":"a","port":1,"model":"m","weight":0}]})"));
}

TEST(BackendSettings, StandBehindTheAddress) {
  const auto backend = read_backend("http://10.0.0.7:9000/v1,weight=3,concurrency=64");
  ASSERT_TRUE(backend);
  EXPECT_EQ(backend->port, 9000);
  EXPECT_EQ(backend->weight, 3);
  EXPECT_EQ(backend->most, 64);
  EXPECT_EQ(read_backend("http://a:1,concurrency=2")->weight, 1);
  for (const char* url :
       {"http://a:1,", "http://a:1,weight", "http://a:1,weight=", "http://a:1,weight=0",
        "http://a:1,weight=1001", "http://a:1,size=3", "http://a:1,weight=2x",
        "http://a:1,concurrency=-1", "http://a:1,,weight=2"})
    EXPECT_FALSE(read_backend(url)) << url;
}

TEST(BackendSettings, NameWhereItsKeyLies) {
  EXPECT_EQ(read_backend("http://a:1,key-file=/run/a.key,weight=2")->key_file, "/run/a.key");
  EXPECT_EQ(read_backend("http://a:1,key-env=A_KEY")->key_variable, "A_KEY");
  for (const char* url : {"http://a:1,key-file=", "http://a:1,key-env", "http://a:1,key=sk",
                          "http://a:1,key-file=f,key-env=E"})
    EXPECT_FALSE(read_backend(url)) << url;
}

TEST(Aliases, HaveANameAndAModel) {
  EXPECT_EQ(read_alias("gpt-4o=Qwen/Qwen3=x")->first, "gpt-4o");
  EXPECT_EQ(read_alias("gpt-4o=Qwen/Qwen3=x")->second, "Qwen/Qwen3=x");
  for (const char* text : {"", "=", "a=", "=b", "ab", "a\r\n=b"}) EXPECT_FALSE(read_alias(text));
}

TEST(GatewayPolicies, AreReadBack) {
  GatewayPolicy policy;
  policy.aliases = {{"a", "b"}};
  policy.queue = 7;
  policy.concurrency = 4;
  policy.total = seconds(60);
  policy.body = seconds(30);
  const auto read = read_gateway_policy(gateway_policy_json(policy));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, policy);
  EXPECT_EQ(*read_gateway_policy(gateway_policy_json({})), GatewayPolicy{});
  policy.concurrency = 0;  // no limit, whatever the flags of an engine say
  EXPECT_EQ(read_gateway_policy(gateway_policy_json(policy))->concurrency, 0);
  EXPECT_FALSE(read_gateway_policy(boost::json::parse(R"({"aliases":{"a":1}})").as_object()));
  EXPECT_FALSE(read_gateway_policy(boost::json::parse(R"({"concurrency":-1})").as_object()));
}

TEST(Questions, HoldDigestsAlone) {
  const auto question =
      question_of(R"({"model":"m","messages":[{"role":"user","content":"secret words"}]})",
                  "/v1/chat/completions", "a session");
  ASSERT_TRUE(question);
  const std::string line = question_line(*question);
  EXPECT_EQ(line.find("secret"), std::string::npos);
  EXPECT_EQ(line.find("a session"), std::string::npos);
  const auto ask = read_control(line);
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->kind, ControlAsk::Kind::Explain);
  EXPECT_EQ(ask->question.model, "m");
  EXPECT_EQ(ask->question.hashes.session, question->hashes.session);
  EXPECT_NE(ask->question.hashes.session, 0U);
  EXPECT_EQ(ask->question.hashes.tokens, question->hashes.tokens);
  EXPECT_NE(ask->question.hashes.tokens, 0U);
  EXPECT_FALSE(question_of("[]", "/v1/chat/completions", ""));
  EXPECT_FALSE(question_of("{}", "/metrics", ""));
  EXPECT_FALSE(read_control(R"({"do":"explain","session":"xyz"})"));
}

TEST(Loads, AreReadBack) {
  const auto ask = read_control(loads_line({{.replica = 2, .waiting = 9}}));
  ASSERT_TRUE(ask);
  ASSERT_EQ(ask->loads.size(), 1U);
  EXPECT_EQ(ask->loads[0].replica, 2);
  EXPECT_EQ(ask->loads[0].waiting, 9U);
  EXPECT_FALSE(read_control(R"({"do":"loads"})"));
  EXPECT_FALSE(read_control(R"({"do":"loads","replicas":[{"replica":0,"waiting":-1}]})"));
}

struct ExplainedRoutes : testing::Test {
  ExplainedRoutes() {
    RouteTable table{.version = 1, .model = "m"};
    for (int i = 0; i < 4; ++i)
      table.routes.push_back(
          {.replica = i, .host = "127.0.0.1", .port = 9000 + i, .model = "m", .takes = true});
    table.aliases = {{"gpt-4o", "m"}};
    relay.set_routes(table);
  }
  ExplainedRoute explain(const std::string& body) {
    return explain_route(relay, *question_of(body, "/v1/chat/completions", ""));
  }
  boost::asio::io_context loop{1};
  Relay relay{loop, {}};
};

TEST_F(ExplainedRoutes, SayWhatWouldBeChosenAndChangeNothing) {
  const std::string body = R"({"model":"gpt-4o","messages":[{"role":"user","content":"a"}]})";
  const ExplainedRoute route = explain(body);
  EXPECT_EQ(route.model, "m");
  EXPECT_EQ(route.why, "prefix");
  ASSERT_EQ(route.replicas.size(), 4U);
  for (const ExplainedReplica& one : route.replicas) {
    EXPECT_EQ(one.replica == route.replica, one.order == 1);
    EXPECT_FALSE(one.had_it);
  }
  EXPECT_FALSE(explain(body).replicas[static_cast<std::size_t>(route.replica)].had_it);
  const BodyKeys keys = find_body_keys(body);
  const RouteKey key = relay.routing.key_of({}, body, keys, Surface::OpenAi);
  EXPECT_EQ(relay.choose_replica("m", key, {}).replica->route.replica, route.replica);
  EXPECT_TRUE(explain(body).replicas[static_cast<std::size_t>(route.replica)].had_it);
}

TEST_F(ExplainedRoutes, AreReadBack) {
  const ExplainedRoute route =
      explain(R"({"model":"gpt-4o","messages":[{"role":"user","content":"a"}]})");
  const auto read = read_explained(explained_json(route));
  ASSERT_TRUE(read);
  EXPECT_EQ(explained_json(*read), explained_json(route));
  const auto none = read_explained(explained_json(explain(R"({"model":"x"})")));
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->model.empty());
  EXPECT_EQ(none->replica, -1);
  EXPECT_EQ(none->known, (std::vector<std::string>{"gpt-4o", "m"}));
  EXPECT_FALSE(read_explained("{}"));
}

}  // namespace
}  // namespace sx
