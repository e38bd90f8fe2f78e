// Other names of models: where each leads, said with its place in the file.
#include "cli/up_names.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

const std::string kFront = "[model]\ncommand = [\"vllm\", \"serve\", \"x\"]\n";

// "title @ underlined text" of each.
std::vector<std::string> told(const std::vector<FileFault>& faults, const Sources& sources,
                              Language language) {
  std::vector<std::string> all;
  for (const FileFault& one : faults) {
    all.push_back(rendered(one.title, language) + " @ " +
                  std::string(sources.text(one.labels.front().span)));
  }
  return all;
}

struct Told {
  std::vector<std::string> errors, warnings;
};
Told of(const std::string& text, const std::set<std::string>& served,
        Language language = Language::English) {
  Sources sources;
  const int source =
      sources.add({.kind = SourceKind::File, .name = "sextant.toml", .text = text + kFront});
  const auto read = read_deployment_file(sources, source);
  EXPECT_TRUE(read.faults.empty());
  const NameFaults faults = faults_of_names(read.file, served);
  return {told(faults.errors, sources, language), told(faults.warnings, sources, language)};
}

using Lines = std::vector<std::string>;

TEST(Names, ThatLeadToAModelAreNothingToSpeakOf) {
  const auto good = of("default_model = \"gpt\"\naliases = { gpt = \"qwen\", o = \"llama\" }\n",
                       {"qwen", "llama"});
  EXPECT_EQ(good.errors, Lines{});
  EXPECT_EQ(good.warnings, Lines{});
  EXPECT_EQ(of("", {"qwen"}).errors, Lines{});
}

TEST(Names, OfNobodyAreUnderlinedWhereTheyStand) {
  const std::string text = "default_model = \"b\"\naliases = { gpt = \"qwem\" }\n";
  EXPECT_EQ(of(text, {"qwen"}).errors, (Lines{"no model here is called qwem @ \"qwem\"",
                                              "no model here is called b @ \"b\""}));
  EXPECT_EQ(of(text, {"qwen"}, Language::Chinese).errors.front(),
            "这里没有名为 qwem 的模型 @ \"qwem\"");
}

TEST(Names, ThatMeanOtherNamesAreToldWhereTheChainEnds) {
  EXPECT_EQ(of("aliases = { a = \"b\", b = \"qwen\" }\n", {"qwen"}).errors,
            Lines{"a means b, which is another name and no model @ \"b\""});
}

TEST(Names, ThatNoRequestCouldSayAreRefused) {
  EXPECT_EQ(of("aliases = { \"a\\rb\" = \"qwen\" }\n", {"qwen"}).errors.size(), 1U);
  EXPECT_EQ(of("aliases = { \"a\\nb\" = \"qwen\" }\n", {"qwen"}).errors,
            Lines{"\"a\nb\" is no name that a request could say @ \"a\\nb\""});
  EXPECT_EQ(of("aliases = { \"别名\" = \"qwen\" }\n", {"qwen"}).errors, Lines{});
}

TEST(Names, ALoopIsSaidOnce) {
  EXPECT_EQ(of("aliases = { b = \"c\", c = \"a\", a = \"b\", d = \"a\" }\n", {"qwen"}).errors,
            Lines{"a means itself in the end: a -> b -> c -> a @ \"b\""});
  EXPECT_EQ(of("aliases = { a = \"a\" }\n", {"qwen"}).errors,
            Lines{"a means itself in the end: a -> a @ \"a\""});
}

TEST(Names, OneThatAModelHasItselfIsAWarning) {
  const auto hidden = of("aliases = { qwen = \"llama\" }\n", {"qwen", "llama"});
  EXPECT_EQ(hidden.errors, Lines{});
  EXPECT_EQ(hidden.warnings, Lines{"the other name qwen is a model's own name @ qwen"});
}

}  // namespace
}  // namespace sx
