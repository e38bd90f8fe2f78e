// How much of the gateway's work a replica is given, by its flags and by the file.
#include "run/replica_share.h"

#include <gtest/gtest.h>

#include "base/source.h"
#include "run/deployment_file.h"

namespace sx {
namespace {

TEST(WorksOnAtATime, IsWhatTheFlagSaysOfEachRankTogether) {
  ServeSpec serve;
  EXPECT_EQ(works_on_at_a_time(serve), 0) << "not said is not nothing";
  serve.max_num_seqs = {64, Origin::Flag};
  EXPECT_EQ(works_on_at_a_time(serve), 64);
  serve.data_parallel = {4, Origin::Flag};
  EXPECT_EQ(works_on_at_a_time(serve), 256);
  serve.max_num_seqs = {-1, Origin::Flag};
  EXPECT_EQ(works_on_at_a_time(serve), 0);
  serve.max_num_seqs = {2'000'000'000, Origin::Flag};
  EXPECT_EQ(works_on_at_a_time(serve), kMostReplicaRequests);
}

DeploymentRead read_of(const std::string& model) {
  Sources sources;
  const int source =
      sources.add({.kind = SourceKind::File, .name = "sextant.toml", .text = "[model]\n" + model});
  return read_deployment_file(sources, source);
}

TEST(Weights, AreOneForAllOrOneForEach) {
  const std::string command = "command = [\"vllm\", \"serve\", \"m\"]\nreplicas = 2\n";
  EXPECT_EQ(read_of(command + "weight = 3").file.models.at(0).weights, std::vector<int>{3});
  EXPECT_EQ(read_of(command + "weight = [3, 1]").file.models.at(0).weights,
            (std::vector<int>{3, 1}));
  const auto faults = [&](const std::string& model) {
    const auto read = read_of(model);
    return read.faults.empty() ? "" : rendered(read.faults.front().title, Language::English);
  };
  EXPECT_EQ(faults(command + "weight = [3, 1]"), "");
  EXPECT_EQ(faults(command + "weight = [3, 1, 1]"), "3 weights for 2 replicas");
  EXPECT_EQ(faults("id = \"m\"\nweight = 2"), "");
  EXPECT_EQ(faults("id = \"m\"\nweight = [2, 1]"), "several weights for replicas that are planned");
  for (const char* wrong : {"0", "1001", "\"2\"", "[]", "[0]", "2.5"})
    EXPECT_EQ(faults(command + "weight = " + wrong), "model.weight does not take this value")
        << wrong;
}

TEST(Weights, GoToTheReplicas) {
  DeployedLayout layout;
  layout.replicas.resize(2);
  ASSERT_TRUE(give_weights(layout, {}));
  EXPECT_EQ(layout.replicas[1].weight, 1);
  ASSERT_TRUE(give_weights(layout, {5}));
  EXPECT_EQ(layout.replicas[1].weight, 5);
  ASSERT_TRUE(give_weights(layout, {3, 2}));
  EXPECT_EQ(layout.replicas[0].weight, 3);
  EXPECT_EQ(layout.replicas[1].weight, 2);
  EXPECT_FALSE(give_weights(layout, {3, 2, 1}));
}

}  // namespace
}  // namespace sx
