// The kernel's count of kills for lack of memory, before and after: risen, not risen, not known.
#include "run/oom_watch.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(OomWatch, WithoutAGroupTheMachineCounts) {
  MemoryFiles files;
  files.add("/proc/vmstat", "nr_free_pages 7\noom_kill 3\n");
  const OomWatch watch("", files);
  EXPECT_EQ(watch.since(false), OomKills{.count = 0});
  files.add("/proc/vmstat", "nr_free_pages 7\noom_kill 5\n");
  EXPECT_EQ(watch.since(false), (OomKills{.count = 2, .of_others = true}));
  files.add("/proc/vmstat", "nr_free_pages 7\noom_kill 1\n");  // it does not count backwards
  EXPECT_EQ(watch.since(false), OomKills{});
  files.add("/proc/vmstat", "nr_free_pages 7\n");
  EXPECT_EQ(watch.since(false), OomKills{});
}

TEST(OomWatch, WhatNobodyCountedBeforeIsNotKnownAfterwards) {
  MemoryFiles files;
  const OomWatch watch("", files);
  files.add("/proc/vmstat", "oom_kill 5\n");
  EXPECT_EQ(watch.since(false), OomKills{});
}

}  // namespace
}  // namespace sx
