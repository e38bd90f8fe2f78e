// Heads: what is read, and what is refused with which fault.
#include "gateway/http_head.h"

#include <gtest/gtest.h>

#include <string>

namespace sx {
namespace {

std::string with(std::string_view fields, std::string_view line = "POST /v1/x HTTP/1.1") {
  return std::string(line) + "\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

struct Bad {
  std::string_view fields;
  HeadFault fault;
};
class RefusedHead : public testing::TestWithParam<Bad> {};

TEST_P(RefusedHead, SaysItsFault) {
  const std::string text = with(GetParam().fields);
  const auto head = read_request_head(text);
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error(), GetParam().fault);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, RefusedHead,
    testing::Values(
        Bad{"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", HeadFault::LengthAndChunks},
        Bad{"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", HeadFault::LengthAndChunks},
        Bad{"Content-Length: 3\r\nContent-Length: 3\r\n", HeadFault::TwoLengths},
        Bad{"Content-Length: 3\r\ncontent-length: 4\r\n", HeadFault::TwoLengths},
        Bad{"Content-Length: 3, 3\r\n", HeadFault::BadLength},
        Bad{"Content-Length: +3\r\n", HeadFault::BadLength},
        Bad{"Content-Length: 0x3\r\n", HeadFault::BadLength},
        Bad{"Content-Length:\r\n", HeadFault::BadLength},
        Bad{"Transfer-Encoding: gzip, chunked\r\n", HeadFault::BadEncoding},
        Bad{"Transfer-Encoding: identity\r\n", HeadFault::BadEncoding},
        Bad{"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", HeadFault::BadEncoding},
        Bad{"X: a\r\n b\r\n", HeadFault::FoldedLine},
        Bad{"X: a\nY: b\r\n", HeadFault::BareLineFeed}, Bad{"X: a\rb\r\n", HeadFault::NotHttp},
        Bad{"X : a\r\n", HeadFault::NotHttp}, Bad{"no colon\r\n", HeadFault::NotHttp},
        Bad{"Host: b\r\n", HeadFault::BadHost}));

TEST(RequestHead, IsReadInItsOwnWords) {
  const std::string text = with("Content-Length: 12\r\nX-Y:  z \r\nConnection: close, x-y\r\n");
  const auto head = read_request_head(text);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->method, "POST");
  EXPECT_EQ(head->target, "/v1/x");
  EXPECT_EQ(head->body, BodyKind::Sized);
  EXPECT_EQ(head->body_bytes, 12U);
  EXPECT_FALSE(head->keep_alive);
  EXPECT_EQ(field_value(head->fields, "x-y"), "z");
}

TEST(RequestHead, OldOnesCloseUnlessTheySayOtherwise) {
  const std::string old = "GET / HTTP/1.0\r\n\r\n";
  const std::string stays = "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";
  ASSERT_TRUE(read_request_head(old));
  EXPECT_FALSE(read_request_head(old)->keep_alive);
  EXPECT_TRUE(read_request_head(stays)->keep_alive);
  const std::string chunked = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(read_request_head(chunked).error(), HeadFault::BadEncoding);
}

TEST(RequestHead, NeedsOneHostAndAVersionWeSpeak) {
  EXPECT_EQ(read_request_head("GET / HTTP/1.1\r\n\r\n").error(), HeadFault::BadHost);
  EXPECT_EQ(read_request_head("GET / HTTP/2.0\r\nHost: a\r\n\r\n").error(),
            HeadFault::OtherVersion);
}

TEST(RequestHead, HasAtMost128Fields) {
  std::string fields;
  for (int i = 0; i < 127; ++i) fields += "X: a\r\n";
  EXPECT_TRUE(read_request_head(with(fields)));
  EXPECT_EQ(read_request_head(with(fields + "X: a\r\n")).error(), HeadFault::TooManyFields);
}

TEST(RequestHead, SeesUpgradesAndExpectations) {
  EXPECT_TRUE(read_request_head(with("Connection: keep-alive, Upgrade\r\n"))->upgrades);
  EXPECT_TRUE(read_request_head(with("", "CONNECT a:1 HTTP/1.1"))->upgrades);
  const std::string_view java = "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA\r\n";
  EXPECT_FALSE(read_request_head(with(std::string(java) + "Upgrade: h2c\r\n"))->upgrades);
  EXPECT_TRUE(read_request_head(with(std::string(java) + "Upgrade: websocket\r\n"))->upgrades);
  EXPECT_TRUE(read_request_head(with("Expect: 100-Continue\r\n"))->expects_continue);
}

TEST(ResponseHead, KnowsHowItsBodyEnds) {
  const auto kind = [](std::string_view fields, std::string_view status, bool to_head = false) {
    const std::string text =
        "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(fields) + "\r\n";
    const auto head = read_response_head(text, to_head);
    EXPECT_TRUE(head);
    return head ? head->body : BodyKind::None;
  };
  EXPECT_EQ(kind("Content-Length: 3\r\n", "200 OK"), BodyKind::Sized);
  EXPECT_EQ(kind("Content-Length: 0\r\n", "200 OK"), BodyKind::None);
  EXPECT_EQ(kind("Transfer-Encoding: chunked\r\n", "200 OK"), BodyKind::Chunked);
  EXPECT_EQ(kind("", "200 OK"), BodyKind::UntilClose);
  EXPECT_EQ(kind("Content-Length: 3\r\n", "304 Not Modified"), BodyKind::None);
  EXPECT_EQ(kind("Content-Length: 3\r\n", "200 OK", true), BodyKind::None);
}

TEST(HeadEnd, IsFoundHoweverTheBytesCome) {
  const std::string text = with("X: a\r\n") + "body\r\n\r\n";
  const std::size_t wanted = text.find("\r\n\r\n") + 4;
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const HeadEnd first = find_head_end(std::string_view(text).substr(0, cut), 0);
    const HeadEnd second = first.end > 0 ? first : find_head_end(text, first.from);
    EXPECT_EQ(second.end, wanted) << cut;
  }
  EXPECT_TRUE(find_head_end("GET / HTTP/1.1\nHost", 0).bare);
}

// The names of the fields that would go on to the next connection.
std::string going_on(std::string_view fields) {
  const std::string text = with(fields);
  const auto head = read_request_head(text);
  std::string names;
  for (const HeadField& field : head ? head->fields : std::vector<HeadField>{})
    if (!of_this_connection(field)) names.append(field.name).append(" ");
  return names;
}

TEST(ThisConnection, KeepsWhatConnectionNames) {
  EXPECT_EQ(going_on("X-Mine: 1\r\nTE: trailers\r\nConnection: x-mine\r\n"), "Host ");
  EXPECT_EQ(going_on("X-Mine: 1\r\nConnection: keep-alive\r\n"), "Host X-Mine ");
}

TEST(ThisConnection, IsSaidInAnyNumberOfFields) {
  const std::string two = "Connection: keep-alive, x-a\r\nX-A: 1\r\nX-B: 2\r\nConnection: X-B\r\n";
  EXPECT_EQ(going_on(two), "Host ");
  const auto close = [](std::string_view fields) {
    return !read_request_head(with(fields))->keep_alive;
  };
  EXPECT_TRUE(close("Connection: keep-alive\r\nConnection: close\r\n"));
  EXPECT_TRUE(close("Connection:\r\nConnection: close\r\n"));
  EXPECT_FALSE(close("Connection: keep-alive\r\nConnection: x-a\r\n"));
  EXPECT_TRUE(read_request_head(with("Connection: x\r\nConnection: upgrade\r\n"))->upgrades);
  EXPECT_EQ(read_request_head(with("Connection: close\r\nConnection: a b\r\n")).error(),
            HeadFault::NotHttp);
  const std::string answer =
      "HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  EXPECT_FALSE(read_response_head(answer, false)->keep_alive);
}

}  // namespace
}  // namespace sx
