// Slips of the hand beside names that are other models.
#include "knowledge/model_slips.h"

#include <gtest/gtest.h>

#include <string>

namespace sx {
namespace {

TEST(ModelSlips, AreFound) {
  EXPECT_EQ(id_without_slip("Qwen/Qwen2.5-72B-Instuct"), "Qwen/Qwen2.5-72B-Instruct");
  EXPECT_EQ(id_without_slip("qwen/qwen2.5-72b-instructt"), "Qwen/Qwen2.5-72B-Instruct");
  EXPECT_EQ(id_without_slip("Qwen/Qwen2.5-72B_Instrct"), "Qwen/Qwen2.5-72B-Instruct");
  EXPECT_EQ(id_without_slip("Qwen/Qwen2.5-72BInstruct"), "Qwen/Qwen2.5-72B-Instruct");
  EXPECT_EQ(id_without_slip("meta-llama/Lama-3.1-8B-Instruct"), "meta-llama/Llama-3.1-8B-Instruct");
}

TEST(ModelSlips, AreNotOtherModels) {
  for (const char* other :
       {"Qwen/Qwen2.5-72B-Instruct",  // known
        "Qwen/Qwen2.5-71B-Instruct", "google/gemma-3-27b-xt", "Qwen/Qwen2.5-72B-Base",
        "somebody/Qwen2.5-72B-Instruct-tuned", "/models/qwen", "", "a"}) {
    EXPECT_FALSE(id_without_slip(other)) << other;
  }
}

TEST(ModelSlips, HostileNamesAreCheap) {
  EXPECT_FALSE(id_without_slip(std::string(1'000'000, 'a')));
  EXPECT_FALSE(id_without_slip(std::string(256, '-')));
  EXPECT_FALSE(id_without_slip("\xff\xfe/\x01\x02"));
}

}  // namespace
}  // namespace sx
