// The journal: what was written is there for the next daemon, also after damage.
#include "run/journal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "temporary_folder.h"

namespace sx {
namespace {

Transition step(int replica, ReplicaState from, ReplicaState to, std::string reason) {
  return {.at = {},
          .replica = replica,
          .start = 1,
          .from = from,
          .to = to,
          .reason = std::move(reason)};
}

TEST(Journal, RemembersAcrossOpenings) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/journal.db";
  {
    auto journal = Journal::open(path, nullptr);
    ASSERT_TRUE(journal) << journal.error().what;
    ASSERT_TRUE(journal->add(step(0, ReplicaState::Planned, ReplicaState::Starting, "start"), 17));
    ASSERT_TRUE(journal->add(step(1, ReplicaState::Starting, ReplicaState::Failed, "it's"), 18));
    ASSERT_TRUE(journal->add(
        LayoutRecord{.key = "k", .label = "TP4", .good = false, .cause = "oom", .unix_ms = 5}));
    ASSERT_TRUE(journal->remember("layout", "2"));
    ASSERT_TRUE(journal->remember("layout", "3"));
  }
  const auto journal = Journal::open(path, nullptr);
  ASSERT_TRUE(journal);
  const auto lines = journal->latest(10);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1].reason, "it's");
  EXPECT_EQ(lines[0].to, "starting");
  EXPECT_EQ(journal->latest(1).at(0).unix_ms, 18);
  EXPECT_EQ(journal->remembered("layout"), "3");
  EXPECT_EQ(journal->remembered("nothing"), std::nullopt);
  ASSERT_TRUE(journal->layout("k"));
  EXPECT_EQ(journal->layout("k")->cause, "oom");
  EXPECT_FALSE(journal->layout("other"));
}

TEST(Journal, KeepsTheLatestStartsOfEachShape) {
  const test::TemporaryFolder folder;
  auto journal = Journal::open(folder.path() + "/journal.db", nullptr);
  ASSERT_TRUE(journal);
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(journal->add_start("a", "load:" + std::to_string(i)));
  ASSERT_TRUE(journal->add_start("b", "load:70"));
  EXPECT_EQ(journal->starts("a"),
            (std::vector<std::string>{"load:4", "load:5", "load:6", "load:7", "load:8"}));
  EXPECT_EQ(journal->starts("b"), (std::vector<std::string>{"load:70"}));
  EXPECT_TRUE(journal->starts("c").empty());
}

TEST(Journal, KeepsNotesInBothLanguagesAndForgetsTheOldest) {
  const test::TemporaryFolder folder;
  auto journal = Journal::open(folder.path() + "/journal.db", nullptr);
  ASSERT_TRUE(journal);
  for (int i = 0; i < 1100; ++i)
    ASSERT_TRUE(journal->add(JournalNote{.unix_ms = i,
                                         .replica = i % 3,
                                         .name = "n",
                                         .words = {"it's " + std::to_string(i), "这是"}}));
  const auto notes = journal->notes(2);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].words.english, "it's 1098");
  EXPECT_EQ(notes[1].words.chinese, "这是");
  EXPECT_EQ(notes[1].replica, 1099 % 3);
  EXPECT_EQ(journal->notes(5000).size(), 1000U);
}

TEST(Journal, ADamagedFileIsSetAsideAndSaidToBe) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/journal.db";
  std::ofstream(path) << std::string(8192, 'x');
  std::optional<std::string> aside;
  auto journal = Journal::open(path, &aside);
  ASSERT_TRUE(journal) << journal.error().what;
  ASSERT_TRUE(aside);
  EXPECT_TRUE(std::filesystem::exists(*aside));
  EXPECT_TRUE(journal->add(step(0, ReplicaState::Planned, ReplicaState::Starting, "start"), 1));
}

TEST(Journal, AFolderThatIsNotThereIsAnError) {
  const auto journal = Journal::open("/proc/no-such-folder/journal.db", nullptr);
  ASSERT_FALSE(journal);
  EXPECT_EQ(
      journal.error().what,
      "cannot write the journal /proc/no-such-folder/journal.db: unable to open database file");
}

}  // namespace
}  // namespace sx
