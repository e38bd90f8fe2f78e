// /proc and /sys as they are written, and as they are when something is odd.
#include "sys/procfs.h"

#include <gtest/gtest.h>

namespace sx {
namespace {

TEST(Procfs, MemoryIsInKibibytes) {
  const MemoryInfo info =
      parse_meminfo("MemTotal:       1056270000 kB\nMemFree: 1 kB\nMemAvailable:   900000000 kB\n");
  EXPECT_EQ(info.total, kib(1056270000));
  EXPECT_EQ(info.available, kib(900000000));
  EXPECT_EQ(parse_meminfo("").total, std::nullopt);
  EXPECT_EQ(parse_meminfo("MemTotal: -5 kB\n").total, std::nullopt);
  EXPECT_EQ(parse_meminfo("MemTotal: 99999999999999999999 kB\n").total, std::nullopt);
  EXPECT_EQ(parse_meminfo("MemTotal: 5 MB\n").total, std::nullopt);
}

TEST(Procfs, TheTightestGroupOfVersionTwoCounts) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "0::/a/b\n");
  files.add("/sys/fs/cgroup/a/b/memory.max", "max\n");
  files.add("/sys/fs/cgroup/a/memory.max", "1073741824\n");
  EXPECT_EQ(control_group_memory_limit(files), gib(1));
}

TEST(Procfs, AContainerSeesItsOwnGroupAtTheTop) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "0::/../../kubepods/pod1\n");
  files.add("/sys/fs/cgroup/memory.max", "2147483648\n");
  EXPECT_EQ(control_group_memory_limit(files), gib(2));
}

TEST(Procfs, VersionOneSaysNoLimitByAHugeNumber) {
  MemoryFiles files;
  files.add("/proc/self/cgroup", "11:cpu,cpuacct:/x\n4:memory:/docker/1\n");
  files.add("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(control_group_memory_limit(files), std::nullopt);
  files.add("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "4294967296\n");
  EXPECT_EQ(control_group_memory_limit(files), gib(4));
  EXPECT_EQ(control_group_memory_limit(MemoryFiles{}), std::nullopt);
}

TEST(Procfs, LimitsAreTheSoftOnes) {
  const ProcessLimits limits = parse_limits(
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max open files            1024                 1048576              files     \n"
      "Max locked memory         8388608              unlimited            bytes     \n");
  EXPECT_EQ(limits.open_files, 1024);
  EXPECT_EQ(limits.locked_memory, mib(8));
  EXPECT_EQ(parse_limits("Max locked memory         unlimited  unlimited bytes\n").locked_memory,
            kNoLimit);
  EXPECT_EQ(parse_limits("Max open files\n").open_files, std::nullopt);
}

TEST(Procfs, NodesAndProcessorsAreCounted) {
  MemoryFiles files;
  files.add("/sys/devices/system/node/node0/cpulist", "0-3")
      .add("/sys/devices/system/node/node1/cpulist", "4-7");
  files.add("/sys/devices/system/node/online", "0-1");
  EXPECT_EQ(count_numa_nodes(files), 2);
  EXPECT_EQ(count_numa_nodes(MemoryFiles{}), std::nullopt);
  EXPECT_EQ(count_processors("processor\t: 0\nmodel name\t: x\n\nprocessor\t: 1\n"), 2);
}

TEST(Procfs, TheNodeOfAGpuIsFoundByItsBusId) {
  MemoryFiles files;
  files.add("/sys/bus/pci/devices/0000:1a:00.0/numa_node", "1\n");
  files.add("/sys/bus/pci/devices/0000:1b:00.0/numa_node", "-1\n");
  files.add("/sys/bus/pci/devices/00010000:1c:00.0/numa_node", "3\n");
  EXPECT_EQ(numa_node_of(files, "00000000:1A:00.0"), 1);
  EXPECT_EQ(numa_node_of(files, "0000:1A:00.0"), 1);
  EXPECT_EQ(numa_node_of(files, "00000000:1B:00.0"), std::nullopt);
  EXPECT_EQ(numa_node_of(files, "00010000:1C:00.0"), 3);
  EXPECT_EQ(numa_node_of(files, ""), std::nullopt);
  EXPECT_EQ(numa_node_of(files, "../../etc:x"), std::nullopt);
}

TEST(Procfs, ContainersLeaveMarks) {
  MemoryFiles docker;
  docker.add("/.dockerenv", "");
  EXPECT_EQ(in_container(docker, {}), true);
  MemoryFiles host;
  host.add("/proc/1/cgroup", "0::/init.scope\n");
  EXPECT_EQ(in_container(host, {}), false);
  EXPECT_EQ(in_container(host, Environment({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}})), true);
  MemoryFiles pod;
  pod.add("/proc/1/cgroup", "4:memory:/kubepods/burstable/pod1\n");
  EXPECT_EQ(in_container(pod, {}), true);
  EXPECT_EQ(in_container(MemoryFiles{}, {}), std::nullopt);
}

TEST(Procfs, TheSizeOfSharedMemoryIsAnOptionOfItsMount) {
  EXPECT_EQ(shared_memory_size("shm /dev/shm tmpfs rw,nosuid,size=65536k 0 0\n"), mib(64));
  EXPECT_EQ(shared_memory_size(
                "tmpfs /dev/shm tmpfs rw,size=1g 0 0\ntmpfs /dev/shm tmpfs rw,size=2g 0 0\n"),
            gib(2));
  EXPECT_EQ(shared_memory_size("tmpfs /dev/shm tmpfs rw 0 0\n"), std::nullopt);
  EXPECT_EQ(shared_memory_size("tmpfs /dev/shm tmpfs size=99999999999999g 0 0\n"), std::nullopt);
}

TEST(Procfs, ListeningPortsHaveTheirAddresses) {
  const auto ports = parse_listening_ports(
      "  sl  local_address rem_address   st tx_queue rx_queue\n"
      "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000\n"
      "   1: 00000000:0016 00000000:0000 0A 00000000:00000000\n"
      "   2: 0100007F:D431 0100007F:1F40 01 00000000:00000000\n"
      "   3: 00000000:0016 00000000:0000 0A 00000000:00000000\n"
      "   4: XX000000:0016 00000000:0000 0A 0\n   5: 00000000:FFFFF 0:0 0A\n   6: \n");
  ASSERT_EQ(ports.size(), 2U);
  EXPECT_EQ(ports[0], (ListeningPort{22, "0.0.0.0"}));
  EXPECT_EQ(ports[1], (ListeningPort{8000, "127.0.0.1"}));
  const auto six = parse_listening_ports(
      "   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A\n"
      "   1: 00000000000000000000000000000000:1F91 00000000000000000000000000000000:0000 0A\n");
  ASSERT_EQ(six.size(), 2U);
  EXPECT_EQ(six[0], (ListeningPort{8080, "::1"}));
  EXPECT_EQ(six[1], (ListeningPort{8081, "::"}));
}

TEST(Procfs, KillsForLackOfMemoryAreCountedUnderTheirOwnName) {
  EXPECT_EQ(oom_kills_in("oom_group_kill 4\nnr_oom_kill 3\noom_kill 2\nunevictable 0\n"), 2);
  EXPECT_EQ(oom_kills_in("oom_kill 0\n"), 0);
  for (const char* none : {"", "oom_kill", "oom_kill x\n", "oom_kill -1\n", "oom 3\n"})
    EXPECT_FALSE(oom_kills_in(none)) << none;
}

TEST(Procfs, TheSpaceOfAFolderIsAskedOfTheSystem) {
  const auto space = space_of("/");
  ASSERT_TRUE(space);
  EXPECT_GT(space->size, Bytes{0});
  EXPECT_FALSE(space_of("/no/such/folder"));
}

}  // namespace
}  // namespace sx
