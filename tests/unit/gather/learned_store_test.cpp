// What is kept of launches: it comes back as it was, and nothing that stands in the file is lost.
#include "gather/learned_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sys/files.h"

namespace sx {
namespace {

LearnedRun run_of(const std::string& key) {
  LearnedRun run;
  run.key = key;
  run.engine = "vllm";
  run.version = "0.23.0";
  run.model = "a/b";
  run.date = "2026-11-30";
  run.gpus = {{.gpu = 0,
               .weights = gib(7),
               .activations = {},
               .graphs = mib(400),
               .runtime = {},
               .kv_cache = gib(27)}};
  run.kv_tokens = Tokens{1000};
  return run;
}

class LearnedFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("sx_learned_" + std::to_string(::getpid()));
    outside_.files = &real_files();
    outside_.environment = Environment({{"XDG_DATA_HOME", folder_.string()}});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string text() const {
    std::ifstream file(learned_path(outside_.environment));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::filesystem::path folder_;
  Outside outside_;
};

TEST(LearnedLine, ComesBackAsItWas) {
  const LearnedStore store = parse_learned(to_line(run_of("k | \"quoted\" 中")));
  ASSERT_EQ(store.runs.size(), 1U);
  const LearnedRun& run = store.runs.front();
  EXPECT_EQ(run.key, "k | \"quoted\" 中");
  EXPECT_EQ(run.gpus[0].weights, gib(7));
  EXPECT_FALSE(run.gpus[0].activations);
  EXPECT_EQ(run.kv_tokens, Tokens{1000});
}

TEST_F(LearnedFile, IsMadeAndGrows) {
  ASSERT_TRUE(save_learned(run_of("a"), outside_));
  ASSERT_TRUE(save_learned(run_of("b"), outside_));
  EXPECT_EQ(read_learned(outside_).size(), 2U);
}

TEST_F(LearnedFile, ANewerRunTakesThePlaceOfTheSameLaunch) {
  ASSERT_TRUE(save_learned(run_of("a"), outside_));
  LearnedRun newer = run_of("a");
  newer.date = "2026-12-01";
  ASSERT_TRUE(save_learned(newer, outside_));
  ASSERT_EQ(read_learned(outside_).size(), 1U);
  EXPECT_EQ(read_learned(outside_).front().date, "2026-12-01");
}

TEST_F(LearnedFile, LinesThatCannotBeReadStay) {
  std::filesystem::create_directories(folder_ / "sextant");
  std::ofstream(learned_path(outside_.environment)) << "{ broken\n{\"schema\":\"other/2\"}\n";
  ASSERT_TRUE(save_learned(run_of("a"), outside_));
  EXPECT_TRUE(text().starts_with("{ broken\n{\"schema\":\"other/2\"}\n")) << text();
  EXPECT_EQ(read_learned(outside_).size(), 1U);
}

TEST_F(LearnedFile, TheOldestGo) {
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(save_learned(run_of("first" + std::to_string(i)), outside_));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += to_line(run_of("k" + std::to_string(i))) + '\n';
  std::ofstream(learned_path(outside_.environment)) << many;
  ASSERT_TRUE(save_learned(run_of("last"), outside_));
  const auto runs = read_learned(outside_);
  ASSERT_EQ(runs.size(), 1000U);
  EXPECT_EQ(runs.front().key, "k1");
  EXPECT_EQ(runs.back().key, "last");
}

TEST(LearnedPath, FollowsTheStandard) {
  EXPECT_EQ(learned_path(Environment({{"HOME", "/home/u"}})),
            "/home/u/.local/share/sextant/learned.jsonl");
  EXPECT_EQ(learned_path(Environment({{"HOME", "/h"}, {"XDG_DATA_HOME", "relative"}})),
            "/h/.local/share/sextant/learned.jsonl");
  EXPECT_EQ(learned_path(Environment()), "");
}

}  // namespace
}  // namespace sx
