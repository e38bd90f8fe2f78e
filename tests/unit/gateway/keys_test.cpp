// Keys: their file, who is let in, how much each may use.
#include "gateway/keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gateway/key_store.h"
#include "gateway/key_watch.h"
#include "no_descriptors.h"

namespace sx {
namespace {

KeyRow row(const std::string& name, const std::string& key, KeyLimits limits = {}) {
  return {.name = name,
          .digest = sha256_digest(key),
          .limits = limits,
          .created = "2026-11-30T08:00:00Z",
          .revoked = {}};
}

TEST(KeyFile, IsReadAsItIsWritten) {
  KeyRow gone = row("b.old-1", "two", {.concurrency = 3, .tokens_per_minute = 1000});
  gone.revoked = "2026-11-30T09:00:00Z";
  const std::vector<KeyRow> rows{
      row("alice", "one", {.concurrency = 1, .body_bytes = 1 << 20, .priority = 9}), gone};
  const std::string text = key_file_text(rows);
  const auto again = read_key_file(text);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, rows);
  EXPECT_EQ(text.find("one\""), std::string::npos);
  EXPECT_EQ(read_key_file(key_file_text({}))->size(), 0U);
}

TEST(KeyFile, DamagedOnesAreRefused) {
  const std::string digest(64, 'a');
  const auto good = [&](const std::string& fields) {
    return read_key_file(R"({"schema":"sextant.keys/1","keys":[)" + fields + "]}").has_value();
  };
  const std::string rest = R"(,"sha256":")" + digest + R"(","created":"2026-11-30T08:00:00Z")";
  EXPECT_TRUE(good(R"({"name":"a")" + rest + "}"));
  EXPECT_FALSE(good(R"({"name":"")" + rest + "}"));
  EXPECT_FALSE(good(R"({"name":"-a")" + rest + "}"));
  EXPECT_FALSE(good(R"({"name":"a b")" + rest + "}"));
  EXPECT_FALSE(good(R"({"name":"a")" + rest + R"(,"concurrency":-1})"));
  EXPECT_FALSE(good(R"({"name":"a")" + rest + R"(,"priority":10})"));
  EXPECT_FALSE(good(R"({"name":"a")" + rest + R"(,"revoked":"yesterday"})"));
  EXPECT_FALSE(good(R"({"name":"a")" + rest + R"(},{"name":"a")" + rest + "}"));
  EXPECT_FALSE(good(R"({"name":"a")" + rest + R"(},{"name":"b")" + rest + "}"));  // one key twice
  EXPECT_FALSE(good(R"({"name":"a","sha256":"abc","created":"2026-11-30T08:00:00Z"})"));
  EXPECT_FALSE(good("7"));
  EXPECT_FALSE(read_key_file(R"({"schema":"sextant.keys/2","keys":[]})"));
  EXPECT_FALSE(read_key_file(R"({"schema":"sextant.keys/1"})"));
  EXPECT_FALSE(read_key_file(""));
}

TEST(KeyFile, AKeyHasAllOfItsBits) {
  Sha256 zeros{}, ones{};
  ones.fill(0xff);
  EXPECT_EQ(key_of(zeros), "sk-sextant-" + std::string(43, 'A'));
  EXPECT_EQ(key_of(ones), "sk-sextant-" + std::string(42, '_') + "8");
  Sha256 last{};
  last.back() = 1;
  EXPECT_NE(key_of(last), key_of(zeros));
}

class KeyStore : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("sx_keys_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / "keys.json").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void add(const KeyRow& more) const {
    const auto changed = change_keys(path_, [&](std::vector<KeyRow>& rows) -> Result<void> {
      rows.push_back(more);
      return {};
    });
    ASSERT_TRUE(changed) << changed.error().what;
  }
  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(KeyStore, IsMadeForItsOwnerAlone) {
  add(row("a", "one"));
  add(row("b", "two"));
  struct stat there{};
  ASSERT_EQ(::stat(path_.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777U, 0600U);
  EXPECT_EQ(load_keys(path_)->size(), 2U);
}

TEST_F(KeyStore, OneThatOthersMayReadOrChangeIsRefused) {
  add(row("a", "one"));
  for (const mode_t mode : {0604U, 0660U, 0602U, 0620U, 0644U}) {
    ::chmod(path_.c_str(), mode);
    EXPECT_FALSE(load_keys(path_)) << std::oct << mode;
  }
  for (const mode_t mode : {0600U, 0400U, 0440U, 0640U}) {
    ::chmod(path_.c_str(), mode);
    EXPECT_TRUE(load_keys(path_)) << std::oct << mode;
  }
}

TEST_F(KeyStore, AChangeThatIsRefusedWritesNothing) {
  add(row("a", "one"));
  const auto changed = change_keys(path_, [](std::vector<KeyRow>& rows) -> Result<void> {
    rows.clear();
    return fail(Error::Kind::Refused, "no", "不");
  });
  EXPECT_FALSE(changed);
  EXPECT_EQ(load_keys(path_)->size(), 1U);
}

TEST_F(KeyStore, AChangeThroughALinkReachesTheFileBehindIt) {
  add(row("a", "one"));
  const std::string file = path_;
  path_ = (folder_ / "link.json").string();
  ASSERT_EQ(::symlink(file.c_str(), path_.c_str()), 0);
  add(row("b", "two"));
  EXPECT_EQ(load_keys(file)->size(), 2U);
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
}

TEST_F(KeyStore, AChangeLeavesItToTheGroupThatMayReadIt) {
  add(row("a", "one"));
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  add(row("b", "two"));
  struct stat there{};
  ASSERT_EQ(::stat(path_.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777U, 0640U);
}

// Not one byte of it changes, and the time of its last change does not either.
TEST_F(KeyStore, OneThatIsOpenedToOthersIsSaidOnce) {
  add(row("a", "one"));
  GatewayKeys keys;
  KeyWatch watch(keys);
  ASSERT_TRUE(watch.begin(path_));
  ASSERT_TRUE(watch.look());
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  const auto looked = watch.look();
  ASSERT_FALSE(looked);
  EXPECT_NE(looked.error().what.find("open to other users"), std::string::npos);
  EXPECT_FALSE(watch.good());
  EXPECT_EQ(keys.good(), 1U) << "who was let in still is";
  EXPECT_TRUE(watch.look()) << "said a second time";
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_TRUE(watch.look());
  EXPECT_TRUE(watch.good());
}

TEST_F(KeyStore, AFolderIsNotToldToCloseItself) {
  const auto rows = load_keys(folder_.string());
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().what, folder_.string() + " is not a file");
}

TEST_F(KeyStore, AFileThatBecomesDamagedLeavesTheKeysAsTheyAre) {
  add(row("a", "one"));
  GatewayKeys keys;
  KeyWatch watch(keys);
  ASSERT_TRUE(watch.begin(path_));
  EXPECT_TRUE(keys.find("one"));
  std::ofstream(path_) << "{";
  EXPECT_FALSE(watch.look());
  EXPECT_FALSE(watch.good());
  EXPECT_TRUE(watch.look());  // it is told once
  EXPECT_TRUE(keys.find("one"));
  std::ofstream(path_) << key_file_text({row("b", "two")});
  EXPECT_TRUE(watch.look());
  EXPECT_TRUE(watch.good());
  EXPECT_FALSE(keys.find("one"));
  EXPECT_TRUE(keys.find("two"));
}

TEST_F(KeyStore, AChangeThatCouldNotBeReadIsReadOnceItCan) {
  add(row("a", "one"));
  GatewayKeys keys;
  KeyWatch watch(keys);
  ASSERT_TRUE(watch.begin(path_));
  std::ofstream(path_) << key_file_text({row("b", "two")});
  {
    const NoDescriptors none;
    EXPECT_FALSE(watch.look());
    EXPECT_TRUE(watch.look()) << "said a second time";
  }
  EXPECT_TRUE(watch.look());
  EXPECT_TRUE(watch.good());
  EXPECT_FALSE(keys.find("one")) << "a key that was taken away";
  EXPECT_TRUE(keys.find("two"));
}

TEST_F(KeyStore, AFileThatCannotBeReadLetsNobodyIn) {
  GatewayKeys keys;
  KeyWatch watch(keys);
  EXPECT_EQ(keys.state(), GatewayKeys::State::Open);
  EXPECT_FALSE(watch.begin(path_));
  EXPECT_EQ(keys.state(), GatewayKeys::State::Locked);
  add(row("a", "one"));
  EXPECT_TRUE(watch.look());
  EXPECT_EQ(keys.state(), GatewayKeys::State::Asked);
}

TEST(KeyTable, AreFoundByWhatTheyAre) {
  GatewayKeys keys;
  std::vector<KeyRow> rows;
  for (int i = 0; i < 500; ++i)
    rows.push_back(row("k" + std::to_string(i), "key" + std::to_string(i)));
  rows[7].revoked = "2026-11-30T09:00:00Z";
  keys.set(rows);
  for (int i = 0; i < 500; ++i) {
    const auto use = keys.find("key" + std::to_string(i));
    ASSERT_EQ(use != nullptr, i != 7) << i;
    if (use) EXPECT_EQ(use->name, "k" + std::to_string(i));
  }
  EXPECT_EQ(keys.good(), 499U);
  for (const char* other : {"", "key", "key500", "k1", "key1 "}) EXPECT_FALSE(keys.find(other));
}

TEST(KeyTable, ADigestIsComparedToItsEnd) {
  for (const std::size_t byte : {std::size_t{0}, std::size_t{8}, std::size_t{31}}) {
    KeyRow almost = row("a", "one");
    almost.digest[byte] ^= 1U;
    GatewayKeys keys;
    keys.set({almost});
    EXPECT_FALSE(keys.find("one")) << byte;
  }
}

TEST(KeyTable, WhatANameHasUsedStaysOverANewFile) {
  GatewayKeys keys;
  keys.set({row("a", "one"), row("b", "two")});
  const auto a = keys.find("one");
  const KeyHold hold(a, 100);
  keys.set({row("b", "two", {.concurrency = 4})});
  EXPECT_FALSE(keys.find("one"));
  EXPECT_EQ(keys.uses().size(), 2U);  // its request goes on
  EXPECT_EQ(keys.find("two")->limits.concurrency, 4);
  keys.set({row("a", "new", {.concurrency = 1}), row("b", "two")});
  EXPECT_EQ(keys.find("new"), a);
  EXPECT_TRUE(limit_hit(*a, 100));
}

TEST(KeyTable, StandInEitherField) {
  const auto in = [](std::vector<HeadField> fields) { return key_in(fields); };
  const auto field = [](std::string_view name, std::string_view value, HeadName known) {
    return HeadField{.name = name, .value = value, .known = known};
  };
  using enum HeadName;
  EXPECT_EQ(in({field("authorization", "Bearer k", Authorization)}), "k");
  EXPECT_EQ(in({field("Authorization", "bearer  k ", Authorization)}), "k");
  EXPECT_EQ(in({field("X-Api-Key", "k", ApiKey)}), "k");
  EXPECT_EQ(in({field("Authorization", "Basic k", Authorization)}), "");
  EXPECT_EQ(in({field("Authorization", "Bearer", Authorization)}), "");
  EXPECT_EQ(
      in({field("Authorization", "Bearer a", Authorization), field("x-api-key", "b", ApiKey)}),
      "a");
  EXPECT_EQ(in({}), "");
}

TEST(TokenWindow, ForgetsWhatIsAMinuteOld) {
  TokenWindow window;
  window.add(1000, 10);
  window.add(1030, 5);
  EXPECT_EQ(window.used(1030), 15U);
  EXPECT_EQ(window.used(1059), 15U);
  EXPECT_EQ(window.used(1060), 5U);
  EXPECT_EQ(window.used(1090), 0U);
  window.add(5000, 1);
  EXPECT_EQ(window.used(5000), 1U);
}

TEST(TokenWindow, SaysWhenThereIsRoom) {
  TokenWindow window;
  window.add(1000, 10);
  window.add(1020, 10);
  EXPECT_EQ(window.wait(1020, 21), 0);
  EXPECT_EQ(window.wait(1020, 20), 40);  // the first ten leave at 1060
  EXPECT_EQ(window.wait(1020, 10), 60);  // the others at 1080
  EXPECT_EQ(window.wait(1059, 20), 1);
  EXPECT_EQ(window.wait(1060, 20), 0);
}

TEST(TokenWindow, IsCorrectedWhereTheGuessWas) {
  TokenWindow window;
  window.add(1000, 100);
  window.correct(1000, 1010, -60);
  EXPECT_EQ(window.used(1010), 40U);
  window.correct(1000, 1010, 5);
  EXPECT_EQ(window.used(1059), 45U);
  EXPECT_EQ(window.used(1060), 5U);
  window.correct(1000, 1061, -60);  // what it was about has gone
  EXPECT_EQ(window.used(1061), 5U);
  window.add(1061, 7);
  window.correct(1001, 1061, -60);  // its place is that of 1061 now
  EXPECT_EQ(window.used(1061), 12U);
  window.correct(1061, 1061, -7);
  window.correct(1010, 1062, -1000);  // never below nothing
  EXPECT_EQ(window.used(1062), 0U);
}

TEST(KeyLimits, HoldForRequestsAtATime) {
  const auto use = std::make_shared<KeyUse>();
  use->limits.concurrency = 2;
  KeyHold one(use, 100);
  EXPECT_FALSE(limit_hit(*use, 100));
  {
    const KeyHold two(use, 100);
    const auto hit = limit_hit(*use, 100);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->which, LimitHit::Which::AtATime);
    EXPECT_EQ(hit->limit, 2);
    EXPECT_EQ(hit->retry_after, 1);
  }
  EXPECT_FALSE(limit_hit(*use, 100));
  KeyHold moved = std::move(one);
  EXPECT_EQ(use->in_flight, 1U);
  moved = {};
  EXPECT_EQ(use->in_flight, 0U);
  EXPECT_EQ(use->requests, 2U);
  EXPECT_EQ(use->over_concurrency, 1U);
}

TEST(KeyLimits, HoldForTokensWithinAMinute) {
  const auto use = std::make_shared<KeyUse>();
  use->limits.tokens_per_minute = 1000;
  KeyHold one(use, 100);
  one.guess(1500);  // one request may go beyond it, the next one waits
  const auto hit = limit_hit(*use, 110);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->which, LimitHit::Which::PerMinute);
  EXPECT_EQ(hit->retry_after, 50);
  one.settle(120, 300);
  EXPECT_FALSE(limit_hit(*use, 120));
  EXPECT_EQ(use->tokens, 300U);
  EXPECT_EQ(use->window.used(120), 300U);
}

TEST(KeyLimits, GuessesAreBounded) {
  EXPECT_EQ(guessed_prompt(4000), 1000U);
  EXPECT_EQ(guessed_prompt(std::uint64_t{1} << 40U), 32'768U);
  EXPECT_EQ(guessed_answer(50, 1 << 20), 50U);
  EXPECT_EQ(guessed_answer(0, 400), 100U);
  EXPECT_EQ(guessed_answer(0, 1 << 20), 1024U);
}

}  // namespace
}  // namespace sx
