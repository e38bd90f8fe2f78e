// TOML with places: every value and key says where it stands.
#include "read/toml.h"

#include <gtest/gtest.h>

#include <chrono>

namespace sx {
namespace {

struct Case {
  Sources sources;
  TomlRead read;
  explicit Case(std::string text) {
    sources.add({.kind = SourceKind::File, .name = "sextant.toml", .text = std::move(text)});
    read = read_toml(sources, 0);
  }
  std::string_view at(const Span& span) const { return sources.text(span); }
};

TEST(Toml, ValuesAndTheirPlaces) {
  const Case one("名 = 1\n");  // bare keys are of ASCII letters
  EXPECT_TRUE(one.read.problem);
  const Case c(
      "name = \"通义\"\nport = 8000 # comment\n[log]\nfiles = [1, 2]\nx.y = true\nf = 1.5\n");
  ASSERT_FALSE(c.read.problem) << c.read.problem->words.english;
  const auto* port = c.read.table.find("port");
  ASSERT_NE(port, nullptr);
  EXPECT_EQ(port->value.integer, 8000);
  EXPECT_EQ(c.at(port->value.span), "8000");
  EXPECT_EQ(c.at(port->key_span), "port");
  EXPECT_EQ(c.at(c.read.table.find("name")->value.span), "\"通义\"");
  const auto* log = c.read.table.find("log");
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(log->value.find("files")->value.items.at(1).integer, 2);
  EXPECT_EQ(c.at(log->value.find("files")->value.items.at(1).span), "2");
  EXPECT_TRUE(log->value.find("x")->value.find("y")->value.truth);
  EXPECT_EQ(log->value.find("f")->value.number, 1.5);
  EXPECT_EQ(log->value.find("none"), nullptr);
}

TEST(Toml, ProblemsHaveAPlace) {
  const Case c("a = 1\nb = \nc = 2\n");
  ASSERT_TRUE(c.read.problem);
  EXPECT_EQ(place_of(c.sources.at(0), c.read.problem->span.begin).line, 2);
  EXPECT_FALSE(c.read.problem->words.chinese.empty());
  EXPECT_TRUE(Case("a = 1\na = 2\n").read.problem);
  EXPECT_TRUE(Case("a = \"\xFF\"\n").read.problem);
}

TEST(Toml, PlacesAreInBytesBehindOtherScripts) {
  const Case c("a = [\"通义千问\", 7]\nb = {c = \"é\", d = 8}\n");
  ASSERT_FALSE(c.read.problem);
  EXPECT_EQ(c.at(c.read.table.find("a")->value.items.at(1).span), "7");
  EXPECT_EQ(c.at(c.read.table.find("b")->value.find("d")->value.span), "8");
}

TEST(Toml, OtherScriptsOutsideOfQuotesAreUnderlined) {
  const Case c("name = \"通义\"  # 注释\nport = 8000。\n");
  ASSERT_TRUE(c.read.problem);
  EXPECT_EQ(c.at(c.read.problem->span), "。");
  for (const char* text : {"a = 1、", "é = 1", "a = \"x\n。", "a = 1979-05-2\xC9\xAA", "a = 'b'，"})
    EXPECT_TRUE(Case(text).read.problem) << text;
  for (const char* text : {R"(a = '''\ 。''''' # 。)", R"(a = """。\"""""")", R"("键" = '值\')",
                           "\xEF\xBB\xBF# 。\na = 1", R"(a = "\"。")", "a = ''\nb = \"\" # é"}) {
    const Case good(text);
    EXPECT_FALSE(good.read.problem) << text << ": " << good.read.problem->words.english;
  }
}

// A quote within a word begins no string; within a key it does, behind a dot.
TEST(Toml, OtherScriptsInQuotesWithinAWordAreUnderlined) {
  for (const char* text :
       {"a = 05-27T07:32:00^\"é\"\n", "a = 5.\"é\"\n", "a = 5='é'\n", "a = [1, 2\"é\"]\n",
        "a = [{b = 1, c = 2[\"é\"]}]\n", "a = [[1], 5\"é\"]\n", "a = [\n 5{\"é\"\n]\n",
        "a = {b = [1] , c = 1.'é'}\n", "a = 1 2.\"é\"\n", "a = [1] 2.\"é\"\n",
        "a = {b = 1} 2.\"é\"\n", "a = [{b = 1} 2.\"é\"]\n", "[a]\nb.c = 2.\"é\"\n"}) {
    const Case bad(text);
    ASSERT_TRUE(bad.read.problem) << text;
    EXPECT_EQ(bad.at(bad.read.problem->span), "é") << text;
  }
  for (const char* text :
       {"a.\"é\" = 1\n\"é\".b = 2\n", "[a.\"é\"]\n[[b.'é']]\n['é']\n", "a={\"é\"=1,b.\"é\"=2}\n",
        "a=[{b.\"é\"=1},{\"é\"=[1,2],c.\"é\"=3}]\n", "a=[\"é\",'é',\n# é\n\"é\"]\nb.\"é\" = 1\n",
        "a = 1#é\nb.'é' = 1979-05-27 07:32:00\n", "a=\"é\"\r\nb.\"é\"=1\r\n"}) {
    const Case good(text);
    EXPECT_FALSE(good.read.problem) << text << ": " << good.read.problem->words.english;
  }
}

TEST(Toml, ANulByteIsFoundAnywhere) {
  for (const std::string_view text :
       {std::string_view("[\0\0=1", 6), std::string_view("a = \"\0\"", 7),
        std::string_view("# \0", 3), std::string_view("\0", 1)})
    EXPECT_TRUE(Case(std::string(text)).read.problem);
}

// Each of its values once took a walk from the line's begin.
TEST(Toml, OneLongLineIsReadInTime) {
  std::string text = "a = [";
  for (int i = 0; i < 90'000; ++i) text += "1,2222222,";
  const auto began = std::chrono::steady_clock::now();
  const Case c(text.substr(0, 400'000) + "1]");
  EXPECT_FALSE(c.read.problem);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

// The library asserts on these.
TEST(Toml, TextsThatTheLibraryDoesNotExpectAreProblems) {
  for (const char* text : {" [[[[{[d5e", "a = [[{[b"}) EXPECT_TRUE(Case(text).read.problem) << text;
}

TEST(Toml, IsBounded) {
  EXPECT_TRUE(Case(std::string((1U << 20U) + 1, '#')).read.problem);
  EXPECT_TRUE(Case("a = " + std::string(5000, '[')).read.problem);
  std::string many = "a = [";
  for (int i = 0; i < 100'001; ++i) many += "1,";
  EXPECT_TRUE(Case(many + "]").read.problem);
  EXPECT_FALSE(Case("").read.problem);
}

// Each dot is a table within a table; so many of them once were more than the stack holds.
TEST(Toml, DotsNestAsBracketsDo) {
  const auto dots = [](int count) {
    std::string key = "a";
    for (int i = 0; i < count; ++i) key += i % 2 == 0 ? ".a" : " . 'b.c'";
    return key;
  };
  for (const int count : {65, 100, 50'000}) {
    EXPECT_TRUE(Case(dots(count) + " = 1\n").read.problem) << count;
    EXPECT_TRUE(Case("[" + dots(count) + "]\n").read.problem) << count;
    EXPECT_TRUE(Case("x = { " + dots(count) + " = 1 }\n").read.problem) << count;
  }
  EXPECT_FALSE(Case("[" + dots(30) + "]\nx." + dots(20) + " = 1.5\n").read.problem);
  std::string many;
  for (int i = 0; i < 500; ++i) many += "a" + std::to_string(i) + ".b = \"1.2.3\" # x.y.z\n";
  EXPECT_FALSE(Case(many).read.problem);
}

TEST(Toml, AByteOrderMarkMovesNoPlace) {
  const Case c("\xEF\xBB\xBFname = \"a\"\nb = 2\n");
  ASSERT_FALSE(c.read.problem);
  EXPECT_EQ(c.sources.text(c.read.table.find("name")->value.span), "\"a\"");
  EXPECT_EQ(c.sources.text(c.read.table.find("b")->value.span), "2");
}

}  // namespace
}  // namespace sx
