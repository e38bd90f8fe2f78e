// What is written reads as the same again.
#include "run/deployment_text.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

DeploymentFile read_again(const std::string& text) {
  Sources sources;
  const int source = sources.add({.kind = SourceKind::File, .name = "f.toml", .text = text});
  const DeploymentRead read = read_deployment_file(sources, source);
  EXPECT_TRUE(read.faults.empty()) << text;
  return read.file;
}

TEST(DeploymentText, ReadsAsItWasAsked) {
  DeploymentFile file;
  file.name = "chat";
  file.port = 9001;
  file.ladder = false;
  file.models = {{.id = "Qwen/Qwen2.5-72B-Instruct", .layout = "TP2 x PP3"}};
  const DeploymentFile again = read_again(deployment_file_text(file));
  EXPECT_EQ(again.name, "chat");
  EXPECT_EQ(again.host, "127.0.0.1");
  EXPECT_EQ(again.port, 9001);
  EXPECT_EQ(again.ladder, false);
  ASSERT_EQ(again.models.size(), 1U);
  EXPECT_EQ(again.models[0].id, "Qwen/Qwen2.5-72B-Instruct");
  EXPECT_EQ(again.models[0].layout, "TP2 x PP3");
}

TEST(DeploymentText, EveryWordOfACommandComesBack) {
  DeploymentFile file;
  file.models = {{.command = {"vllm", "serve", "m", R"({"a": "b\c"})", "two\nlines", "\x01\x7f",
                              "模型", "", " blank "},
                  .replicas = 3}};
  const DeploymentFile again = read_again(deployment_file_text(file));
  ASSERT_EQ(again.models.size(), 1U);
  EXPECT_EQ(again.models[0].command, file.models[0].command);
  EXPECT_EQ(again.models[0].replicas, 3);
  EXPECT_EQ(again.ladder, std::nullopt);
}

TEST(DeploymentText, BytesThatAreNoTextMakeNoFile) {
  DeploymentFile file;
  file.models = {{.command = {"vllm", "serve", "\xff"}}};
  EXPECT_EQ(deployment_file_text(file), "");
}

}  // namespace
}  // namespace sx
