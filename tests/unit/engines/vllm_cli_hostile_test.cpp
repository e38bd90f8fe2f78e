// Lines that nobody means: they must end, and quickly.
#include <gtest/gtest.h>

#include "vllm_cli_line.h"

namespace sx {
namespace {

using testing_vllm::kNewest;

ServeSpec understood(const std::vector<std::string>& words) {
  Sources sources;
  Command command;
  command.source = sources.add({.kind = SourceKind::CommandLine, .text = " "});
  for (const char* word : {"vllm", "serve"})
    command.words.push_back({.text = word, .span = {command.source, 0, 0}});
  for (const auto& word : words)
    command.words.push_back({.text = word, .span = {command.source, 0, 0}});
  return vllm::understand(command, kNewest, sources, {});
}

TEST(VllmHostile, AsManyWordsAsAreRead) {
  for (const char* word : {"x", "--nonsense", "-tp"}) {
    EXPECT_EQ(understood(std::vector<std::string>(65'536, word)).problems.size(), 200U) << word;
  }
}

TEST(VllmHostile, TheSameWordAgainAndAgain) {
  for (const char* word : {"--max-num", "--", "--port=1", "--x.a", "-O", "", "-", "--enforce-eager",
                           "--hf-overrides.a=1"}) {
    EXPECT_LE(understood(std::vector<std::string>(4'096, word)).problems.size(), 200U) << word;
  }
}

TEST(VllmHostile, ProblemsPastTheLimitAreCounted) {
  const auto serve = understood(std::vector<std::string>(1'001, "x"));
  EXPECT_EQ(serve.problems.size(), 200U);
  EXPECT_EQ(serve.problems_left_out, 800U);
}

TEST(VllmHostile, AVeryLongValue) {
  const std::string value(1U << 20U, '9');
  const auto serve = understood({"m", "-tp", value, "--max-model-len=" + value, "--hf-overrides",
                                 '{' + value + '}', "--" + value});
  EXPECT_FALSE(serve.tensor_parallel.known());
  EXPECT_EQ(serve.problems.size(), 4U);
  EXPECT_LT(rendered(serve.tensor_parallel.why_unknown(), Language::English).size(), 200U);
}

TEST(VllmHostile, DotsAndBracketsWithoutEnd) {
  const std::string dots(100'000, '.');
  EXPECT_TRUE(understood({"m", "--hf-overrides" + dots + "x", "1", "--hf-overrides.b", "2"})
                  .hf_overrides.known());
  std::vector<std::string> many{"m"};
  for (int i = 0; i < 5'000; ++i) many.push_back("--hf-overrides.k" + std::to_string(i) + "=1");
  EXPECT_TRUE(understood(many).hf_overrides.known());
  EXPECT_FALSE(understood({"m", "--hf-overrides", '{' + std::string(100'000, '[') + '}',
                           "--hf-overrides.a", "1"})
                   .hf_overrides.known());
}

TEST(VllmHostile, BytesThatAreNoText) {
  const auto serve = understood({"\xFF\xFE", "-tp", "\xC0\x80", "--\xF0\x28", "--port",
                                 std::string("8\0000", 4), "--dtype=\xED\xA0\x80"});
  EXPECT_EQ(serve.model.value(), "\xFF\xFE");
  EXPECT_FALSE(serve.tensor_parallel.known());
  EXPECT_EQ(serve.problems.size(), 4U);
}

TEST(VllmHostile, DashesAlone) {
  for (const char* word : {"--", "-", "---", "--=", "-=", "--.", "-.", "--no-", "-O", "-O.",
                           "-O=", "--x=", "=", "+", "-.5", "-1"}) {
    understood({word});
    understood({"m", word, word});
    understood({"m", "-tp", word});
  }
}

}  // namespace
}  // namespace sx
