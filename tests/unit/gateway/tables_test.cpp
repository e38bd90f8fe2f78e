// What the daemon tells, and addresses as people write them.
#include <gtest/gtest.h>

#include "gateway/control.h"
#include "gateway/front.h"
#include "gateway/routes.h"

namespace sx {
namespace {

TEST(Routes, AreReadAsTheDaemonWritesThem) {
  const std::vector<Route> routes{{.replica = 0,
                                   .host = "127.0.0.1",
                                   .port = 9001,
                                   .model = "m",
                                   .engine = "vllm",
                                   .key = "k",
                                   .takes = true},
                                  {.replica = 4,
                                   .host = "::1",
                                   .port = 9002,
                                   .model = "m",
                                   .engine = "sglang",
                                   .key = "",
                                   .takes = false}};
  const auto table = read_routes(routes_line({.version = 7, .model = "m", .routes = routes}));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->version, 7);
  EXPECT_EQ(table->model, "m");
  ASSERT_EQ(table->routes.size(), 2U);
  EXPECT_EQ(table->routes[0].key, "k");
  EXPECT_TRUE(table->routes[0].takes);
  EXPECT_EQ(table->routes[1].replica, 4);
  EXPECT_FALSE(table->routes[1].takes);
}

TEST(Routes, DamagedOnesAreRefused) {
  const auto one = [](const std::string& replica) {
    return read_routes("{\"replicas\":[" + replica + "]}").has_value();
  };
  EXPECT_TRUE(one(R"({"replica":0,"host":"a","port":1,"model":"m"})"));
  EXPECT_FALSE(one(R"({"replica":0,"host":"a","port":0,"model":"m"})"));
  EXPECT_FALSE(one(R"({"replica":0,"host":"a","port":70000,"model":"m"})"));
  EXPECT_FALSE(one(R"({"replica":-1,"host":"a","port":1,"model":"m"})"));
  EXPECT_FALSE(one(R"({"replica":0,"host":"a","port":1,"model":"m","key":"k\r\nX: y"})"));
  EXPECT_FALSE(one(R"({"host":"a","port":1,"model":"m"})"));
  EXPECT_FALSE(one(R"({"replica":0,"host":"a","port":1,"model":"m"},)"
                   R"({"replica":0,"host":"a","port":2,"model":"m"})"));
  EXPECT_FALSE(one("7"));
  EXPECT_FALSE(read_routes("{}"));
  EXPECT_FALSE(read_routes("[]"));
}

TEST(ControlLines, SayWhatIsToBeDone) {
  EXPECT_EQ(read_control(R"({"do":"listener"})")->kind, ControlAsk::Kind::Listener);
  EXPECT_EQ(read_control(R"({"do":"stop","grace_s":7})")->grace, std::chrono::seconds(7));
  EXPECT_EQ(read_control(routes_line({.version = 3}))->routes.version, 3);
  EXPECT_EQ(read_control(R"({"do":"sing"})")->kind, ControlAsk::Kind::Unknown);
  EXPECT_FALSE(read_control(R"({"do":"stop","grace_s":-1})"));
  EXPECT_FALSE(read_control("{}"));
  EXPECT_FALSE(read_control(""));
}

TEST(Backends, AreWrittenInSeveralWays) {
  for (const char* url : {"http://10.0.0.7:9000", "http://10.0.0.7:9000/",
                          "http://10.0.0.7:9000/v1", "http://10.0.0.7:9000/v1/"}) {
    const auto backend = read_backend(url);
    ASSERT_TRUE(backend) << url;
    EXPECT_EQ(backend->host, "10.0.0.7");
    EXPECT_EQ(backend->port, 9000);
  }
  EXPECT_EQ(read_backend("http://[::1]:9000")->host, "::1");
  EXPECT_EQ(read_backend("http://gpu-host")->port, 80);
}

TEST(Backends, ThatAreNoneSayWhy) {
  for (const char* url : {"", "gpu:9000", "https://gpu", "http://", "http://:9000", "http://a:0",
                          "http://a:99999", "http://a:9x", "http://a/api", "http://user@a:1"})
    EXPECT_FALSE(read_backend(url)) << url;
}

TEST(Listen, PlacesNameAPort) {
  EXPECT_EQ(read_listen(":9000")->host, "127.0.0.1");
  EXPECT_EQ(read_listen("0.0.0.0:9000")->port, 9000);
  EXPECT_EQ(read_listen("[::]:9000")->host, "::");
  EXPECT_EQ(read_listen("a:0")->port, 0);
  for (const char* place : {"", "9000", "a:", "a:x", "a:70000"}) EXPECT_FALSE(read_listen(place));
}

}  // namespace
}  // namespace sx
