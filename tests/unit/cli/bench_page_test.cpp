// What the page of `bench serve` says of requests that were not answered, in both languages.
#include "cli/bench_page.h"

#include <gtest/gtest.h>

#include "cli/http_place.h"

namespace sx {
namespace {

std::string page(Language language) {
  BenchFigures figures{
      .address = "http://127.0.0.1:8000", .model = "toy", .users = 2, .failures = {}};
  figures.failed = 4;
  figures.failures = {{"status 503", 2}, {"the stream was cut", 1}, {"connection refused", 1}};
  const std::optional<BenchFigures> none;
  return bench_page({.now = figures, .before = none, .language = language, .width = 100});
}

TEST(BenchPage, SaysHowRequestsEndedInEnglish) {
  const std::string text = page(Language::English);
  for (const char* words :
       {"2 x answered with status 503", "1 x the stream was cut", "1 x nobody listens there"})
    EXPECT_NE(text.find(words), std::string::npos) << words << '\n' << text;
}

TEST(BenchPage, AndInChineseWhereTheWordsAreOurs) {
  const std::string text = page(Language::Chinese);
  for (const char* words :
       {"2 次：以状态码 503 应答", "1 次：流中途断开", "1 次：该地址上没有监听者"})
    EXPECT_NE(text.find(words), std::string::npos) << words << '\n' << text;
  EXPECT_EQ(text.find("the stream"), std::string::npos);
}

TEST(BenchPage, AWarmUpSaysWhatIsOpenAndNotWhatIsNotYetThere) {
  const auto line = [](const LoadNow& now) { return load_line(now, {}, 100, Language::English); };
  EXPECT_EQ(line({.seconds = -3.5, .open = 8}), "warm-up, 4 s left, 8 requests open");
  EXPECT_EQ(line({.seconds = -3.5, .open = 8, .failed = 2}),
            "warm-up, 4 s left, 8 requests open, 2 failed");
}

TEST(BenchPage, AddressesArePlacesWithOrWithoutAPort) {
  const auto place = [](std::string_view url) {
    const auto told = http_place(url);
    return told ? told->host + ' ' + std::to_string(told->port) + (told->tls ? " TLS" : "")
                : told.error().what;
  };
  EXPECT_EQ(place("http://127.0.0.1:8000"), "127.0.0.1 8000");
  EXPECT_EQ(place("http://[::1]:8000/v1/"), "::1 8000");
  EXPECT_EQ(place("http://[fd00::7]"), "fd00::7 80");
  EXPECT_EQ(place("http://box/"), "box 80");
  EXPECT_EQ(place("https://box:1"), "box 1 TLS");
  EXPECT_EQ(place("https://[::1]/v1"), "::1 443 TLS");
  for (const char* wrong : {"", "box:1", "http://", "http://:1", "http://a:0", "http://a:65536",
                            "http://a/b", "https://", "http://[::1", "http://[]:1", "http://[x]:1",
                            "http://::1:8000", "http://u@h:1", "http://a:1?b"})
    EXPECT_NE(place(wrong).find("--url takes"), std::string::npos) << wrong;
}

}  // namespace
}  // namespace sx
