// What the JSON reader takes, what it refuses and where, and what it notes.
#include "read/json.h"

#include <gtest/gtest.h>

#include <string>

namespace sx {
namespace {

std::string problem(const std::string& text) {
  const auto document = JsonDocument::parse(text);
  return document ? "taken" : document.error().what;
}

std::string notes(const std::string& text) {
  const auto document = JsonDocument::parse(text);
  if (!document) return document.error().what;
  std::string all;
  for (const JsonNote& note : document->notes()) {
    constexpr std::string_view kWords[] = {"comment", "comma", "repeated", "not utf-8",
                                           "not finite"};
    all += std::string(kWords[static_cast<std::size_t>(note.kind)]) + " '" +
           text.substr(note.begin, note.end - note.begin) + "';";
  }
  return all;
}

TEST(Json, FindsMembersAndElements) {
  const std::string text = R"({"a": [1, "two", {"b": null}], "c": true, "empty": {}})";
  const auto document = JsonDocument::parse(text);
  ASSERT_TRUE(document) << document.error().what;
  const JsonValue root = document->root();
  EXPECT_EQ(root.size(), 3U);
  EXPECT_EQ(root["a"].elements().size(), 3U);
  EXPECT_EQ(root["a"].first().integer(), 1);
  EXPECT_EQ(root["a"].first().next().string(), "two");
  EXPECT_TRUE(root["a"].elements()[2]["b"].is(JsonKind::Null));
  EXPECT_EQ(root["c"].boolean(), true);
  EXPECT_FALSE(root["empty"].first());
  EXPECT_EQ(root["c"].key(), "c");
}

TEST(Json, AnAbsentValueAnswersNothing) {
  const JsonValue absent;
  EXPECT_FALSE(absent["a"]["b"].first().next());
  EXPECT_FALSE(absent.integer() || absent.number() || absent.boolean() || absent.string());
  EXPECT_EQ(absent.size(), 0U);
  EXPECT_TRUE(absent.elements().empty());
  EXPECT_EQ(absent.raw(), "");
  EXPECT_EQ(absent.key(), "");
  EXPECT_EQ(absent.span(3), Span{});
}

TEST(Json, RemembersPlaces) {
  const std::string text = "{\n  \"layers\" : 80 ,\n  \"x\": [7]\n}";
  const auto document = JsonDocument::parse(text);
  ASSERT_TRUE(document);
  const Span value = document->root()["layers"].span(5);
  EXPECT_EQ(value.source, 5);
  EXPECT_EQ(text.substr(value.begin, value.end - value.begin), "80");
  const Span member = document->root()["layers"].member_span(5);
  EXPECT_EQ(text.substr(member.begin, member.end - member.begin), "\"layers\" : 80");
  const Span element = document->root()["x"].first().member_span(5);
  EXPECT_EQ(text.substr(element.begin, element.end - element.begin), "7");
  EXPECT_EQ(document->root()["x"].raw(), "[7]");
}

TEST(Json, Numbers) {
  struct Row {
    std::string text;
    std::optional<std::int64_t> integer;
    std::optional<double> number;
  };
  const Row rows[] = {
      {"0", 0, 0.0},
      {"-7", -7, -7.0},
      {"1e3", 1000, 1000.0},
      {"4.0", 4, 4.0},
      {"4.5", {}, 4.5},
      {"9223372036854775807", 9223372036854775807, 9223372036854775807.0},
      {"9223372036854775808", {}, 9223372036854775808.0},
      {"1000000000000000019884624838656",
       {},
       1000000000000000019884624838656.0},  // as tokenizers write "no limit"
      {"1e400", {}, {}},
      {"-1e400", {}, {}},
      {"1e18", {}, 1e18},  // beyond what a double counts exactly
      {"NaN", {}, {}},
      {"Infinity", {}, {}},
      {"-Infinity", {}, {}},
  };
  for (const Row& row : rows) {
    const auto document = JsonDocument::parse(row.text);
    ASSERT_TRUE(document) << row.text;
    EXPECT_EQ(document->root().integer(), row.integer) << row.text;
    EXPECT_EQ(document->root().number(), row.number) << row.text;
  }
}

TEST(Json, AnswersOfAnotherKindAreNothing) {
  const std::string text = R"(["12", true, 12, null])";
  const auto document = JsonDocument::parse(text);
  ASSERT_TRUE(document);
  const auto all = document->root().elements();
  EXPECT_FALSE(all[0].integer());
  EXPECT_FALSE(all[1].number());
  EXPECT_FALSE(all[2].string());
  EXPECT_FALSE(all[2].boolean());
  EXPECT_FALSE(all[3].string());
}

TEST(Json, Escapes) {
  const auto text_of = [](const std::string& json) {
    const auto document = JsonDocument::parse(json);
    return document ? document->root().string().value_or("no string") : document.error().what;
  };
  EXPECT_EQ(text_of(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(text_of(R"("\u00e9\u4e2d")"), "é中");
  EXPECT_EQ(text_of(R"("\ud83d\ude00")"), "\U0001F600");
  EXPECT_EQ(text_of(R"("\ud83d")"), "\uFFFD");
  EXPECT_EQ(text_of(R"("\ude00x")"), "\uFFFDx");
  EXPECT_EQ(text_of(R"("\ud83d\u0041")"),
            "\uFFFD"
            "A");
  EXPECT_EQ(text_of(R"("\ud83d\ud83d\ude00")"), "\uFFFD\U0001F600");
  EXPECT_EQ(text_of("\"\\u0000\""), std::string(1, '\0'));
  EXPECT_EQ(text_of(R"("\x41")"),
            "line 1, column 2: a backslash stands before a letter that it cannot stand before");
  EXPECT_EQ(text_of(R"("\u12g4")"), "line 1, column 2: \\u needs four hexadecimal digits");
}

TEST(Json, AKeyMayBeEscaped) {
  const std::string text = R"({"\u0061": 1})";
  const auto document = JsonDocument::parse(text);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root()["a"].integer(), 1);
  EXPECT_EQ(document->root().first().key(), "a");
}

TEST(Json, TheLastOfARepeatedKeyCounts) {
  const std::string text = R"({"a": 1, "b": 2, "a": 3})";
  const auto document = JsonDocument::parse(text);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root()["a"].integer(), 3);
  EXPECT_EQ(notes(text), "repeated '\"a\"';");
}

TEST(Json, TakesWhatPythonAndPeopleWrite) {
  EXPECT_EQ(notes("{\"a\": 1}"), "");
  EXPECT_EQ(notes("\xEF\xBB\xBF{\"a\": 1}"), "");
  EXPECT_EQ(notes("{\"a\": NaN, \"b\": -Infinity}"), "not finite 'NaN';not finite '-Infinity';");
  EXPECT_EQ(notes("// c\n{\"a\": /* d */ 1}"), "comment '// c';comment '/* d */';");
  EXPECT_EQ(notes("[1, 2,]"), "comma ',';");
  EXPECT_EQ(notes("{\"a\": 1 ,\n}"), "comma ',';");
  EXPECT_EQ(notes("[\"caf\xE9\"]"), "not utf-8 '\xE9';");
  EXPECT_EQ(notes("[\"caf\xC3\xA9 \xF0\x9F\x98\x80\"]"), "");
  EXPECT_EQ(notes("[\"\xED\xA0\x80\"]"), "not utf-8 '\xED';not utf-8 '\xA0';not utf-8 '\x80';");
}

TEST(Json, SaysWhereATextIsWrong) {
  const struct {
    std::string text;
    std::string problem;
  } rows[] = {
      {"", "line 1, column 1: the text is empty"},
      {" \n ", "line 2, column 2: the text is empty"},
      {"{\n \"a\" 1}", "line 2, column 6: a colon is missing after the name"},
      {"{\"a\": 1 \"b\": 2}", "line 1, column 9: a comma or } is missing"},
      {"[1 2]", "line 1, column 4: a comma or ] is missing"},
      {"[1, 2", "line 1, column 6: the text ends, and the [ of line 1 is still open"},
      {"{\"a\": [\n1,\n", "line 3, column 1: the text ends, and the [ of line 1 is still open"},
      {"{\"a\":", "line 1, column 6: the text ends where a value should stand"},
      {"{a: 1}", "line 1, column 2: a name in quotes is missing"},
      {"{,}", "line 1, column 2: a name in quotes is missing"},
      {"[,]", "line 1, column 2: a value is missing"},
      {"[1,,2]", "line 1, column 4: a value is missing"},
      {"\"abc", "line 1, column 1: the quote that opens here is never closed"},
      {"\"a\nb\"", "line 1, column 3: a control character or line end stands inside a string"},
      {"\"a\\", "line 1, column 3: the text ends inside a string"},
      {"01", "line 1, column 2: a number begins with 0"},
      {"-", "line 1, column 2: a digit is missing"},
      {"1.", "line 1, column 3: a digit is missing"},
      {"1e+", "line 1, column 4: a digit is missing"},
      {"+1", "line 1, column 1: a value is missing"},
      {"tru", "line 1, column 1: a value is missing"},
      {"nan", "line 1, column 1: a value is missing"},
      {"{} x", "line 1, column 4: something follows after the end of the value"},
      {"/* x", "line 1, column 1: the comment that opens here is never closed"},
      {"é", "line 1, column 1: a value is missing"},
      {"[\"é\" x]", "line 1, column 6: a comma or ] is missing"},
  };
  for (const auto& row : rows) EXPECT_EQ(problem(row.text), row.problem) << row.text;
}

TEST(Json, DepthIsBounded) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(problem(nested(200)), "taken");
  EXPECT_EQ(problem(nested(201)), "line 1, column 202: more than 200 lists inside each other");
  EXPECT_EQ(problem(std::string(5'000'000, '[')),
            "line 1, column 202: more than 200 lists inside each other");
}

TEST(Json, SizeIsBounded) {
  const auto large = JsonDocument::parse(std::string((std::size_t{64} << 20U) + 1, ' '));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, Error::Kind::TooLarge);
  EXPECT_TRUE(JsonDocument::parse("[1,2,3]", 4));
  const auto nodes = JsonDocument::parse("[1,2,\n3,4]", 4);
  ASSERT_FALSE(nodes);
  EXPECT_EQ(nodes.error().kind, Error::Kind::TooLarge);
  EXPECT_EQ(nodes.error().what, "line 2, column 3: more than 4 values");
  EXPECT_EQ(nodes.error().chinese, "第 2 行第 3 列：超过 4 个值");
}

TEST(Json, NotesAreBounded) {
  std::string text = "[";
  for (int i = 0; i < 1500; ++i) text += "NaN,";
  const auto document = JsonDocument::parse(text + "1]");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->notes().size(), 1000U);
  EXPECT_EQ(document->root().size(), 1501U);
}

TEST(Json, ManyKeysAndLongStringsAreFound) {
  std::string text = "{";
  for (int i = 0; i < 3000; ++i)
    text += "\"key." + std::to_string(i) +
            ".of a name longer than a register\": " + std::to_string(i) + ",";
  text += "\"key.7.of a name longer than a register\": -1}";
  const auto document = JsonDocument::parse(text);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root()["key.2999.of a name longer than a register"].integer(), 2999);
  EXPECT_EQ(document->root()["key.7.of a name longer than a register"].integer(), -1);
  EXPECT_EQ(document->notes().size(), 1U);
}

}  // namespace
}  // namespace sx
