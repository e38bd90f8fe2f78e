// The journal: what was written is there for the next daemon, also after damage.
#include "run/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
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

// No file may grow while it lives: what a full disk looks like to SQLite.
class FullDisk {
 public:
  FullDisk() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(Journal, WhatAFullDiskDoesNotTakeIsWrittenLaterInItsOrder) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/journal.db";
  auto journal = Journal::open(path, nullptr);
  ASSERT_TRUE(journal);
  const auto add = [&](int i) {
    return journal->add(step(i, ReplicaState::Planned, ReplicaState::Starting, "start"), 100 + i)
        .has_value();
  };
  ASSERT_TRUE(add(0));
  {
    const FullDisk full;
    EXPECT_FALSE(add(1));
    EXPECT_FALSE(journal->add(JournalNote{.unix_ms = 5, .name = "n", .words = {"w", "词"}}));
    EXPECT_FALSE(journal->remember("strict", "1"));
    journal->remember_later("layout", "2");
    for (const bool good : {false, true})
      EXPECT_FALSE(journal->add(
          LayoutRecord{.key = "k", .label = "TP4", .good = good, .cause = "", .unix_ms = 6}));
    EXPECT_FALSE(add(2));
    EXPECT_EQ(journal->waiting(), 6U);
    EXPECT_EQ(journal->latest(2).back().replica, 2);  // known, though not written
    EXPECT_EQ(journal->latest(2).front().replica, 1);
    EXPECT_EQ(journal->notes(9).at(0).name, "n");
    EXPECT_EQ(journal->remembered("layout"), "2");
    EXPECT_EQ(journal->remembered("strict"), std::nullopt);
    ASSERT_TRUE(journal->layout("k"));
    EXPECT_TRUE(journal->layout("k")->good);  // the latest word
  }
  ASSERT_TRUE(add(3));
  EXPECT_EQ(journal->waiting(), 0U);
  const auto again = Journal::open(path, nullptr);
  ASSERT_TRUE(again);
  const auto lines = again->latest(10);
  ASSERT_EQ(lines.size(), 4U);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(lines[static_cast<std::size_t>(i)].replica, i);
  EXPECT_EQ(again->remembered("layout"), "2");
  EXPECT_EQ(again->notes(10).size(), 1U);  // nothing was dropped: nobody says so
}

TEST(Journal, WhatIsTooMuchForMemoryIsCountedInOneNote) {
  const test::TemporaryFolder folder;
  auto journal = Journal::open(folder.path() + "/journal.db", nullptr);
  ASSERT_TRUE(journal);
  {
    const FullDisk full;
    for (int i = 0; i < 1003; ++i)
      EXPECT_FALSE(journal->add(step(i, ReplicaState::Planned, ReplicaState::Starting, "s"), i));
    EXPECT_EQ(journal->waiting(), 1000U);
  }
  ASSERT_TRUE(journal->write_what_waits(7));
  ASSERT_TRUE(journal->write_what_waits(8));
  const auto notes = journal->notes(10);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].name, "journal-gap");
  EXPECT_TRUE(notes[0].words.english.starts_with("3 events and notes are not"));
  EXPECT_EQ(journal->latest(5000).size(), 1000U);
  EXPECT_EQ(journal->latest(5000).front().replica, 3);
}

TEST(Journal, NamesAreRememberedTogetherOrNotAtAll) {
  const test::TemporaryFolder folder;
  auto journal = Journal::open(folder.path() + "/journal.db", nullptr);
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->remember({{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(journal->remembered("b"), "2");
  const FullDisk full;
  EXPECT_FALSE(journal->remember({{"a", "3"}, {"b", "4"}}));
  EXPECT_EQ(journal->remembered("a"), "1");
}

TEST(Journal, LayoutsOfLongAgoAreForgotten) {
  const test::TemporaryFolder folder;
  auto journal = Journal::open(folder.path() + "/journal.db", nullptr);
  ASSERT_TRUE(journal);
  for (int i = 0; i < 510; ++i) {
    // The clock goes backwards: what counts is the order.
    ASSERT_TRUE(journal->add(LayoutRecord{
        .key = std::to_string(i), .label = "l", .good = true, .cause = "", .unix_ms = 1000 - i}));
  }
  EXPECT_FALSE(journal->layout("9"));
  EXPECT_TRUE(journal->layout("10"));
  EXPECT_TRUE(journal->layout("509"));
}

// SQLite takes any bytes, and what is told of a deployment is JSON.
TEST(Journal, WhatIsNoTextIsReadAsText) {
  const test::TemporaryFolder folder;
  auto journal = Journal::open(folder.path() + "/journal.db", nullptr);
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->remember("cause", "a\xff"));
  ASSERT_TRUE(journal->add(step(0, ReplicaState::Planned, ReplicaState::Failed, "b\xc3"), 1));
  ASSERT_TRUE(journal->add(LayoutRecord{.key = "k", .label = "\xf0\x9f", .cause = "\xe4"}));
  EXPECT_EQ(journal->remembered("cause"), "a\uFFFD");
  EXPECT_EQ(journal->latest(1).at(0).reason, "b\uFFFD");
  EXPECT_EQ(journal->layout("k")->label, "\uFFFD\uFFFD");
}

TEST(Journal, AMarkIsToldByNumbers) {
  const test::TemporaryFolder folder;
  auto journal = Journal::open(folder.path() + "/journal.db", nullptr);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->end(), JournalMark{});
  ASSERT_TRUE(journal->add(step(0, ReplicaState::Planned, ReplicaState::Starting, "start"), 1));
  EXPECT_EQ(journal->end(), (JournalMark{.event = 1, .note = 0}));
  EXPECT_EQ(read_mark(mark_words({.event = 12, .note = 7})), (JournalMark{.event = 12, .note = 7}));
  for (const char* none : {"", "1796000000000", "/", "x/y"})
    EXPECT_EQ(read_mark(none), JournalMark{}) << none;
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
