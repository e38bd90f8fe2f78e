// Where a deployment file says the words of its launches, and how a fix is written there.
#include "cli/file_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>

#include "cli/file_edits.h"

namespace sx {
namespace {

using Words = std::vector<std::string>;

struct File {
  Sources sources;
  TomlRead toml;

  explicit File(std::string text) {
    sources.add({.name = "sextant.toml", .uri = {}, .text = std::move(text)});
    toml = read_toml(sources, 0);
  }

  ModelWords model(std::size_t at = 0, const TemplateValues& values = {.model = "m"}) const {
    return words_of_model(sources, toml, at, values);
  }
  std::string text(const Span& span) const { return std::string(sources.text(span)); }

  // What the file says each word with; "-" where it says it nowhere.
  Words said(const Words& launch, std::size_t at = 0,
             const TemplateValues& values = {.model = "m"}) const {
    const ModelWords words = model(at, values);
    Words said;
    for (const auto& found : found_in(words.words, launch))
      said.push_back(found ? text(words.words[*found].span) : "-");
    return said;
  }

  std::vector<Edit> edits(std::string_view before, std::string_view after) const {
    return file_edits(sources, model(), before, after);
  }
  // The file with the fix in it; empty: it cannot be said there.
  std::string with(std::string_view before, std::string_view after) const {
    auto all = edits(before, after);
    if (all.empty()) return {};
    std::string text = sources.at(0).text;
    for (const Edit& edit : all | std::views::reverse)
      text.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.text);
    return text;
  }
};

TEST(FileWords, AreThoseOfTheListAndWhatIsOfUpAloneIsNowhere) {
  const File file("[model]\ncommand = [\"vllm\", 'serve', \"m\", \"-tp\", \"2\"]\n");
  EXPECT_EQ(file.said({"env", "A=b", "vllm", "serve", "m", "-tp", "2", "--port", "8001"}),
            (Words{"-", "-", "\"vllm\"", "'serve'", "\"m\"", "\"-tp\"", "\"2\"", "-", "-"}));
}

TEST(FileWords, AChosenValueStandsWhereTheFilesOwnStands) {
  const File file(
      "[model]\ncommand = [\"vllm\", \"serve\", \"m\", \"--port\", \"9000\", "
      "\"--host=0.0.0.0\"]\n");
  EXPECT_EQ(
      file.said({"vllm", "serve", "m", "--port", "8001", "--host=127.0.0.1"}),
      (Words{"\"vllm\"", "\"serve\"", "\"m\"", "\"--port\"", "\"9000\"", "\"--host=0.0.0.0\""}));
}

TEST(FileWords, APlaceIsFilledAsTheReplicaGetsIt) {
  const File file(
      "[model]\nid = \"m\"\ncommand = [\"llama-server\", \"-m\", \"{model}\", "
      "\"--port={port}\"]\n");
  const TemplateValues values{.model = "m", .port = 8001};
  EXPECT_EQ(file.said({"llama-server", "-m", "m", "--port=8001"}, 0, values),
            (Words{"\"llama-server\"", "\"-m\"", "\"{model}\"", "\"--port={port}\""}));
  const auto words = file.model(0, values).words;
  EXPECT_TRUE(words[1].literal);
  EXPECT_FALSE(words[2].literal);
}

TEST(FileWords, OfATextForAShellAreItsOwnWords) {
  const File file("[model]\ncommand = \"vllm serve m -tp 2\"\n");
  EXPECT_EQ(file.said({"vllm", "serve", "m", "-tp", "2"}),
            (Words{"vllm", "serve", "m", "-tp", "2"}));
  const File inside("[model]\ncommand = [\"bash\", \"-c\", \"exec vllm serve m -tp 2\"]\n");
  EXPECT_EQ(inside.said({"vllm", "serve", "m", "-tp", "2"}),
            (Words{"vllm", "serve", "m", "-tp", "2"}));
}

// Written with escapes, its words stand nowhere as they are.
TEST(FileWords, OfAnEscapedTextAreAllOfIt) {
  const File file("[model]\ncommand = \"vllm serve \\\"m\\\" -tp 2\"\n");
  for (const std::string& said : file.said({"vllm", "serve", "m", "-tp", "2"}))
    EXPECT_EQ(said, "\"vllm serve \\\"m\\\" -tp 2\"");
  EXPECT_EQ(file.with("vllm serve m -tp 2", "vllm serve m -tp 4"), "");
}

TEST(FileWords, OfSeveralModelsEachHasItsOwn) {
  const File file("[[model]]\ncommand = [\"vllm\", \"serve\", \"a\"]\n\n[[model]]\nid = \"b\"\n");
  EXPECT_EQ(file.text(file.model(0).table), "[[model]]");
  EXPECT_GT(file.model(1).table.begin, file.model(0).words.back().span.end);
  EXPECT_EQ(file.said({"vllm", "serve", "a"}, 0), (Words{"\"vllm\"", "\"serve\"", "\"a\""}));
  EXPECT_TRUE(file.model(1).words.empty());
  ASSERT_EQ(file.model(1).settings.size(), 1U);
  EXPECT_EQ(file.text(file.model(1).settings.front().span), "id = \"b\"");
}

TEST(FileWords, AModelWithoutAHeaderBeginsAtItsKey) {
  const File file("name = \"box\"\nmodel.command = [\"vllm\", \"serve\", \"m\"]\n");
  const Span table = file.model().table;
  EXPECT_EQ(place_of(file.sources.at(0), table.begin).line, 2);
  EXPECT_EQ(file.said({"vllm", "serve", "m"}).back(), "\"m\"");
}

TEST(SameWords, AreAsManyAsBothHaveInOneOrder) {
  using Found = std::vector<std::optional<std::size_t>>;
  const auto same = [](const Words& some, const Words& others) { return same_words(some, others); };
  EXPECT_EQ(same({"a", "x", "b", "c"}, {"a", "b", "y", "c"}), (Found{0, {}, 1, 3}));
  EXPECT_EQ(same({"a", "a"}, {"a"}), (Found{0, {}}));
  EXPECT_EQ(same({}, {"a"}), Found{});
  EXPECT_EQ(same({"b", "a"}, {"a", "c", "b", "a", "d"}), (Found{2, 3}));
  // Far more than a launch has: only what begins and ends both is compared.
  const Words many(9000, "w");
  Words more(9000, "v");
  more.front() = more.back() = "w";
  const auto found = same_words(many, more);
  EXPECT_EQ(found.front(), 0U);
  EXPECT_EQ(found.back(), 8999U);
  EXPECT_EQ(std::ranges::count(found, std::optional<std::size_t>()), 8998);
}

TEST(FileEdits, ReplaceOneWord) {
  const File file("[model]\ncommand = [\"vllm\", \"serve\", \"m\", '-tp', '8']  # ours\n");
  EXPECT_EQ(
      file.with("env A=b vllm serve m -tp 8 --port 8001", "env A=b vllm serve m -tp 4 --port 8001"),
      "[model]\ncommand = [\"vllm\", \"serve\", \"m\", '-tp', \"4\"]  # ours\n");
}

TEST(FileEdits, PutAFlagBehindTheLastWord) {
  const File file("[model]\ncommand = [\n  \"vllm\", \"serve\", \"m\",\n  \"-tp\",\n  \"8\",\n]\n");
  EXPECT_EQ(file.with("vllm serve m -tp 8 --host h --port 8001",
                      "vllm serve m -tp 8 --host h --port 8001 --max-model-len 4096"),
            "[model]\ncommand = [\n  \"vllm\", \"serve\", \"m\",\n  \"-tp\",\n  \"8\",\n  "
            "\"--max-model-len\",\n  \"4096\",\n]\n");
}

TEST(FileEdits, TakeAFlagOut) {
  const File file("[model]\ncommand = [\"vllm\", \"serve\", \"m\", \"--a\", \"1\", \"--b\"]\n");
  EXPECT_EQ(file.with("vllm serve m --a 1 --b", "vllm serve m --b"),
            "[model]\ncommand = [\"vllm\", \"serve\", \"m\", \"--b\"]\n");
  EXPECT_EQ(file.with("vllm serve m --a 1 --b", "vllm serve m --a 1"),
            "[model]\ncommand = [\"vllm\", \"serve\", \"m\", \"--a\", \"1\"]\n");
}

TEST(FileEdits, InATextForAShellWriteAsItsShellReads) {
  const File file("[model]\ncommand = \"vllm serve m --a 8 --b\"\n");
  EXPECT_EQ(file.with("vllm serve m --a 8 --b --port 1", "vllm serve m --a 4 --port 1 --c 2"),
            "[model]\ncommand = \"vllm serve m --a 4 --c 2\"\n");
  EXPECT_EQ(file.with("vllm serve m --a 8 --b", "vllm serve m --a 'x y' --b"), "");
}

TEST(FileEdits, ChangeAVariableAndAddOne) {
  const File file(
      "[model]\ncommand = [\"vllm\", \"serve\", \"m\"]\nenvironment = { A = \"1\", B = \"2\" }\n");
  EXPECT_EQ(file.with("env A=1 B=2 vllm serve m", "env A=3 B=2 C=4 vllm serve m"),
            "[model]\ncommand = [\"vllm\", \"serve\", \"m\"]\nenvironment = { A = \"3\", B = "
            "\"2\", C = \"4\" }\n");
  const File table(
      "[model]\ncommand = [\"vllm\", \"serve\", \"m\"]\n[model.environment]\nA = \"1\"\n");
  EXPECT_EQ(table.with("env A=1 vllm serve m", "env A=1 C=4 vllm serve m"),
            "[model]\ncommand = [\"vllm\", \"serve\", \"m\"]\n[model.environment]\nA = "
            "\"1\"\nC = \"4\"\n");
}

TEST(FileEdits, TakeAVariableOut) {
  const std::string front = "[model]\ncommand = [\"vllm\", \"serve\", \"m\"]\n";
  const File file(front + "environment = { A = \"1\", B = \"2\", C = \"3\" }\n");
  EXPECT_EQ(file.with("env A=1 B=2 C=3 vllm serve m", "env A=1 C=3 vllm serve m"),
            front + "environment = { A = \"1\", C = \"3\" }\n");
  EXPECT_EQ(file.with("env A=1 B=2 C=3 vllm serve m", "env B=2 C=3 vllm serve m"),
            front + "environment = { B = \"2\", C = \"3\" }\n");
  EXPECT_EQ(file.with("env A=1 B=2 C=3 vllm serve m", "env C=3 vllm serve m"), "");
  const File one(front + "environment = { A = \"1\" }\n");
  EXPECT_EQ(one.with("A=1 vllm serve m", "vllm serve m"), front + "environment = { }\n");
  const File table(front + "[model.environment]\n  A = \"1\"\nB = \"2\"\n");
  EXPECT_EQ(table.with("env A=1 B=2 vllm serve m", "env B=2 vllm serve m"),
            front + "[model.environment]\nB = \"2\"\n");
}

// The port is chosen by `up`, a place is filled, a variable comes of another key, a secret is left
// out of the command: none of them can be written.
TEST(FileEdits, WhatTheFileDoesNotSayStaysACommand) {
  const File file(
      "[model]\nid = \"m\"\ncommand = [\"vllm\", \"serve\", \"{model}\", \"--port\", "
      "\"9\", \"--api-key\", \"k\"]\n");
  EXPECT_EQ(file.with("vllm serve m --port 8001", "vllm serve m --port 8002"), "");
  EXPECT_EQ(file.with("vllm serve m --port 8001", "vllm serve other --port 8001"), "");
  EXPECT_EQ(file.with("env P=1 vllm serve m", "env P=2 vllm serve m"), "");
  EXPECT_EQ(file.with("vllm serve m --port 8001 --api-key \"${KEY:?}\"",
                      "vllm serve m --port 8001 --api-key \"${OTHER:?}\""),
            "");
}

TEST(FileEdits, HalfAFixIsNone) {
  const File file("[model]\ncommand = [\"vllm\", \"serve\", \"m\", \"-tp\", \"8\"]\n");
  EXPECT_EQ(file.with("vllm serve m -tp 8 --port 8001", "vllm serve m -tp 4 --port 8002"), "");
}

TEST(FileEdits, NothingDiffers) {
  const File file("[model]\ncommand = [\"vllm\", \"serve\", \"m\"]\n");
  EXPECT_TRUE(file.edits("vllm serve m", "vllm serve m").empty());
}

}  // namespace
}  // namespace sx
