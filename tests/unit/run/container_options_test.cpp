// Container options under which nothing would start.
#include <gtest/gtest.h>

#include <string>

#include "run/deployment_file.h"

namespace sx {
namespace {

std::string first_fault(const std::string& options) {
  Sources sources;
  sources.add({.kind = SourceKind::File,
               .name = "sextant.toml",
               .text = "[model]\nid = \"m\"\nimage = \"vllm/vllm-openai:v0.11.0\"\n"
                       "container_options = " +
                       options + '\n'});
  const DeploymentRead read = read_deployment_file(sources, 0);
  return read.faults.empty() ? "" : rendered(read.faults.front().title, Language::English);
}

TEST(ContainerOptions, HelpIsNoWayToStartAContainer) {
  EXPECT_EQ(first_fault("[\"--help\"]"), "--help cannot stand among the container options");
  EXPECT_EQ(first_fault("[\"--init\"]"), "");
}

TEST(ContainerOptions, AnEmptyWordIsSeen) {
  EXPECT_EQ(first_fault("[\"\"]"), "\"\" is no option and no value of one");
}

}  // namespace
}  // namespace sx
