// Room is what the machine and every group above allow; what a process holds is not what it maps.
#include "sys/memory_room.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

MemoryFiles machine(std::string groups) {
  MemoryFiles files;
  files.add("/proc/meminfo", "MemTotal:  100 kB\nMemAvailable:   80 kB\n");
  files.add("/proc/self/cgroup", std::move(groups));
  return files;
}

TEST(MemoryRoom, WithoutLimitsItIsWhatTheMachineCanGive) {
  EXPECT_EQ(memory_room(machine("0::/\n")), kib(80));
  EXPECT_FALSE(memory_room(MemoryFiles()));
}

TEST(MemoryRoom, AGroupAboveMayAllowLess) {
  MemoryFiles files = machine("0::/a/b\n");
  files.add("/sys/fs/cgroup/a/b/memory.max", "max\n")
      .add("/sys/fs/cgroup/a/b/memory.current", "1\n");
  files.add("/sys/fs/cgroup/a/memory.max", "51200\n");
  files.add("/sys/fs/cgroup/a/memory.current", "40960\n");
  EXPECT_EQ(memory_room(files), kib(10));
  files.add("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 20480\n");  // caches give way
  EXPECT_EQ(memory_room(files), kib(30));
  files.add("/sys/fs/cgroup/a/memory.current", "999999\n");
  EXPECT_EQ(memory_room(files), Bytes{0});
}

TEST(MemoryRoom, GroupsOfVersionOneCountTheSame) {
  MemoryFiles files = machine("9:name=systemd:/\n4:memory:/x\n0::/\n");
  files.add("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "20480\n");
  files.add("/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "10240\n");
  EXPECT_EQ(memory_room(files), kib(10));
}

TEST(HeldMemory, IsOfAllOfThemWithoutMappedFiles) {
  MemoryFiles files;
  files.add("/proc/7/status",
            "VmRSS: 900 kB\nRssAnon:  100 kB\nRssFile: 790 kB\nRssShmem: 10 kB\n");
  files.add("/proc/8/status", "RssAnon:\t5 kB\nRssShmem:\t0 kB\n");
  EXPECT_EQ(held_memory(files, {7, 8}), kib(115));
  EXPECT_FALSE(held_memory(files, {7, 9}));
}

}  // namespace
}  // namespace sx
