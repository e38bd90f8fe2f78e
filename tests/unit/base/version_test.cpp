// Versions as package indexes and log lines write them, in the order of the releases.
#include "base/version.h"

#include <gtest/gtest.h>

#include <string>

namespace sx {
namespace {

Version at(std::string_view text) { return parse_version(text).value_or(Version{-1, 0, 0, 0, 0}); }

TEST(ParseVersion, ReadsItsParts) {
  EXPECT_EQ(at("0.8.5"), (Version{0, 8, 5, 0, 0}));
  EXPECT_EQ(at("v0.11.0"), (Version{0, 11, 0, 0, 0}));
  EXPECT_EQ(at("0.6.6.post1"), (Version{0, 6, 6, 0, 1}));
  EXPECT_EQ(at("0.18"), (Version{0, 18, 0, 0, 0}));
  EXPECT_EQ(at("12"), (Version{12, 0, 0, 0, 0}));
  EXPECT_EQ(at("0.11.0rc2").patch, 0);
  EXPECT_LT(at("0.11.0rc2").candidate, 0);
}

TEST(ParseVersion, LeavesTheRestAlone) {
  EXPECT_EQ(at("0.19.1+cu129"), at("0.19.1"));
  EXPECT_EQ(at("0.9.2 (V0)"), at("0.9.2"));
  EXPECT_EQ(at("0.6.x"), at("0.6"));
}

TEST(ParseVersion, IsNothingWithoutANumberToStartWith) {
  for (const char* bad : {"", "v", "main", ".1", "-1", " 0.8", "post1", "\xff"})
    EXPECT_FALSE(parse_version(bad)) << bad;
}

TEST(ParseVersion, SurvivesHugeNumbers) {
  EXPECT_TRUE(parse_version("99999999999999999999.1").has_value());
  EXPECT_TRUE(parse_version(std::string(10000, '9')).has_value());
}

TEST(Version, IsOrderedAsReleasesWereMade) {
  const char* in_order[] = {"0.6.6.dev3",  "0.6.6rc1", "0.6.6rc2", "0.6.6", "0.6.6.post1",
                            "0.6.6.post2", "0.7.0",    "0.10.2",   "0.9.2"};
  for (int i = 0; i + 2 < 9; ++i) EXPECT_LT(at(in_order[i]), at(in_order[i + 1])) << in_order[i];
  EXPECT_GT(at("0.10.2"), at("0.9.2"));  // by number, not by letter
}

TEST(Version, WritesWhatItRead) {
  for (const char* text : {"0.8.5", "0.6.6.post1", "0.11.0rc2", "1.2.3.dev"})
    EXPECT_EQ(at(text).text(), text);
  EXPECT_EQ(at("0.18").text(), "0.18.0");
  for (const char* text : {"0.8.5", "0.6.6.post1", "0.11.0rc2", "1.2.3.dev4"})
    EXPECT_EQ(at(at(text).text()), at(text));
}

}  // namespace
}  // namespace sx
