// What a launch says of how much it works on at a time, from its own flags, of each engine.
#include <gtest/gtest.h>

#include "cli/up_ask.h"
#include "unit/cli/up_world.h"

namespace sx {
namespace {

struct World : UpWorld {
  World() : UpWorld({}) {}
};

int most_of(const std::vector<std::string>& command) {
  const World world;
  const auto made = deployment_of_command(command, {.name = "box", .rungs = false}, world.outside);
  EXPECT_TRUE(made) << made.error().what;
  return made ? made->deployment.layouts.at(0).replicas.at(0).most : -1;
}

TEST(UpShares, AReplicaTakesAsManyAsItsFlagsLetItWorkOn) {
  EXPECT_EQ(most_of({"vllm", "serve", "m", "--max-num-seqs", "64"}), 64);
  EXPECT_EQ(most_of({"vllm", "serve", "m", "--max-num-seqs=64", "-dp", "2"}), 128);
  EXPECT_EQ(most_of({"vllm", "serve", "m"}), 0);
  EXPECT_EQ(most_of({"sglang", "serve", "--model-path", "m", "--max-running-requests", "48"}), 48);
  EXPECT_EQ(most_of({"llama-server", "-m", "m.gguf", "-np", "4"}), 4);
  EXPECT_EQ(most_of({"llama-server", "-m", "m.gguf", "--parallel", "-1"}), 0);
}

// What runs there already may have another share: it is the same launch all the same.
TEST(UpShares, AnotherShareIsNoReasonForAnotherPort) {
  const auto at = [](int port, int weight) {
    EngineLaunch launch{.engine = "vllm", .words = {"vllm", "--port", std::to_string(port)}};
    launch.port = port;
    launch.weight = weight;
    Deployment deployment{.name = "box"};
    deployment.layouts.push_back({.label = "one", .replicas = {launch}, .proves = ""});
    return deployment;
  };
  Deployment made = at(8001, 3);
  keep_ports(made, at(9001, 1).layouts[0].replicas);
  EXPECT_EQ(made.layouts[0].replicas[0].port, 9001);
  EXPECT_EQ(made.layouts[0].replicas[0].words.back(), "9001");
  EXPECT_EQ(made.layouts[0].replicas[0].weight, 3);
}

}  // namespace
}  // namespace sx
