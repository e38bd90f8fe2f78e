// collect_env reports of torch, vLLM and SGLang; and texts that are no machine, or mean harm.
#include <gtest/gtest.h>

#include <ctime>

#include "machine_fixtures.h"

namespace sx {
namespace {

TEST(MachineReport, VllmTellsCardsVersionsAndVariables) {
  const auto machine = machine_of(R"(Collecting environment information...
==============================
       PyTorch Info
==============================
PyTorch version              : 2.8.0+cu128
==============================
       CUDA / GPU Info
==============================
Is CUDA available            : True
GPU models and configuration :
GPU 0: NVIDIA H200
GPU 1: NVIDIA H200

Nvidia driver version        : 570.86.10
[pip3] nvidia-nccl-cu12==2.27.3
vLLM Version                 : 0.11.0
GPU Topology:
	GPU0	GPU1	CPU Affinity	NUMA Affinity	GPU NUMA ID
GPU0	 X 	NV18	0-47	0		N/A
GPU1	NV18	 X 	0-47	0		N/A

==============================
     Environment Variables
==============================
NCCL_P2P_DISABLE=1
MY_OWN=yes
)");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->driver, "570.86.10");
  ASSERT_EQ(machine->gpus.size(), 2U);
  EXPECT_EQ(machine->gpus[1].name, "NVIDIA H200");
  EXPECT_EQ(machine->state.vllm.value, "0.11.0");
  EXPECT_EQ(machine->state.torch.value, "2.8.0+cu128");
  EXPECT_EQ(machine->state.nccl.value, "2.27.3");
  ASSERT_EQ(machine->environment.size(), 2U);
  EXPECT_EQ(machine->environment[0], std::pair(std::string("NCCL_P2P_DISABLE"), std::string("1")));
  EXPECT_EQ(machine->topology.classes.size(), 2U);
}

TEST(MachineReport, TorchPutsTheFirstCardBehindTheHeading) {
  const auto machine = machine_of(
      "PyTorch version: 2.3.0\nGPU models and configuration: GPU 0: Tesla V100-SXM2-16GB\n"
      "GPU 1: Tesla V100-SXM2-16GB\nNvidia driver version: Could not collect\n");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->gpus.size(), 2U);
  EXPECT_TRUE(machine->driver.empty());
}

TEST(MachineReport, SglangMergesEqualCards) {
  const auto machine = machine_of(
      "CUDA available: True\nGPU 0,1,2,3: NVIDIA H100 80GB HBM3\nCUDA Driver Version: 550.54.15\n");
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus.size(), 4U);
  EXPECT_EQ(machine->gpus[3].index, 3);
  EXPECT_EQ(machine->driver, "550.54.15");
}

TEST(MachineReport, AScriptIsNoReport) {
  EXPECT_FALSE(machine_of("export NCCL_DEBUG=INFO\nCUDA_VISIBLE_DEVICES=0 vllm serve x\n"));
}

TEST(MachineReport, NothingReadSaysWhatIsTaken) {
  const auto nothing = machine_of("hello\n");
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().what.find("nvidia-smi topo -m"), std::string::npos);
  EXPECT_FALSE(machine_of(""));
}

TEST(MachineReport, AFailedNvidiaSmiIsQuoted) {
  const auto failed =
      machine_of("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().what.find("couldn't communicate"), std::string::npos);
}

TEST(MachineReport, ADriverOfTwoVersionsIsAMachineWhoseGpusCannotBeSeen) {
  const auto machine = machine_of(
      "Failed to initialize NVML: Driver/library version mismatch\n"
      "NVML library version: 550.54\n");
  ASSERT_TRUE(machine);
  EXPECT_TRUE(machine->gpus.empty());
  EXPECT_EQ(machine->state.driver_failure.value,
            "Failed to initialize NVML: Driver/library version mismatch");
  EXPECT_EQ(machine->state.driver_library.value, "550.54");
}

TEST(MachineReport, EveryPrefixOfAGoodTextIsAnsweredOrRefused) {
  const std::string text = topology_file("52_pasted_inside_collect_env.txt");
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto machine = machine_of(text.substr(0, length));
    if (machine) EXPECT_LE(machine->topology.names.size(), 4U);
  }
}

TEST(MachineReport, BytesThatAreNoTextDoNoHarm) {
  std::string text = topology_file("01_dgx_a100_8x_nvswitch_nps4_nics.txt");
  for (std::size_t i = 0; i < text.size(); i += 7) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(i * 37);
    (void)machine_of(damaged);
  }
}

// Loose, for a busy machine under sanitizers; a square would take hours.
TEST(MachineReport, LargeTextsTakeLinearTime) {
  constexpr std::size_t kSize = std::size_t{1} << 19;  // a quadratic reader takes minutes for this
  constexpr double kSoonSeconds = 15;                  // of this process, under sanitizers
  const auto filled = [](std::string_view piece) {
    std::string text;
    while (text.size() < kSize) text += piece;
    return text;
  };
  for (const char* piece :
       {"GPU0", "\r", "\n", "|", ",", "GPU0\tGPU1\n", "GPU0\tX\tSYS\n", "| 00000000:07:00.0 |\n",
        "a, b\n", "NVIDIA-SMI Version\n", "K=V\n", "GPU 0: NVIDIA L4\n", "x : y\n"}) {
    const std::clock_t begin = std::clock();
    (void)machine_of(filled(piece));
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, kSoonSeconds) << piece;
  }
}

TEST(MachineReport, ATextBeyondTheLimitIsRefused) {
  const auto machine = machine_of(std::string((std::size_t{64} << 20) + 1, ' '));
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().kind, Error::Kind::TooLarge);
}

}  // namespace
}  // namespace sx
