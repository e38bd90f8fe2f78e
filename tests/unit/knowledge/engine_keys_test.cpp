// Every engine that is launched says where its key stands, under names that it has.
#include "knowledge/engine_keys.h"

#include <gtest/gtest.h>

#include "knowledge/engine_life.h"
#include "knowledge/variables.h"

namespace sx {
namespace {

TEST(EngineKeys, EveryEngineThatIsLaunchedHasAPlaceForOne) {
  for (const char* engine : {"vllm", "sglang", "llamacpp"}) {
    ASSERT_NE(engine_life(engine), nullptr);
    EXPECT_FALSE(engine_key_places(engine).empty()) << engine;
  }
  EXPECT_TRUE(engine_key_places("tgi").empty());
}

TEST(EngineKeys, VariablesAreThoseThatTheEngineReads) {
  for (const char* engine : {"vllm", "sglang", "llamacpp"}) {
    for (const EngineKeyPlace& place : engine_key_places(engine)) {
      if (place.kind != EngineKeyPlace::Kind::Variable) continue;
      EXPECT_NE(find_variable(engine, place.name), nullptr) << place.name;
    }
  }
}

}  // namespace
}  // namespace sx
