// Tokens in the streams of three engines, in pieces of any size.
#include "run/token_stream.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

constexpr std::string_view kStream =
    "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n"
    ": keep-alive\n\n"
    "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":null}\n\n"
    "data: {\"choices\":[{\"delta\":{\"content\": \"b\"}}]}\r\n\r\n"
    "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"c\"}}]}\n\n"
    "data: {\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"length\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3}}\n\n"
    "data: [DONE]\n\n";

TEST(TokenStream, CountsEventsWithTextHoweverTheyArrive) {
  for (std::size_t piece = 1; piece < kStream.size(); ++piece) {
    TokenStream stream;
    int texts = 0;
    for (std::size_t at = 0; at < kStream.size(); at += piece)
      texts += stream.feed(kStream.substr(at, piece));
    ASSERT_EQ(texts, 3) << piece;
    ASSERT_TRUE(stream.done());
    ASSERT_EQ(stream.prompt_tokens(), 12);
    ASSERT_EQ(stream.output_tokens(), 3);
    ASSERT_EQ(stream.error(), "");
  }
}

TEST(TokenStream, AnErrorInTheStreamIsKept) {
  TokenStream stream;
  EXPECT_EQ(stream.feed("data: {\"error\":{\"message\":\"out of memory\"}}\n\n"), 0);
  EXPECT_NE(stream.error().find("out of memory"), std::string::npos);
  EXPECT_FALSE(stream.done());
}

TEST(TokenStream, ALineWithoutEndIsPassedOver) {
  TokenStream stream;
  const std::string much(std::size_t{3} << 20U, 'x');
  EXPECT_EQ(stream.feed("data: {\"content\":\"" + much), 0);
  EXPECT_EQ(stream.feed("\"}\ndata: {\"content\":\"a\"}\n"), 1);
}

TEST(TokenStream, NumbersThatAreNoneAreNotTold) {
  TokenStream stream;
  stream.feed("data: {\"usage\":{\"prompt_tokens\":-4,\"completion_tokens\":\"x\"}}\n");
  stream.feed("data: {\"usage\":{\"prompt_tokens\":1e300}}\n");
  EXPECT_EQ(stream.prompt_tokens(), -1);
  EXPECT_EQ(stream.output_tokens(), -1);
}

}  // namespace
}  // namespace sx
