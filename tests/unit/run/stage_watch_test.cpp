// The engine's own progress bars.
#include "run/stage_watch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "temporary_folder.h"

namespace sx {
namespace {

TEST(PercentIn, TheLastBarCounts) {
  EXPECT_EQ(percent_in(""), -1);
  EXPECT_EQ(percent_in("usage is 85% of the card"), -1);
  EXPECT_EQ(percent_in("shards:  50% Completed | 1/2"), 50);
  EXPECT_EQ(percent_in("shards:   0% Completed | 0/2\rshards: 100% Completed | 2/2\n"), 100);
  EXPECT_EQ(percent_in("Capturing (bs=8):  25%|##5   | 1/4, 3% of it left"), 25);
  EXPECT_EQ(percent_in("%| 999%| x%|"), -1);
  EXPECT_EQ(percent_in("%"), -1);
}

TEST(StageWatch, ABarOfAnEarlierStageSaysNothingOfTheNext) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/engine.log";
  std::ofstream log(path);
  StageWatch watch(path, "sglang");
  log << "[2026-11-30 10:00:00 TP0] Load weight begin. avail mem=46.87 GB\n"
         "Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:01<00:01,  1.02s/it]\n"
      << std::flush;
  auto news = watch.look();
  EXPECT_EQ(news.stage, "load");
  EXPECT_EQ(news.percent, 50);
  log << "[2026-11-30 10:00:09 TP0] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 447811, "
         "K "
         "size: 11.96 GB, V size: 11.96 GB\n"
      << std::flush;
  news = watch.look();
  EXPECT_EQ(news.stage, "kv");
  EXPECT_EQ(news.percent, -1);
}

}  // namespace
}  // namespace sx
