// How long scripts wait before they ask the server, as far as it can be read off them.
#include "rules/serving/waiting.h"

#include <gtest/gtest.h>

namespace sx::rules {
namespace {

struct Asked {
  std::string seconds;  // "none" when nothing is known
  std::string line;
};

Asked asked(const std::string& behind, int port = 8000) {
  Sources sources;
  const std::string launch = "vllm serve m &";
  const int source = sources.add({.name = "serve.sh", .uri = {}, .text = launch + '\n' + behind});
  Command command;
  command.source = source;
  command.span = {source, 0, launch.size()};
  const auto found = first_question(sources, command, port);
  if (!found) return {"none", {}};
  return {std::to_string(static_cast<int>(found->seconds)),
          std::string(sources.text(found->question))};
}

TEST(Waiting, SleepsAddUp) {
  EXPECT_EQ(asked("sleep 10\nsleep 1m # more\ncurl localhost:8000/health").seconds, "70");
  EXPECT_EQ(asked("curl http://127.0.0.1:8000/v1/models").seconds, "0");
  EXPECT_EQ(asked("  sleep 5 && curl -s localhost:8000/health  ").line,
            "sleep 5 && curl -s localhost:8000/health");
}

TEST(Waiting, LoopsCountWhenTheySayHowOften) {
  const std::string body = "\n  curl localhost:8000/health && break\n  sleep 2\ndone";
  EXPECT_EQ(asked("for i in $(seq 1 30); do" + body).seconds, "60");
  EXPECT_EQ(asked("for i in `seq 15`; do" + body).seconds, "30");
  EXPECT_EQ(asked("for i in {1..5}\ndo" + body).seconds, "10");
  EXPECT_EQ(asked("for i in {1..5}\ndo" + body).line, "curl localhost:8000/health && break");
  EXPECT_EQ(asked("for i in {1..3}; do sleep 4; done\ncurl localhost:8000/health").seconds, "12");
}

TEST(Waiting, WhatIsNotPlainIsNotRead) {
  for (const char* behind :
       {"until curl localhost:8000/health; do sleep 5; done", "while true; do sleep 1; done",
        "sleep $WAIT\ncurl localhost:8000/health", "for i in $LIST; do sleep 1; done",
        "for i in {1..$N}; do\ncurl localhost:8000/health\nsleep 1\ndone",
        "curl --retry 30 localhost:8000/health", "wait\ncurl localhost:8000/health",
        "curl localhost:9090/metrics", "curl https://example.org:8000/", "# curl localhost:8000",
        ""}) {
    EXPECT_EQ(asked(behind).seconds, "none") << behind;
  }
  EXPECT_EQ(asked("curl localhost:9090", 9090).seconds, "0");
}

TEST(Waiting, TimeLimits) {
  EXPECT_EQ(time_limit({"timeout", "60"}), 60);
  EXPECT_EQ(time_limit({"nohup", "/usr/bin/timeout", "-s", "INT", "--foreground", "5m"}), 300);
  EXPECT_FALSE(time_limit({"timeout", "0"}));  // no limit at all
  EXPECT_FALSE(time_limit({"timeout", "-k"}));
  EXPECT_FALSE(time_limit({"nohup"}));
}

}  // namespace
}  // namespace sx::rules
