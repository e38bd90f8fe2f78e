// What answers say of their tokens, found at their end.
#include "gateway/usage.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(Usage, OfAWholeAnswer) {
  const auto usage =
      usage_in(R"({"choices":[{"message":{"content":"\"usage\":{\"prompt_tokens\":1}"}}],)"
               R"("usage":{"prompt_tokens":12,"total_tokens":30,"completion_tokens":18,)"
               R"("prompt_tokens_details":null}})");
  EXPECT_EQ(usage.prompt, 12U);
  EXPECT_EQ(usage.answer, 18U);
}

TEST(Usage, WithBlanksAsPythonWritesThem) {
  const auto usage =
      usage_in("{ \"usage\" : { \"prompt_tokens\" : 7 , \"completion_tokens\": 9 } }");
  EXPECT_EQ(usage.prompt, 7U);
  EXPECT_EQ(usage.answer, 9U);
}

TEST(Usage, InTheWordsOfOtherSurfaces) {
  const auto usage = usage_in(R"({"usage":{"input_tokens":5,"output_tokens":6}})");
  EXPECT_EQ(usage.prompt, 5U);
  EXPECT_EQ(usage.answer, 6U);
}

TEST(Usage, IsLookedForAtTheEndAlone) {
  const std::string usage = R"("usage":{"prompt_tokens":12,"completion_tokens":18}})";
  EXPECT_EQ(usage_in("{" + std::string(100'000, ' ') + usage).prompt, 12U);
  EXPECT_FALSE(usage_in("{" + usage + std::string(100'000, ' ')).prompt);
}

TEST(Usage, UnknownIsNeverZero) {
  for (const char* text :
       {"", "{}", R"({"usage":null})", R"({"usage":{}})", R"({"usage":{"prompt_tokens":null}})",
        R"({"usage":{"prompt_tokens":-1}})", R"({"usage":{"prompt_tokens":12)",
        R"({"usage":{"prompt_tokens":99999999999999999999}})", R"({"usage":{"prompt_tokens")",
        R"("usage")", R"({"content":"\"usage\":{\"prompt_tokens\":5}"})"}) {
    EXPECT_FALSE(usage_in(text).prompt) << text;
    EXPECT_FALSE(usage_in(text).answer) << text;
  }
}

TEST(Usage, OfEventsIsLookedForInTheLastOne) {
  const std::string delta = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
  const std::string usage =
      R"(data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}})"
      "\n\n";
  const std::string done = "data: [DONE]\n\n";
  for (const auto& text : {usage, usage + done, delta + usage, delta + usage + done}) {
    const auto found = usage_in_events(text, Surface::OpenAi);
    EXPECT_EQ(found.prompt, 3U) << text;
    EXPECT_EQ(found.answer, 4U) << text;
  }
  for (const auto& text : {delta, done, delta + done, std::string()})
    EXPECT_FALSE(usage_in_events(text, Surface::OpenAi).prompt) << text;
}

TEST(Usage, OfAnthropicsEventsComesInTwoParts) {
  TokenUsage all;
  merge(all, usage_in_events("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{"
                             "\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\n",
                             Surface::Anthropic));
  merge(all, usage_in_events("event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{"
                             "\"output_tokens\":15}}\n\nevent: message_stop\ndata: "
                             "{\"type\":\"message_stop\"}\n\n",
                             Surface::Anthropic));
  EXPECT_EQ(all.prompt, 25U);
  EXPECT_EQ(all.answer, 15U);
}

TEST(Events, AreCountedWhereTheyCarrySomething) {
  EXPECT_EQ(count_events("data: a\n\n"), 1U);
  EXPECT_EQ(count_events("data: a\r\n\r\ndata: b\r\n\r\n"), 2U);
  EXPECT_EQ(count_events("event: x\ndata: a\n\n"), 1U);
  EXPECT_EQ(count_events(": keep-alive\n\n"), 0U);
  EXPECT_EQ(count_events(": note\ndata: a\n\n"), 1U);
  EXPECT_EQ(count_events("data: a\n\ndata: [DONE]\n\n"), 1U);
  EXPECT_EQ(count_events("\n\n\n"), 0U);
  EXPECT_EQ(count_events("data: cut"), 0U);
  EXPECT_EQ(count_events(""), 0U);
}

TEST(AnswerTails, KeepTheEndHoweverItComes) {
  std::string whole;
  for (int i = 0; i < 3000; ++i) whole += static_cast<char>('a' + i % 26);
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1023},
                                 std::size_t{1024}, std::size_t{1025}, std::size_t{3000}}) {
    AnswerTail tail;
    for (std::size_t at = 0; at < whole.size(); at += step)
      tail.add(std::string_view(whole).substr(at, step));
    EXPECT_EQ(tail.text(), std::string_view(whole).substr(whole.size() - 1024)) << step;
  }
  AnswerTail brief;
  brief.add("ab");
  brief.add("c");
  EXPECT_EQ(brief.text(), "abc");
}

}  // namespace
}  // namespace sx
