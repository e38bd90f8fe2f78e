// The records that daemon and keepers leave each other: what is written is read back, what is not
// ours is refused by name.
#include <gtest/gtest.h>

#include <limits>

#include "run/cpu_list.h"
#include "run/deployment.h"
#include "run/replica_files.h"

namespace sx {
namespace {

Deployment whole() {
  Deployment deployment{.name = "box"};
  deployment.port = 8001;
  deployment.key_file = "/etc/keys";
  deployment.restart.tries = 5;
  deployment.restart.backoff = {std::chrono::seconds(1), std::chrono::seconds(2)};
  deployment.log.files = 7;
  DeployedLayout layout{.label = "TP2 x PP3", .replicas = {}, .proves = ""};
  EngineLaunch launch{.engine = "vllm", .words = {"vllm", "serve", "a b", ""}};
  launch.environment = {{"CUDA_VISIBLE_DEVICES", "0,1"}, {"X", ""}};
  launch.port = 18100;
  launch.gpus = {0, 1};
  launch.any_gpus = true;
  launch.cpus = "0-3,8";
  launch.key = "geheim";
  layout.replicas.push_back(launch);
  deployment.layouts.push_back(layout);
  layout.proves = "peer communication";
  deployment.rungs.push_back(layout);
  return deployment;
}

TEST(Deployment, IsReadBackAsItWasWritten) {
  const auto read = read_deployment(deployment_json(whole()));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, whole());
}

// Paths and variables are bytes: those of an old disk are in no known encoding.
TEST(Deployment, BytesThatAreNoTextComeBackAsTheyWere) {
  Deployment deployment = whole();
  deployment.layouts.front().replicas.front().words.emplace_back("/data/\xe9t\xe9");
  deployment.layouts.front().replicas.front().environment["HF_HOME"] = "/\xff\xfe";
  const auto read = read_deployment(deployment_json(deployment));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, deployment);
}

TEST(Deployment, WhatIsNoneIsRefusedByTheFieldsName) {
  const std::string good = deployment_json(whole());
  const auto broken = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto read = read_deployment(text);
    return read ? std::string("read") : read.error().what;
  };
  EXPECT_EQ(broken("sextant.deployment/1", "sextant.deployment/2"),
            "the deployment: schema is missing or not as it should be");
  EXPECT_EQ(broken("\"port\":8001", "\"port\":65536"),
            "the deployment: port is missing or not as it should be");
  EXPECT_EQ(broken("\"tries\":5", "\"tries\":\"5\""),
            "restart: tries is missing or not as it should be");
  EXPECT_EQ(broken("\"port\":18100", "\"port\":0"),
            "a launch: port is missing or not as it should be");
  EXPECT_EQ(broken("a b", "a\\u0000b"), "a launch: words is missing or not as it should be");
  EXPECT_EQ(broken("\"X\":\"\"", "\"X\":\"\\u0000\""),
            "a launch: environment is missing or not as it should be");
  EXPECT_EQ(broken("\"X\":", "\"X=Y\":"),
            "a launch: environment is missing or not as it should be");
  EXPECT_EQ(broken("[0,1]", "[0,-1]"), "a launch: gpus is missing or not as it should be");
  EXPECT_EQ(read_deployment("[]").error().chinese, "部署记录不是 JSON 对象");
  EXPECT_FALSE(read_deployment(""));
  EXPECT_FALSE(read_deployment(std::string(100'000, '[')));
}

TEST(ReplicaRecords, AreReadBackAsTheyWereWritten) {
  const KeeperRecord record{.of = {.replica = 2, .start = 7},
                            .mark = "ab",
                            .keeper = {.pid = 10, .start_ticks = 123456789012345},
                            .engine = {.pid = 11, .start_ticks = 2},
                            .group = "/sys/fs/cgroup/sextant-ab",
                            .family = {{.pid = 12, .start_ticks = 3}}};
  const auto read = read_record(record_json(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->of, record.of);
  EXPECT_EQ(read->keeper, record.keeper);
  EXPECT_EQ(read->engine, record.engine);
  EXPECT_EQ(read->group, record.group);
  EXPECT_EQ(read->family, record.family);
  // One that an earlier version wrote has neither.
  const auto old = read_record(
      R"({"mark":"ab","keeper":{"pid":1,"start_ticks":0},"engine":{"pid":1,"start_ticks":0},"replica":3,"start":7})");
  ASSERT_TRUE(old);
  EXPECT_TRUE(old->group.empty() && old->family.empty());
  for (const char* family : {"7", "[7]", R"([{"pid":0,"start_ticks":1}])", R"([{"pid":5}])"}) {
    std::string text = record_json(record);
    const std::string good = R"([{"pid":12,"start_ticks":3}])";
    text.replace(text.find(good), good.size(), family);
    EXPECT_EQ(read_record(text).error().what,
              "keeper.json: family is missing or not as it should be")
        << family;
  }
  ExitRecord ended{.of = {.replica = 0, .start = 1}, .code = {}, .signal = 9, .asked = true};
  ended.swept = 3;
  ended.oom_kills = {.count = 2, .of_others = true};
  const auto exit = read_exit(exit_json(ended));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->signal, 9);
  EXPECT_EQ(exit->code, std::nullopt);
  EXPECT_TRUE(exit->asked);
  EXPECT_EQ(exit->swept, 3);
  EXPECT_EQ(exit->oom_kills, ended.oom_kills);
  ended.oom_kills = {};  // nobody counts: that is not none
  EXPECT_EQ(read_exit(exit_json(ended))->oom_kills, OomKills{});
  ended.oom_kills = {.count = 0};
  EXPECT_EQ(read_exit(exit_json(ended))->oom_kills.count, 0);
  EXPECT_EQ(read_record("{\"replica\":0}").error().chinese, "keeper.json：start 缺失或取值不对");
  EXPECT_EQ(read_record("[]").error().chinese, "keeper.json 不是 JSON 对象");
  KeeperRecord last = record;
  last.of.start = std::numeric_limits<int>::max();  // there would be no next one
  EXPECT_FALSE(read_record(record_json(last)));
}

TEST(CpuList, RangesAndNumbers) {
  EXPECT_EQ(cpu_numbers("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(cpu_numbers("5"), (std::vector<int>{5}));
  EXPECT_TRUE(cpu_numbers("").empty());
  for (const char* bad : {"a", "1-", "-1", "1,,2", "0-9999", "1;2", "3-1,x"})
    EXPECT_TRUE(cpu_numbers(bad).empty()) << bad;
}

}  // namespace
}  // namespace sx
