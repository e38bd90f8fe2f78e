// Which variables go down to whom: whole names and families, and nothing that holds our own
// secrets.
#include "knowledge/passed_variables.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

using enum VariableReader;

TEST(PassedVariables, NamesAreWholeAndFamiliesBeginSo) {
  EXPECT_TRUE(reads_variable(Program, "PATH"));
  EXPECT_FALSE(reads_variable(Program, "PATHS"));
  EXPECT_TRUE(reads_variable(Engine, "CUDA_VISIBLE_DEVICES"));
  EXPECT_TRUE(reads_variable(Engine, "TORCHINDUCTOR_CACHE_DIR"));
  EXPECT_FALSE(reads_variable(Engine, "MY_CUDA_X"));
  EXPECT_TRUE(reads_variable(Network, "no_proxy"));
  EXPECT_TRUE(reads_variable(ContainerClient, "DOCKER_HOST"));
  EXPECT_TRUE(reads_variable(ContainerClient, "XDG_RUNTIME_DIR"));
}

TEST(PassedVariables, EachGoesToItsReaderAlone) {
  EXPECT_FALSE(reads_variable(Engine, "DOCKER_HOST"));
  EXPECT_FALSE(reads_variable(Program, "NCCL_DEBUG"));
  for (const VariableReader reader : {Program, Network, Engine, ContainerClient}) {
    for (const char* secret : {"AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "OPENAI_API_KEY", ""})
      EXPECT_FALSE(reads_variable(reader, secret)) << secret;
  }
}

}  // namespace
}  // namespace sx
