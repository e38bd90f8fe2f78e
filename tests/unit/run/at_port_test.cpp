// The port of a command, told from the same number elsewhere.
#include "run/at_port.h"

#include <gmock/gmock.h>

namespace sx {
namespace {

using testing::ElementsAre;

EngineLaunch a_launch(std::vector<std::string> words) {
  EngineLaunch launch;
  launch.words = std::move(words);
  launch.port = 18100;
  return launch;
}

TEST(AtPort, AFlagsValueIsThePort) {
  const auto made = at_port(a_launch({"vllm", "serve", "m", "--port", "18100"}), 7);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->port, 7);
  EXPECT_THAT(made->words, ElementsAre("vllm", "serve", "m", "--port", "7"));
  EXPECT_EQ(at_port(a_launch({"x", "--port=18100"}), 7)->words.back(), "--port=7");
}

TEST(AtPort, BesideAColonANumberIsThePort) {
  EXPECT_EQ(at_port(a_launch({"x", "--advertise", "http://h:18100/v1"}), 7)->words.back(),
            "http://h:7/v1");
  EXPECT_EQ(at_port(a_launch({"docker", "-p", "127.0.0.1:18100:18100"}), 7)->words.back(),
            "127.0.0.1:7:7");
  EXPECT_EQ(at_port(a_launch({"docker", "-p", "18100:8000"}), 7)->words.back(), "7:8000");
}

TEST(AtPort, TheSameNumberElsewhereIsSomethingElse) {
  const auto made =
      at_port(a_launch({"llama-server", "-c", "18100", "--port", "18100", "m-18100.gguf"}), 7);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->words,
              ElementsAre("llama-server", "-c", "18100", "--port", "7", "m-18100.gguf"));
  EXPECT_EQ(at_port(a_launch({"x", "--port", "18100", "http://h:181007"}), 7)->words.back(),
            "http://h:181007");
}

TEST(AtPort, ACommandThatNamesNoneHasNone) {
  EXPECT_FALSE(at_port(a_launch({"serve.sh"}), 7));
  EXPECT_FALSE(at_port(a_launch({"serve.sh", "18100"}), 7));
}

}  // namespace
}  // namespace sx
