// nvidia-smi: its box in many widths, -L, -q and CSV queries.
#include <gtest/gtest.h>

#include "machine_fixtures.h"

namespace sx {
namespace {

constexpr const char* kNew = R"(Thu Jan  1 00:00:00 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   30C    P0             62W /  400W |     512MiB /  81920MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA A100-SXM4-80GB          Off |   00000000:0F:00.0 Off |                    0 |
| N/A   31C    P0             61W /  400W |       0MiB /  81920MiB |      0%   E. Process |
|                                         |                        |              Enabled |
+-----------------------------------------+------------------------+----------------------+
+-----------------------------------------------------------------------------------------+
| MIG devices:                                                                            |
+------------------+----------------------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |                     Memory-Usage |        Vol|      Shared           |
|==================+==================================+===========+=======================|
|  1    1   0   0  |              25MiB /   40192MiB  | 42      0 |  3   0    2    0    0 |
+------------------+----------------------------------+-----------+-----------------------+
| Processes:                                                                              |
|    0   N/A  N/A            1234      C   python                                 500MiB |
+-----------------------------------------------------------------------------------------+
)";

TEST(MachineSmi, TheNewBoxIsReadWithItsMigRows) {
  const auto machine = machine_of(kNew);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->driver, "550.54.15");
  EXPECT_EQ(machine->cuda, "12.4");
  ASSERT_EQ(machine->gpus.size(), 2U);
  const PastedGpu& first = machine->gpus[0];
  EXPECT_EQ(first.name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(first.pci, "00000000:07:00.0");
  EXPECT_EQ(first.memory, mib(81920));
  EXPECT_EQ(first.used, mib(512));
  EXPECT_EQ(first.power_limit_w, 400);
  EXPECT_EQ(first.persistence, true);
  EXPECT_EQ(first.ecc, true);
  EXPECT_EQ(first.mig, false);
  EXPECT_EQ(first.compute_mode, "Default");
  EXPECT_EQ(machine->gpus[1].mig, true);
  EXPECT_EQ(machine->gpus[1].compute_mode, "E. Process");
  EXPECT_EQ(machine->gpus[1].memory, mib(81920));
  EXPECT_TRUE(machine->unread.empty());
}

TEST(MachineSmi, TheOldNarrowBoxCutsNames) {
  const auto machine = machine_of(R"(
| NVIDIA-SMI 418.126.02   Driver Version: 418.126.02   CUDA Version: 10.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla V100-SXM2...  On   | 00000000:1A:00.0 Off |                    0 |
| N/A   38C    P0    42W / 300W |      0MiB / 16160MiB |      0%      Default |
|   1  GeForce GTX 108...  Off  | 00000000:1B:00.0 Off |                  N/A |
| 23%   38C    P8     9W / 250W |      0MiB / 11178MiB |      0%      Default |
)");
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus.size(), 2U);
  EXPECT_EQ(machine->gpus[0].name, "Tesla V100-SXM2...");
  EXPECT_EQ(machine->gpus[0].memory, mib(16160));
  EXPECT_EQ(machine->gpus[1].ecc, std::nullopt);
  EXPECT_EQ(machine->driver, "418.126.02");
}

TEST(MachineSmi, TheBannerOfNewestDriversHasOtherWords) {
  const auto machine =
      machine_of("| NVIDIA-SMI 610.43.02   KMD Version: 610.43.02   CUDA UMD Version: 13.3 |\n");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->driver, "610.43.02");
  EXPECT_EQ(machine->cuda, "13.3");
}

TEST(MachineSmi, ADeadGpuIsCountedAndItsValuesAreUnknown) {
  const auto machine = machine_of(R"(
|   0  NVIDIA H100 80GB HBM3          On  | 00000000:07:00.0 Off |                    0 |
| N/A   30C    P0    62W / 700W |      0MiB / 81559MiB |      0%      Default |
|   1  ERR!                          ERR! | 00000000:0F:00.0 ERR! |                 ERR! |
|ERR!  ERR! ERR!    ERR! / ERR! |  ERR! / ERR! |    ERR!      ERR! |
|   2  NVIDIA H100 80GB HBM3          On  | 00000000:1F:00.0 Off |                    0 |
| N/A   30C    P0    62W / 700W |      0MiB / 81559MiB |      0%      Default |
)");
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus.size(), 3U);
  EXPECT_TRUE(machine->gpus[1].name.empty());
  EXPECT_EQ(machine->gpus[1].memory, std::nullopt);
  EXPECT_EQ(machine->gpus[2].memory, mib(81559));
}

TEST(MachineSmi, PrefixesOfComposeLogsDoNotMatter) {
  std::string text;
  for (const std::string_view line : lines_of(kNew))
    text += "server-1  | " + std::string(line) + "\n";
  const auto machine = machine_of(text);
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus.size(), 2U);
  EXPECT_EQ(machine->gpus[1].memory, mib(81920));
}

TEST(MachineSmi, ASecondTableIsNotMixedIn) {
  const auto machine = machine_of(std::string(kNew) + replaced(kNew, ":07:00.0", ":17:00.0"));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->gpus.size(), 2U);
  EXPECT_FALSE(machine->unread.empty());
}

TEST(MachineSmi, AListNamesCardsAndMigDevices) {
  const auto machine = machine_of(
      "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1111)\n"
      "  MIG 3g.40gb     Device  0: (UUID: MIG-2222)\nGPU 1: NVIDIA L4 (UUID: GPU-3333)\n");
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus.size(), 2U);
  EXPECT_EQ(machine->gpus[0].uuid, "GPU-1111");
  EXPECT_EQ(machine->gpus[0].mig, true);
  EXPECT_EQ(machine->gpus[1].name, "NVIDIA L4");
}

TEST(MachineSmi, AQueryWithItsHeaderIsReadByNames) {
  const auto machine = machine_of(
      "uuid, memory.total [MiB], name, index, compute_cap, driver_version, memory.used [MiB], "
      "mig.mode.current\n"
      "GPU-1, 40960 MiB, NVIDIA A100-PCIE-40GB, 0, 8.0, 535.1.2, 3 MiB, Disabled\n"
      "GPU-2, 40960 MiB, NVIDIA A100-PCIE-40GB, 1, 8.0, 535.1.2, [N/A], [N/A]\n");
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus.size(), 2U);
  EXPECT_EQ(machine->gpus[1].name, "NVIDIA A100-PCIE-40GB");
  EXPECT_EQ(machine->gpus[1].memory, mib(40960));
  EXPECT_EQ(machine->gpus[1].used, std::nullopt);
  EXPECT_EQ(machine->gpus[0].mig, false);
  EXPECT_EQ(machine->gpus[0].capability, "8.0");
  EXPECT_EQ(machine->driver, "535.1.2");
}

TEST(MachineSmi, AQueryWithoutUnitsTakesThemFromTheHeader) {
  const auto machine = machine_of("index, name, memory.total [MiB]\n0, NVIDIA L4, 23034\n");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->gpus.at(0).memory, mib(23034));
}

TEST(MachineSmi, ABareQueryIsReadOnlyWhereItCanMeanOneThing) {
  const auto plain = machine_of("0, NVIDIA L4, 23034 MiB\n1, NVIDIA L4, 23034 MiB\n");
  ASSERT_TRUE(plain);
  ASSERT_EQ(plain->gpus.size(), 2U);
  EXPECT_EQ(plain->gpus[1].memory, mib(23034));
  const auto doubtful = machine_of("0, NVIDIA L4, 100 MiB, 23034 MiB\n");
  ASSERT_TRUE(doubtful);
  EXPECT_EQ(doubtful->gpus.at(0).memory, std::nullopt);
  EXPECT_FALSE(doubtful->unread.empty());
}

TEST(MachineSmi, ATableEndsWithTheFirstLineThatIsNoRow) {
  const auto machine = machine_of("index, name\n0, NVIDIA L4\n\nhello, world\n1, two\n");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->gpus.size(), 1U);
}

constexpr const char* kQuery = R"(==============NVSMI LOG==============

Timestamp                                 : Thu Jan  1 00:00:00 2026
Driver Version                            : 570.86.10
CUDA Version                              : 12.8

Attached GPUs                             : 2
GPU 00000000:1A:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    Persistence Mode                      : Enabled
    MIG Mode
        Current                           : Disabled
        Pending                           : Enabled
    GPU UUID                              : GPU-aaaa
    FB Memory Usage
        Total                             : 81559 MiB
        Reserved                          : 551 MiB
        Used                              : 1 MiB
        Free                              : 81007 MiB
    BAR1 Memory Usage
        Total                             : 131072 MiB
    Compute Mode                          : Default
    ECC Mode
        Current                           : Enabled
    GPU Power Readings
        Current Power Limit               : 700.00 W
GPU 00000000:1B:00.0
    Product Name                          : Requested functionality has been deprecated
    MIG Mode
        Current                           : N/A
    FB Memory Usage
        Total                             : 81559 MiB
)";

TEST(MachineSmi, TheFullQueryIsReadWithAndWithoutIndents) {
  for (const std::string& text :
       {std::string(kQuery), replaced(replaced(kQuery, "\n        ", "\n"), "\n    ", "\n")}) {
    const auto machine = machine_of(text);
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->driver, "570.86.10");
    EXPECT_EQ(machine->cuda, "12.8");
    ASSERT_EQ(machine->gpus.size(), 2U);
    const PastedGpu& first = machine->gpus[0];
    EXPECT_EQ(first.name, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(first.memory, mib(81559));
    EXPECT_EQ(first.used, mib(1));
    EXPECT_EQ(first.mig, false);
    EXPECT_EQ(first.ecc, true);
    EXPECT_EQ(first.power_limit_w, 700);
    EXPECT_EQ(first.uuid, "GPU-aaaa");
    EXPECT_TRUE(machine->gpus[1].name.empty());
    EXPECT_EQ(machine->gpus[1].mig, std::nullopt);
  }
}

TEST(MachineSmi, SeveralTextsOfOneMachineAddUp) {
  const auto machine =
      machine_of(std::string(kNew) +
                 "index, uuid, compute_cap\n0, GPU-1, 8.0\n1, GPU-2, 8.0\n"
                 "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-1\nGPU1\tNV12\t X \t0-1\n");
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus.size(), 2U);
  EXPECT_EQ(machine->gpus[1].uuid, "GPU-2");
  EXPECT_EQ(machine->gpus[1].name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(machine->topology.classes.size(), 2U);
}

}  // namespace
}  // namespace sx
