// Settings as Python prints them.
#include "read/python_values.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

using Kind = PythonValue::Kind;

TEST(PythonValues, ReadsADictionary) {
  const auto all = parse_python_settings(
      "{'model': 'a/b', 'n': 1024, 'x': 0.9, 'on': True, 'off': False, 'none': None, 'l': ['a', 2],"
      " 'd': {'t': 'yarn', 'f': 4.0, 'n': None}} and more");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 8U);
  EXPECT_EQ((*all)[0].second.text, "a/b");
  EXPECT_EQ((*all)[1].second.kind, Kind::Number);
  EXPECT_EQ((*all)[3].second.kind, Kind::True);
  EXPECT_EQ((*all)[5].second.kind, Kind::None);
  EXPECT_EQ((*all)[6].second.items, (std::vector<std::string>{"a", "2"}));
  EXPECT_EQ((*all)[7].second.kind, Kind::Json);
  EXPECT_EQ((*all)[7].second.text, R"({"t": "yarn", "f": 4.0, "n": null})");
}

TEST(PythonValues, ReadsACallWithObjectsInIt) {
  const auto all = parse_python_settings(
      "(host=None, task=<Task.GENERATE: 1>, f=<function serve at 0x7f>, c=Config(a=1, b=[2]), "
      "tp=2)");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 5U);
  EXPECT_EQ((*all)[1].second.kind, Kind::Other);
  EXPECT_EQ((*all)[3].second.text, "Config(a=1, b=[2])");
  EXPECT_EQ((*all)[4].first, "tp");
  EXPECT_EQ((*all)[4].second.text, "2");
}

TEST(PythonValues, QuotesAndEscapes) {
  const auto all = parse_python_settings(R"({'a': "it's", 'b': 'it\'s', 'c': 'x"y\\'})");
  ASSERT_TRUE(all);
  EXPECT_EQ((*all)[0].second.text, "it's");
  EXPECT_EQ((*all)[1].second.text, "it's");
  EXPECT_EQ((*all)[2].second.text, R"(x"y\)");
}

TEST(PythonValues, WhatDoesNotEndIsNoSettings) {
  for (const char* text : {"", "{", "{'a': ", "{'a': 'b", "(a=[1, 2", "nothing here", "{'a' 'b'}"})
    EXPECT_FALSE(parse_python_settings(text)) << text;
}

TEST(PythonValues, IsBounded) {
  EXPECT_FALSE(parse_python_settings("{'a': " + std::string(100, '[')));
  std::string many = "{";
  for (int i = 0; i < 3000; ++i) many += "'k" + std::to_string(i) + "': 1, ";
  EXPECT_FALSE(parse_python_settings(many + "}"));
}

}  // namespace
}  // namespace sx
