// Bodies: chunks, the keys of JSON, the ends of events.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "gateway/body_keys.h"
#include "gateway/chunks.h"
#include "gateway/events.h"

namespace sx {
namespace {

struct Dechunked {
  std::string payload;
  std::size_t used = 0;
  bool done = false, broken = false;
};
Dechunked dechunked(std::string text, std::size_t step) {
  Dechunked all;
  ChunkReader reader;
  for (std::size_t at = 0; at < text.size() && !reader.done() && !reader.broken(); at += step) {
    const std::size_t size = std::min(step, text.size() - at);
    const auto piece = reader.read({text.data() + at, size});
    all.payload.append(text, at + piece.at, piece.payload);
    all.used = at + piece.used;
  }
  all.done = reader.done();
  all.broken = reader.broken();
  return all;
}

TEST(Chunks, GiveTheSamePayloadHoweverTheyAreCut) {
  const std::string frame = "5\r\nhello\r\n1;x=\"y\"\r\n \r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n";
  for (std::size_t step = 1; step <= frame.size() + 4; ++step) {
    const Dechunked all = dechunked(frame + "next", step);
    EXPECT_TRUE(all.done) << step;
    EXPECT_EQ(all.payload, "hello 0123456789") << step;
    EXPECT_EQ(all.used, frame.size()) << step;
  }
}

TEST(Chunks, AreHeldToTheLetter) {
  for (const std::string bad :
       {"5\nhello\r\n", "\r\n", "x\r\n", "+5\r\n", "-5\r\n", "0x5\r\n", " 5\r\n", "5\r\nhelloX",
        "5\r\nhello\n", "0\r\nT: 1\n", "0\r\n\r\r", "1000000000000000\r\n"}) {
    EXPECT_TRUE(dechunked(bad, 1).broken) << bad;
    EXPECT_TRUE(dechunked(bad, bad.size()).broken) << bad;
  }
  EXPECT_TRUE(dechunked("1;" + std::string(300, 'x'), 7).broken);
  EXPECT_TRUE(dechunked("0\r\n" + std::string(9000, 'x'), 7).broken);
}

TEST(BodyKeys, FindTheModelAnywhere) {
  for (const std::string json :
       {R"({"model":"toy"})",
        R"( { "messages" : [{"content":"\"model\":\"no\""}] , "model" : "toy" } )",
        R"({"a":{"model":"no","b":[{}]},"c":null,"d":-1.5e3,"model":"toy","e":true})",
        R"({"mod\u0065l":"t\u006fy"})", R"({"model":"no","model":"toy"})",
        R"({"x":"\\","model":"toy","y":"\\\""})"}) {
    const BodyKeys keys = find_body_keys(json);
    EXPECT_TRUE(keys.object) << json;
    EXPECT_EQ(keys.model, "toy") << json;
  }
}

TEST(BodyKeys, SayWhatIsNoObject) {
  for (const std::string json : {"", "[]", "7", "{", R"({"model":"toy")", R"({"model":"toy)",
                                 R"({"a":[})", R"({model:"toy"})", R"({"model" "toy"})"})
    EXPECT_FALSE(find_body_keys(json).object) << json;
  EXPECT_TRUE(find_body_keys("{}").object);
}

TEST(BodyKeys, AModelMayBeAbsentOrNoString) {
  EXPECT_FALSE(find_body_keys(R"({"messages":[]})").model);
  EXPECT_TRUE(find_body_keys(R"({"messages":[]})").model_is_text);
  EXPECT_FALSE(find_body_keys(R"({"model":null})").model_is_text);
  EXPECT_FALSE(find_body_keys(R"({"model":")" + std::string(600, 'm') + "\"}").model_is_text);
  EXPECT_TRUE(find_body_keys(R"({"stream": true})").stream);
}

TEST(BodyKeys, OfAForm) {
  const std::string form =
      "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n\x01\x02\r\n--b\r\n"
      "Content-Disposition: form-data; name=\"model\"\r\n\r\nwhisper\r\n--b--\r\n";
  EXPECT_EQ(model_of_form(form), "whisper");
  EXPECT_FALSE(model_of_form("--b\r\n"));
}

TEST(Events, EndAtBlankLinesOfAnyKind) {
  EXPECT_EQ(last_event_end("data: a\n\ndata: b"), 9U);
  EXPECT_EQ(last_event_end("data: a\r\n\r\ndata"), 11U);
  EXPECT_EQ(last_event_end("data: a\r\rdata"), 9U);
  EXPECT_EQ(last_event_end("data: a\ndata: b\n"), 0U);
  EXPECT_EQ(last_event_end(""), 0U);
  EXPECT_EQ(last_event_end("\n"), 0U);
}

TEST(Events, EndsAreFoundWhatEverWasSeenBefore) {
  const std::string text = "data: a\r\n\r\n";
  for (std::size_t seen = 0; seen < text.size(); ++seen)
    EXPECT_EQ(last_event_end(text, seen), text.size()) << seen;
}

TEST(Events, KnowTheLastOne) {
  EXPECT_TRUE(says_done("data: x\n\ndata: [DONE]\n\n"));
  EXPECT_FALSE(says_done("data: x\n\n"));
}

}  // namespace
}  // namespace sx
