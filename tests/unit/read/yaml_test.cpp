// YAML: values and their places, scalars by YAML 1.1, aliases and merge keys, and texts that would
// burst.
#include "read/yaml.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

struct Read {
  Sources sources;
  Result<std::vector<YamlNode>> documents = std::vector<YamlNode>{};

  const YamlNode& root() const { return documents.value().at(0); }
  std::string at(const Span& span) const { return std::string(sources.text(span)); }
};

Read read(std::string text) {
  Read all;
  const int source =
      all.sources.add({.kind = SourceKind::File, .name = "a.yaml", .text = std::move(text)});
  all.documents = parse_yaml(all.sources, source);
  return all;
}

std::string said(const std::string& text) {
  const auto all = read(text);
  return all.documents ? "read" : all.documents.error().what;
}

struct Typed {
  const char* text;
  YamlNode::Type type;
};

class YamlScalar : public testing::TestWithParam<Typed> {};

TEST_P(YamlScalar, HasTheTypeOfYaml11) {
  const auto all = read(std::string("a: ") + GetParam().text);
  ASSERT_TRUE(all.documents) << GetParam().text;
  const YamlNode* node = all.root().find("a");
  ASSERT_NE(node, nullptr) << GetParam().text;
  EXPECT_EQ(node->type, GetParam().type) << GetParam().text;
}

using Type = YamlNode::Type;
INSTANTIATE_TEST_SUITE_P(
    Types, YamlScalar,
    testing::Values(
        Typed{"yes", Type::Bool}, Typed{"No", Type::Bool}, Typed{"OFF", Type::Bool},
        Typed{"tRue", Type::String}, Typed{"y", Type::String}, Typed{"'yes'", Type::String},
        Typed{"!!str yes", Type::String}, Typed{"0", Type::Integer}, Typed{"010", Type::Integer},
        Typed{"08", Type::String}, Typed{"1_000", Type::Integer}, Typed{"0x1F", Type::Integer},
        Typed{"0b101", Type::Integer}, Typed{"1:30", Type::Integer}, Typed{"1:60", Type::String},
        Typed{"-12", Type::Integer}, Typed{"0.92", Type::Number}, Typed{".5", Type::Number},
        Typed{"5.", Type::Number}, Typed{"1e3", Type::String}, Typed{"1.0e3", Type::String},
        Typed{"1.0e+3", Type::Number}, Typed{".inf", Type::Number}, Typed{"-.Inf", Type::Number},
        Typed{".NaN", Type::Number}, Typed{"1.2.3", Type::String},
        Typed{"2024-01-01", Type::String}, Typed{"0.9.2", Type::String}, Typed{"~", Type::Null},
        Typed{"null", Type::Null}, Typed{"", Type::Null}, Typed{"nUll", Type::String},
        Typed{"auto", Type::String}, Typed{"\"5\"", Type::String}, Typed{"_1", Type::String},
        Typed{"+", Type::String}, Typed{".", Type::String}, Typed{"0x", Type::String}));

TEST(Yaml, NumbersAsPythonReadsThem) {
  const auto all = read(
      "{a: 010, b: 1_000, c: 0x1F, d: 1:30, e: -7, f: 99999999999999999999, g: .5, h: 1.5e+2, i: "
      "-.inf, j: 0b11}");
  EXPECT_EQ(all.root().find("a")->integer(), 8);
  EXPECT_EQ(all.root().find("b")->integer(), 1000);
  EXPECT_EQ(all.root().find("c")->integer(), 31);
  EXPECT_EQ(all.root().find("d")->integer(), 90);
  EXPECT_EQ(all.root().find("e")->integer(), -7);
  EXPECT_FALSE(all.root().find("f")->integer().has_value());
  EXPECT_EQ(all.root().find("g")->number(), 0.5);
  EXPECT_EQ(all.root().find("h")->number(), 150.0);
  EXPECT_LT(all.root().find("i")->number().value(), 0);
  EXPECT_EQ(all.root().find("j")->integer(), 3);
  EXPECT_EQ(all.root().find("e")->number(), -7.0);
  EXPECT_FALSE(all.root().find("a")->boolean().has_value());
}

TEST(Yaml, PlacesOfKeysAndValues) {
  const auto all = read(
      "model: org/m\n'quoted':  'it''s'  # note\nlist:\n  - a\n  - \"b\\\"\"\nflow: {x: [1, 2 ], "
      "y: z }\n"
      "text: |\n  one\n  two\nfold: one\n  two\ntag: !!str &n 5\nnone:\nlast: x");
  const YamlNode& root = all.root();
  EXPECT_EQ(all.at(root.find("model")->span), "org/m");
  EXPECT_EQ(all.at(root.find("model")->key_span), "model");
  EXPECT_EQ(all.at(root.find("quoted")->key_span), "'quoted'");
  EXPECT_EQ(all.at(root.find("quoted")->span), "'it''s'");
  EXPECT_EQ(root.find("quoted")->text, "it's");
  EXPECT_TRUE(root.find("quoted")->quoted);
  EXPECT_EQ(all.at(root.find("list")->items[0].span), "a");
  EXPECT_EQ(all.at(root.find("list")->items[1].span), "\"b\\\"\"");
  EXPECT_EQ(all.at(root.find("flow")->span), "{x: [1, 2 ], y: z }");
  EXPECT_EQ(all.at(root.find("flow")->find("x")->span), "[1, 2 ]");
  EXPECT_EQ(all.at(root.find("text")->span), "|\n  one\n  two");
  EXPECT_EQ(all.at(root.find("fold")->span), "one\n  two");
  EXPECT_EQ(all.at(root.find("tag")->span), "5");
  EXPECT_EQ(all.at(root.find("none")->span), "");
  EXPECT_EQ(all.at(root.find("last")->span), "x");
}

TEST(Yaml, PlacesBehindAByteOrderMarkAndWideText) {
  const auto all = read(
      "\xEF\xBB\xBF"
      "名: 值\r\nport: 80\r\n");
  ASSERT_TRUE(all.documents);
  EXPECT_EQ(all.at(all.root().find("名")->span), "值");
  EXPECT_EQ(all.at(all.root().find("port")->key_span), "port");
  EXPECT_EQ(all.at(all.root().find("port")->span), "80");
}

TEST(Yaml, AliasesAndMergeKeys) {
  const auto all = read(
      "base: &b {tp: 1, port: 1}\nother: &o {port: 2, dtype: half}\nrun:\n  <<: [*b, *o]\n  tp: "
      "4\nagain: *b\n");
  const YamlNode* run = all.root().find("run");
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->find("tp")->text, "4");
  EXPECT_EQ(run->find("port")->text, "1");
  EXPECT_EQ(run->find("dtype")->text, "half");
  EXPECT_EQ(run->members.size(), 3U);
  EXPECT_EQ(all.at(all.root().find("again")->span), "*b");
  EXPECT_EQ(all.root().find("again")->find("tp")->text, "1");
}

TEST(Yaml, OfAKeyGivenTwiceTheLastCounts) {
  const auto all = read("a: 1\nb: 2\na: 3\n");
  EXPECT_EQ(all.root().members.size(), 2U);
  EXPECT_EQ(all.root().find("a")->text, "3");
}

TEST(Yaml, ManyDocumentsAndNone) {
  EXPECT_EQ(read("").documents.value().size(), 0U);
  EXPECT_EQ(read("# nothing\n").documents.value().size(), 0U);
  EXPECT_EQ(read("a\n---\nb\n---\n- c\n").documents.value().size(), 3U);
  EXPECT_EQ(read("---\n").documents.value().size(), 1U);
}

TEST(Yaml, TextThatBelongsToNothingEnds) {
  EXPECT_NE(said("a\n---\n,x]\nb: c").find("belongs to nothing"), std::string::npos);
  EXPECT_NE(said("]"), "read");
  EXPECT_NE(said("}"), "read");
}

TEST(Yaml, BombsAreRefusedBeforeTheyBurst) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += "*" + before + ',';
    bomb += "]\n";
  }
  EXPECT_NE(said(bomb).find("too many values once aliases are followed"), std::string::npos);
  std::string wide = "a: &a '" + std::string(1U << 20U, 'x') + "'\nb: [";
  for (int i = 0; i < 1000; ++i) wide += "*a,";
  EXPECT_NE(said(wide + "]").find("too many values"), std::string::npos);
}

TEST(Yaml, ReturnsAloneAreRefusedByName) {
  EXPECT_NE(said("a: 1\rb: 2\r").find("carriage return alone"), std::string::npos);
  EXPECT_NE(said("a: 1\r\nb: 2\r").find("carriage return alone"), std::string::npos);
  EXPECT_EQ(said("a: 1\r\nb: 2\r\n"), "read");
}

TEST(Yaml, DepthAndSizeAreBounded) {
  EXPECT_EQ(said(std::string(60, '[') + std::string(60, ']')), "read");
  EXPECT_NE(said(std::string(100, '[') + std::string(100, ']')).find("nested too deeply"),
            std::string::npos);
  EXPECT_NE(said(std::string(100'000, '[')), "read");
  EXPECT_NE(said(std::string(100'000, '{')), "read");
  std::string stairs;
  for (int i = 0; i < 2'000; ++i) stairs += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_NE(said(stairs), "read");
  EXPECT_NE(said(std::string((8U << 20U) + 1, 'a')).find("longer than 8 MiB"), std::string::npos);
  std::string nested = "a: &a [[[[[[[[[[1]]]]]]]]]]\n";
  for (char c = 'b'; c <= 'h'; ++c)
    nested +=
        std::string(1, c) + ": &" + c + " [[[[[[[[[*" + static_cast<char>(c - 1) + "]]]]]]]]]\n";
  EXPECT_NE(said(nested).find("nested too deeply"), std::string::npos);
}

TEST(Yaml, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_NE(said("a: 1\nb: [\n").find("a.yaml"), std::string::npos);
  EXPECT_NE(said("a: 1\n\tb: 2\n").find("line 2"), std::string::npos) << said("a: 1\n\tb: 2\n");
  EXPECT_NE(said("a: *nowhere"), "read");
  EXPECT_NE(said("a: &a [*a]"), "read");
  EXPECT_NE(said("? [a, b]\n: c\n"), "read");
  EXPECT_NE(said("a: \xFF\xFE"), "read");
  EXPECT_NE(said(std::string("\xFF\xFE"
                             "a\0:\0",
                             6)),
            "read");
  EXPECT_NE(said("%YAML 9.9\n---\na"), "");
}

}  // namespace
}  // namespace sx
