// Which names speak of a secret, and which only look like it.
#include "facts/secret_names.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(SecretNames, KeysTokensAndPasswords) {
  for (const char* name :
       {"--api-key", "--admin-api-key", "--hf-token", "--ssl-keyfile-password", "HF_TOKEN",
        "HUGGING_FACE_HUB_TOKEN", "VLLM_API_KEY", "S3_SECRET_ACCESS_KEY", "S3_ACCESS_KEY_ID",
        "DB_PASSWORD", "WEBHOOK_SECRET", "hf_token", "--api_key", "OTEL_EXPORTER_OTLP_HEADERS",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}) {
    EXPECT_TRUE(names_secret(name)) << name;
    EXPECT_TRUE(may_name_secret(name)) << name;
  }
}

TEST(SecretNames, CountsOfTokensAreNone) {
  for (const char* name :
       {"--bucket-time-to-first-token", "--kt-max-deferred-experts-per-token", "--tokenizer",
        "--max-num-batched-tokens", "SGLANG_USE_AITER_FP8_PER_TOKEN", "TOKENIZERS_PARALLELISM",
        "VLLM_MAX_TOKENS_PER_EXPERT_FP4_MOE", "--kv-cache-dtype", "--", ""}) {
    EXPECT_FALSE(names_secret(name)) << name;
  }
  for (const char* name : {"TOKENIZERS_PARALLELISM", "VLLM_MAX_TOKENS_PER_EXPERT_FP4_MOE",
                           "SGLANG_MAX_NEW_TOKENS_LIMIT", "VLLM_USE_V1", "CUDA_VISIBLE_DEVICES"}) {
    EXPECT_FALSE(may_name_secret(name)) << name;
  }
}

TEST(SecretNames, ASlipOfTheHandIsStillASecret) {
  for (const char* name : {"--api-keyy", "--apikey", "--ap-key", "--api_key", "--hf-tokn"})
    EXPECT_TRUE(nearly_names_secret(name)) << name;
  for (const char* name : {"--port", "--model", "--tokenizer", "--max-num-seqs", "--api-server"})
    EXPECT_FALSE(nearly_names_secret(name)) << name;
}

TEST(SecretNames, InDoubtAnyPartCounts) {
  for (const char* name : {"HF_TOKEN_2", "PROXY_AUTH_HEADER", "MY_KEY", "GIT_CREDENTIALS"}) {
    EXPECT_TRUE(may_name_secret(name)) << name;
  }
}

}  // namespace
}  // namespace sx
