// What must not leave the machine, and what must stay readable.
#include "check/scrub.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

struct Example {
  const char* given;
  const char* shown;
};

class Secrets : public testing::TestWithParam<Example> {};

TEST_P(Secrets, AreHiddenAndNothingElse) {
  EXPECT_EQ(without_secrets_in_text(GetParam().given), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Secrets,
    testing::Values(Example{"vllm serve m --api-key abc123 --port 80",
                            "vllm serve m --api-key *** --port 80"},
                    Example{"--api-key=abc123", "--api-key=***"},
                    Example{"non-default args: {'api_key': ['abc'], 'port': 80}",
                            "non-default args: {'api_key': ['***'], 'port': 80}"},
                    Example{"args: Namespace(api_key=None, host=None)",
                            "args: Namespace(api_key=None, host=None)"},
                    Example{"HF_TOKEN=hf_x python3", "HF_TOKEN=*** python3"},
                    Example{"token hf_abcdefghijklmnopqrstuvwx in words", "token *** in words"},
                    Example{"Authorization: Bearer abcdefghijk", "Authorization: ***"},
                    Example{"https://me:pass@host/x", "https://***@host/x"},
                    Example{"max_num_batched_tokens: 8192, max_tokens=5",
                            "max_num_batched_tokens: 8192, max_tokens=5"},
                    Example{"--api-key $KEY", "--api-key $KEY"}));

TEST(Hosts, AreNumberedAlikeEverywhere) {
  EXPECT_EQ(
      without_hosts("gpu-7:52:99 [0] 10.0.0.5<0> gpu-7 10.0.0.6 10.0.0.5 127.0.0.1", {"gpu-7"}),
      "host-1:52:99 [0] address-1<0> host-1 address-2 address-1 127.0.0.1");
  EXPECT_EQ(without_hosts("gpu-70 xgpu-7 2.27.5 1.2.3.4.5 999.1.1.1", {"gpu-7"}),
            "gpu-70 xgpu-7 2.27.5 1.2.3.4.5 999.1.1.1");
}

}  // namespace
}  // namespace sx
