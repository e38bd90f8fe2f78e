// Names of deployments, and where their folders lie.
#include "run/state_folder.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(DeploymentName, StandsInPathsAndOnCommandLines) {
  for (const char* good : {"default", "a", "0", "Qwen3-32B_fp8.v2"})
    EXPECT_TRUE(is_deployment_name(good)) << good;
  EXPECT_TRUE(is_deployment_name(std::string(64, 'x')));
  for (const char* bad : {"", ".", "..", ".hidden", "-x", "--detach", "a/b", "a b", "a\nb", "名字"})
    EXPECT_FALSE(is_deployment_name(bad)) << bad;
  EXPECT_FALSE(is_deployment_name(std::string(65, 'x')));
  EXPECT_FALSE(is_deployment_name(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace sx
