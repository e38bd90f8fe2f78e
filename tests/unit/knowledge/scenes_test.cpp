// Pages of scenes: what whoever writes one may get wrong, and that each cause has one.
#include "knowledge/scenes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "knowledge/tables.h"

namespace sx {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTwoLogs =
    "## two ranks, one of them full | 两个 rank，其中一个显存已满\n"
    "\n"
    "```log\n"
    "INFO a\n"
    "```\n"
    "```log rank1.log\n"
    "INFO b\n"
    "OutOfMemoryError\n"
    "```\n"
    "```command\n"
    "vllm serve /models/a\n"
    "```\n"
    "```answer\n"
    "oom-unplaced likely rank1.log:2\n"
    "```\n"
    "## all is well | 一切正常\n"
    "```log\n"
    "INFO c\n"
    "```\n"
    "```answer\n"
    "nothing\n"
    "```\n";

TEST(Scenes, APageIsReadInItsParts) {
  const auto scenes = read_scenes("a.md", kTwoLogs);
  ASSERT_TRUE(scenes) << scenes.error().what;
  ASSERT_EQ(scenes->size(), 2U);
  const CauseScene& first = scenes->front();
  EXPECT_EQ(first.heading.english, "two ranks, one of them full");
  EXPECT_EQ(first.heading.chinese, "两个 rank，其中一个显存已满");
  ASSERT_EQ(first.logs.size(), 2U);
  EXPECT_EQ(first.logs[0].name, kFirstLog);
  EXPECT_EQ(first.logs[0].text, "INFO a\n");
  EXPECT_EQ(first.logs[1].name, "rank1.log");
  EXPECT_EQ(first.command, "vllm serve /models/a");
  EXPECT_EQ(first.answer.cause, "oom-unplaced");
  EXPECT_EQ(first.answer.confidence, "likely");
  EXPECT_EQ(first.answer.log, "rank1.log");
  EXPECT_EQ(first.answer.line, 2U);
  EXPECT_EQ(scenes->back().line, 16U);
  EXPECT_TRUE(scenes->back().answer.cause.empty());
}

constexpr std::size_t kLongestHeading = 95;  // a line of a terminal

struct Bad {
  std::string_view page, said;
};

class SceneFormat : public testing::TestWithParam<Bad> {};

TEST_P(SceneFormat, IsHeldAndTheLineIsNamed) {
  const auto scenes = read_scenes("a.md", GetParam().page);
  ASSERT_FALSE(scenes);
  EXPECT_THAT(scenes.error().what, HasSubstr(GetParam().said));
  EXPECT_FALSE(scenes.error().chinese.empty());
}

constexpr std::string_view kNoAnswer = "## a | 甲\n```log\nx\n```\n";

INSTANTIATE_TEST_SUITE_P(
    Pages, SceneFormat,
    testing::Values(
        Bad{"prose\n", "a.md:1: stands outside"}, Bad{"## only English\n", "a.md:1: the heading"},
        Bad{"## a | b\n", "a.md:1: a heading is"}, Bad{"## 甲 | 乙\n", "a.md:1: a heading is"},
        Bad{"```log\nx\n```\n", "a.md:1: the block has no heading"},
        Bad{"## a | 甲\n```log\nx\n", "a.md:2: the block is not closed"},
        Bad{"## a | 甲\n```text\nx\n```\n", "a.md:2: a block is"},
        Bad{"## a | 甲\n```log\n\n```\n", "a.md:2: the log is empty"},
        Bad{"## a | 甲\n```log\nx\n```\n```log\ny\n```\n", "a.md:5: a second log"},
        Bad{"## a | 甲\n```command\na\nb\n```\n", "a.md:2: a command is one line"},
        Bad{"## a | 甲\n```answer\nnothing\n```\n", "a.md:2: no log"},
        Bad{"## a | 甲\n```log\nx\n```\n```answer\noom likely 2\n```\n", "a.md:5: the log has no"},
        Bad{"## a | 甲\n```log\nx\n```\n```answer\noom likely\n```\n", "a.md:5: an answer is"},
        Bad{"## a | 甲\n```log\nx\n```\n```answer\noom likely 1 2\n```\n", "a.md:5: an answer is"},
        Bad{"## a | 甲\n```log\nx\n```\n```answer\noom likely b:1\n```\n", "a.md:5: an answer is"},
        Bad{"## a | 甲\n```log\nx\n```\n```log b\ny\n```\n```answer\noom likely 1\n```\n",
            "a.md:8: an answer is"},
        Bad{kNoAnswer, "a.md:1: the scene has no answer"}));

TEST(Scenes, NoPieceOfAPageIsTooShortToBeRead) {
  for (std::size_t length = 0; length <= kTwoLogs.size(); ++length)
    (void)read_scenes("a.md", kTwoLogs.substr(0, length));
}

TEST(ScenePages, EachIsWellFormedAndBelongsToACause) {
  std::set<std::string> named;
  for (const CauseRow& row : causes()) named.insert(scene_page_name(row));
  const std::set<std::string_view> words{"certain", "likely", "possible"};
  for (const std::string_view page : scene_pages()) {
    EXPECT_TRUE(named.contains(std::string(page))) << page << " belongs to no cause";
    const auto scenes = read_scenes(page, table_bytes(page));
    ASSERT_TRUE(scenes) << scenes.error().what;
    for (const CauseScene& scene : *scenes) {
      EXPECT_LE(scene.heading.english.size(), kLongestHeading) << page << ':' << scene.line;
      EXPECT_FALSE(scene.heading.english.ends_with('.')) << page << ':' << scene.line;
      EXPECT_FALSE(scene.heading.chinese.ends_with("。")) << page << ':' << scene.line;
      if (scene.answer.cause.empty()) continue;
      EXPECT_NE(find_cause(scene.answer.cause), nullptr) << page << ": " << scene.answer.cause;
      EXPECT_TRUE(words.contains(scene.answer.confidence)) << page << ':' << scene.line;
    }
  }
}

// One scene that is the cause, and one with nearly the same words that is not.
TEST(ScenePages, EachCauseHasASceneOfItAndOneBeside) {
  for (const CauseRow& row : causes()) {
    const auto scenes = scenes_of_cause(row);
    const auto own = std::ranges::count_if(
        scenes, [&](const CauseScene& scene) { return scene.answer.cause == row.name; });
    EXPECT_GE(own, 1) << scene_page_name(row) << " has no scene of its cause";
    EXPECT_GE(std::ssize(scenes) - own, 1) << scene_page_name(row) << " has no scene beside it";
  }
}

}  // namespace
}  // namespace sx
