// A name that the gateway cannot pass on is refused before anything starts, with the flag that
// gives another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gather/gather_command.h"
#include "gather/outside.h"
#include "run/engine_launch.h"

namespace sx {
namespace {

// The model's name, or "!" and the reason.
std::string name_of(const std::vector<std::string>& argv) {
  Sources sources;
  const Outside outside = real_outside();
  const auto gathered = gather_commands(sources, {.argv = argv}, outside);
  if (!gathered) return "!" + gathered.error().what;
  const auto made = engine_launch(gathered->launches.at(0), {.port = 18100});
  return made ? made->model : "!" + made.error().what;
}

TEST(ServedName, GoesThroughTheGateway) {
  EXPECT_EQ(name_of({"llama-server", "-m", "模型 a.gguf"}), "模型 a.gguf");
  EXPECT_EQ(name_of({"llama-server", "-m", std::string(512, 'a')}), std::string(512, 'a'));
  for (const std::string odd : {"a\nb", "a\rb", "a\xff"}) {
    EXPECT_THAT(name_of({"llama-server", "-m", odd}),
                testing::StartsWith("!the model's name is not one line of UTF-8"));
    EXPECT_EQ(name_of({"llama-server", "-m", odd, "--alias", "a"}), "a");
  }
  EXPECT_THAT(name_of({"vllm", "serve", std::string(513, 'a')}),
              testing::HasSubstr("longer than 512 bytes"));
}

}  // namespace
}  // namespace sx
