// This machine, with a driver and files made for the test.
#include <gtest/gtest.h>

#include "gather/gather_host.h"
#include "gather/host_file.h"

namespace sx {
namespace {

NvmlAnswer two_cards() {
  NvmlAnswer answer;
  answer.driver = "550.54.15";
  answer.cuda = "12.4";
  for (int i = 0; i < 2; ++i) {
    NvmlGpu gpu;
    gpu.name = "NVIDIA A100-PCIE-40GB";
    gpu.pci = i == 0 ? "00000000:1A:00.0" : "00000000:1B:00.0";
    gpu.memory = mib(40960);
    gpu.used = mib(424);
    gpu.capability_major = 8;
    gpu.capability_minor = 0;
    gpu.compute_mode = 3;
    gpu.numa = 1;
    answer.gpus.push_back(gpu);
  }
  answer.classes = {{"X", "NV12"}, {"NV12", "X"}};
  answer.p2p = {{"X", "OK"}, {"OK", "X"}};
  return answer;
}

HostSpec live(std::function<Result<NvmlAnswer>()> nvml, const MemoryFiles& files = {}) {
  Sources sources;
  Outside outside;
  outside.files = &files;
  outside.nvml = std::move(nvml);
  auto host = gather_host(sources, {}, outside);
  EXPECT_TRUE(host);
  return std::move(*host);
}

TEST(HostLive, TheConditionIsToldInWordsAndKeptInAFile) {
  MemoryFiles files;
  files.add("/proc/4242/comm", "VLLM::EngineCor\n");
  files.add("/proc/cmdline", "BOOT_IMAGE=/vmlinuz intel_iommu=on\n");
  files.add("/sys/class/net/eth0/mtu", "1500\n");
  NvmlAnswer answer = two_cards();
  answer.gpus[0].condition.slowdowns = 0x48;
  answer.gpus[0].condition.remap_pending = true;
  answer.gpus[0].condition.processes_told = true;
  answer.gpus[0].condition.processes = {{4242, mib(400)}, {4243, {}}};
  const HostSpec host = live([&] { return Result<NvmlAnswer>(answer); }, files);
  const auto& state = host.gpus[0].state;
  EXPECT_EQ(state.slowdowns.value(),
            (std::vector<std::string>{"HW Slowdown", "HW Thermal Slowdown"}));
  const std::vector<GpuProcess> owners{{4242, "VLLM::EngineCor", mib(400)}, {4243, "", {}}};
  EXPECT_EQ(state.processes.value(), owners);
  EXPECT_FALSE(host.gpus[1].state.processes.known());
  EXPECT_EQ(host.state.interfaces.value(), std::vector<std::string>{"eth0"});
  Sources sources;
  const auto again = host_from_json(sources, sources.add({.text = host_to_json(host)}));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->gpus[0].state.processes.value(), owners);
  EXPECT_EQ(again->gpus[0].state.remap_pending.value(), true);
  EXPECT_FALSE(again->gpus[0].state.remap_failed.known());
  EXPECT_EQ(again->state.kernel_command_line.value(), "BOOT_IMAGE=/vmlinuz intel_iommu=on");
  EXPECT_EQ(host_to_json(*again).find("\"state\": {}"), std::string::npos);
}

TEST(HostLive, TheDriverAndTheSystemTellTogether) {
  MemoryFiles files;
  files.add("/proc/meminfo", "MemTotal: 1048576 kB\nMemAvailable: 524288 kB\n");
  files.add("/proc/mounts", "shm /dev/shm tmpfs rw,size=65536k 0 0\n");
  files.add(
      "/proc/self/limits",
      "Max open files            1024  1048576  files\nMax locked memory  65536 65536 bytes\n");
  files.add("/proc/cpuinfo", "processor : 0\nprocessor : 1\n");
  files.add("/proc/net/tcp", "  0: 0100007F:1F40 00000000:0000 0A\n");
  files.add("/sys/bus/pci/devices/0000:1a:00.0/numa_node", "0\n");
  const HostSpec host = live([] { return Result<NvmlAnswer>(two_cards()); }, files);
  EXPECT_EQ(host.from, HostFrom::Live);
  EXPECT_EQ(host.gpu_count.value(), 2);
  EXPECT_EQ(host.gpus[0].used.value(), mib(424));
  EXPECT_EQ(host.gpus[0].numa.value(), 0);
  EXPECT_EQ(host.gpus[1].numa.value(), 1);
  EXPECT_EQ(host.gpus[0].compute_mode, "Exclusive_Process");
  EXPECT_EQ(host.gpus[0].usable.origin(), Origin::Measured);
  EXPECT_EQ(host.gpus[0].nvlink.value(), true);
  EXPECT_EQ(host.links.classes.at(0).at(1), "NV12");
  EXPECT_EQ(host.driver.value(), "550.54.15");
  EXPECT_EQ(host.shared_memory.value(), mib(64));
  EXPECT_EQ(host.memory.value(), gib(1));
  EXPECT_EQ(host.open_files.value(), 1024);
  EXPECT_EQ(host.locked_memory.value(), kib(64));
  EXPECT_EQ(host.cpu_count.value(), 2);
  ASSERT_EQ(host.used_ports.value().size(), 1U);
  EXPECT_EQ(host.used_ports.value()[0].port, 8000);
  EXPECT_FALSE(host.memory_limit.known());
}

TEST(HostLive, NoLibraryIsNotNoGpu) {
  const HostSpec host =
      live([] { return Result<NvmlAnswer>(fail(Error::Kind::Absent, "x", "x")); });
  EXPECT_FALSE(host.gpu_count.known());
  EXPECT_NE(rendered(host.gpu_count.why_unknown(), Language::English).find("NVML was not found"),
            std::string::npos);
  EXPECT_FALSE(host.links.known());
}

TEST(HostLive, ADriverThatSeesNoGpuIsBelieved) {
  const HostSpec host = live([] { return Result<NvmlAnswer>(NvmlAnswer{}); });
  EXPECT_EQ(host.gpu_count.value(), 0);
  EXPECT_TRUE(host.gpus.empty());
}

TEST(HostLive, ARefusalIsToldAndTheModuleStillNamesItsVersion) {
  MemoryFiles files;
  files.add("/proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n");
  const HostSpec host = live(
      [] {
        return Result<NvmlAnswer>(
            fail(Error::Kind::Refused, "driver/library version mismatch", "驱动与库版本不一致"));
      },
      files);
  EXPECT_FALSE(host.gpu_count.known());
  EXPECT_EQ(host.driver.value(), "580.95.05");
  bool told = false;
  for (const auto& [what, why] : host.unknown) {
    told = told || (what == "nvml" &&
                    rendered(why, Language::English).find("mismatch") != std::string::npos);
  }
  EXPECT_TRUE(told);
}

TEST(HostLive, OneGpuHasAMatrixOfItself) {
  const HostSpec host = live([] {
    NvmlAnswer answer = two_cards();
    answer.gpus.resize(1);
    answer.classes.clear();
    answer.p2p.clear();
    return Result<NvmlAnswer>(answer);
  });
  EXPECT_TRUE(host.links.known());
}

TEST(HostLive, NothingAtAllIsStillAMachine) {
  Sources sources;
  const auto host = gather_host(sources, {}, Outside{});
  ASSERT_TRUE(host);
  EXPECT_FALSE(host->gpu_count.known());
  EXPECT_FALSE(host->unknown.empty());
}

}  // namespace
}  // namespace sx
