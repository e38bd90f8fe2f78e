// The condition of a machine in pasted texts: errors of memory, links, processes, kernel lines,
// what stands around the cards.
#include <gtest/gtest.h>

#include <string>

#include "read/machine_text.h"

namespace sx {
namespace {

MachineText machine_of(const std::string& text) {
  Sources sources;
  const int source = sources.add({.name = "pasted.txt", .text = text});
  auto machine = parse_machine_text(sources, source);
  EXPECT_TRUE(machine.has_value());
  return machine ? *machine : MachineText{};
}

constexpr const char* kTwoCards = R"(==============NVSMI LOG==============

Timestamp                                 : Tue Nov 10 09:15:02 2026
Driver Version                            : 570.133.20
CUDA Version                              : 12.8

Attached GPUs                             : 2
GPU 00000000:1A:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    Display Active                        : Disabled
    Persistence Mode                      : Enabled
    MIG Mode
        Current                           : Disabled
        Pending                           : Disabled
    GPU UUID                              : GPU-11111111-0000-0000-0000-000000000000
    PCI
        Bus Id                            : 00000000:1A:00.0
        GPU Link Info
            PCIe Generation
                Max                       : 4
                Current                   : 1
                Device Current            : 1
                Device Max                : 4
                Host Max                  : 5
            Link Width
                Max                       : 16x
                Current                   : 8x
    Performance State                     : P8
    Clocks Event Reasons
        Idle                              : Not Active
        SW Power Cap                      : Active
        HW Slowdown                       : Not Active
            HW Thermal Slowdown           : Active
            HW Power Brake Slowdown       : Not Active
        Sync Boost                        : Not Active
        SW Thermal Slowdown               : Not Active
    FB Memory Usage
        Total                             : 81920 MiB
        Reserved                          : 570 MiB
        Used                              : 30004 MiB
        Free                              : 51346 MiB
    BAR1 Memory Usage
        Total                             : 131072 MiB
    Compute Mode                          : Exclusive_Process
    Utilization
        Gpu                               : 37 %
        Memory                            : 3 %
    ECC Mode
        Current                           : Enabled
        Pending                           : Enabled
    ECC Errors
        Volatile
            SRAM Correctable              : 0
            SRAM Uncorrectable            : 0
            DRAM Correctable              : 3
            DRAM Uncorrectable            : 2
        Aggregate
            SRAM Correctable              : 1
            SRAM Uncorrectable            : 0
            DRAM Correctable              : 14
            DRAM Uncorrectable            : 5
    Retired Pages
        Single Bit ECC                    : N/A
        Double Bit ECC                    : N/A
        Pending Page Blacklist            : N/A
    Remapped Rows
        Correctable Error                 : 1
        Uncorrectable Error               : 4
        Pending                           : Yes
        Remapping Failure Occurred        : No
        Bank Remap Availability Histogram
            Max                           : 636 bank(s)
    Temperature
        GPU Current Temp                  : 71 C
        GPU Shutdown Temp                 : 92 C
    GPU Power Readings
        Power Draw                        : 130.77 W
        Current Power Limit               : 300.00 W
        Default Power Limit               : 400.00 W
        Min Power Limit                   : 100.00 W
        Max Power Limit                   : 400.00 W
    Clocks
        Graphics                          : 210 MHz
        SM                                : 210 MHz
    Max Clocks
        Graphics                          : 1410 MHz
        SM                                : 1410 MHz
    Fabric
        State                             : In Progress
        Status                            : N/A
    Processes
        GPU instance ID                   : N/A
        Compute instance ID               : N/A
        Process ID                        : 41231
            Type                          : C
            Name                          : /usr/bin/python3
            Used GPU Memory               : 29416 MiB
        Process ID                        : 41232
            Type                          : C
            Name                          : VLLM::Worker_TP1
            Used GPU Memory               : 512 MiB

GPU 00000000:3B:00.0
    Product Name                          : Tesla V100-SXM2-32GB
    Clocks Throttle Reasons
        Idle                              : Active
    ECC Errors
        Volatile
            Single Bit
                Device Memory             : 0
                Register File             : 0
                Total                     : 7
            Double Bit
                Device Memory             : 1
                Total                     : 1
        Aggregate
            Single Bit
                Total                     : 9
            Double Bit
                Total                     : 2
    Retired Pages
        Single Bit ECC                    : 3
        Double Bit ECC                    : 2
        Pending                           : Yes
    Remapped Rows                         : N/A
    Power Readings
        Power Limit                       : 300.00 W
    Processes                             : None
)";

TEST(MachineState, AQueryTellsErrorsOfBothGenerations) {
  const MachineText machine = machine_of(kTwoCards);
  ASSERT_EQ(machine.gpus.size(), 2U);
  const auto& a100 = machine.gpus[0].state;
  EXPECT_EQ(a100.ecc_uncorrected.value, 2);
  EXPECT_EQ(a100.ecc_corrected.value, 3);
  EXPECT_EQ(a100.ecc_uncorrected_total.value, 5);
  EXPECT_EQ(a100.ecc_corrected_total.value, 15);
  EXPECT_EQ(a100.remapped_rows.value, 5);
  EXPECT_EQ(a100.remap_pending.value, true);
  EXPECT_EQ(a100.remap_failed.value, false);
  EXPECT_FALSE(a100.retired_pages);
  const auto& v100 = machine.gpus[1].state;
  EXPECT_EQ(v100.ecc_uncorrected.value, 1);
  EXPECT_EQ(v100.ecc_corrected.value, 7);
  EXPECT_EQ(v100.ecc_uncorrected_total.value, 2);
  EXPECT_EQ(v100.retired_pages.value, 5);
  EXPECT_EQ(v100.retirement_pending.value, true);
  EXPECT_FALSE(v100.remap_pending);
}

TEST(MachineState, AQueryTellsLinksClocksPowerAndWhoUsesTheCard) {
  const MachineText machine = machine_of(kTwoCards);
  ASSERT_EQ(machine.gpus.size(), 2U);
  const auto& state = machine.gpus[0].state;
  EXPECT_EQ(state.pcie_generation.value, 1);
  EXPECT_EQ(state.pcie_generation_max.value, 4);
  EXPECT_EQ(state.pcie_width.value, 8);
  EXPECT_EQ(state.pcie_width_max.value, 16);
  EXPECT_EQ(state.performance_state.value, 8);
  EXPECT_EQ(state.utilisation.value, 37);
  EXPECT_EQ(state.temperature_c.value, 71);
  EXPECT_EQ(state.power_default_w.value, 400);
  EXPECT_EQ(machine.gpus[0].power_limit_w, 300);
  EXPECT_EQ(state.clock_mhz.value, 210);
  EXPECT_EQ(state.clock_max_mhz.value, 1410);
  EXPECT_EQ(state.display.value, false);
  EXPECT_EQ(state.fabric_state.value, "In Progress");
  EXPECT_EQ(state.slowdowns.value,
            (std::vector<std::string>{"SW Power Cap", "HW Thermal Slowdown"}));
  const std::vector<GpuProcess> owners{{41231, "/usr/bin/python3", mib(29416)},
                                       {41232, "VLLM::Worker_TP1", mib(512)}};
  EXPECT_EQ(state.processes.value, owners);
  EXPECT_EQ(machine.gpus[1].state.processes.value, std::vector<GpuProcess>{});
  EXPECT_EQ(machine.gpus[1].power_limit_w, 300);
}

TEST(MachineState, AnInstanceOfACardDoesNotSpeakForTheCard) {
  const MachineText machine = machine_of(
      "GPU 00000000:1A:00.0\n    Product Name : NVIDIA A100-SXM4-80GB\n    MIG Mode\n"
      "        Current : Enabled\n    MIG Device\n        Index : 0\n        ECC Errors\n"
      "            Volatile\n                SRAM Uncorrectable : 9\n        FB Memory Usage\n"
      "            Total : 9856 MiB\n    Accounting Mode : Disabled\n    FB Memory Usage\n"
      "        Total : 81920 MiB\n");
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(machine.gpus[0].memory, mib(81920));
  EXPECT_EQ(machine.gpus[0].mig, true);
  EXPECT_FALSE(machine.gpus[0].state.ecc_uncorrected);
}

TEST(MachineState, TheTableNamesTheOwnersOfBothWidths) {
  const std::string head =
      "| NVIDIA-SMI 550.54.15   Driver Version: 550.54.15   CUDA Version: 12.4 |\n"
      "|   0  NVIDIA H100 80GB HBM3   On  | 00000000:18:00.0 Off |       2 |\n"
      "| N/A   33C    P0   122W / 700W | 70213MiB / 81559MiB | 98%   Default |\n"
      "|                               |                      |      Disabled |\n"
      "| Processes:                                                        |\n";
  const MachineText now = machine_of(
      head +
      "|    0   N/A  N/A     12345      C   python -m vllm.server          70200MiB |\n"
      "|    0   N/A  N/A      2001      G   /usr/lib/xorg/Xorg                  N/A |\n");
  ASSERT_EQ(now.gpus.size(), 1U);
  EXPECT_EQ(now.gpus[0].state.ecc_uncorrected.value, 2);
  EXPECT_EQ(now.gpus[0].state.utilisation.value, 98);
  EXPECT_EQ(now.gpus[0].state.performance_state.value, 0);
  EXPECT_EQ(now.gpus[0].state.display.value, false);
  const std::vector<GpuProcess> owners{{12345, "python -m vllm.server", mib(70200)},
                                       {2001, "/usr/lib/xorg/Xorg", {}}};
  EXPECT_EQ(now.gpus[0].state.processes.value, owners);
  const MachineText old =
      machine_of(head + "|    0     12345      C   python                            500MiB |\n");
  EXPECT_EQ(old.gpus[0].state.processes.value,
            (std::vector<GpuProcess>{{12345, "python", mib(500)}}));
  EXPECT_FALSE(machine_of(head + "|  No running processes found  |\n").gpus[0].state.processes);
}

TEST(MachineState, KernelLinesOfEveryLogger) {
  const MachineText machine = machine_of(
      "[12345.678901] NVRM: Xid (PCI:0000:2a:00): 79, pid='<unknown>', name=<unknown>, GPU has "
      "fallen off the bus.\n"
      "Oct 01 13:00:00 gpu7 kernel: NVRM: Xid (PCI:0000:3b:00): 31, pid=1814139, name=python, Ch "
      "00000018\n"
      "[Tue Oct  1 13:00:01 2024] NVRM: Xid (PCI:0000:3b:00): 31, pid=1814140, name=python, Ch 9\n"
      "4,1227,437812449932,-;NVRM: Xid (0000:03:00): 14, Channel 00000001\n"
      "NVRM: GPU 0000:18:00.0: GPU has fallen off the bus.\n"
      "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n"
      "[ 9.1] NVRM: API mismatch: the client has the version 550.54.15, but\n"
      "[ 9.1] NVRM: this kernel module has the version 535.161.07.  Please\n"
      "pcieport 0000:16:01.0: AER: Uncorrectable (Non-Fatal) error received: 0000:18:00.0\n"
      "AMD-Vi: Event logged [IO_PAGE_FAULT device=0000:41:00.0 domain=0x0019 address=0xf0000000]\n"
      "Memory cgroup out of memory: Killed process 4242 (python3) total-vm:92kB\n");
  ASSERT_TRUE(machine.state.kernel_events);
  const auto& events = *machine.state.kernel_events.value;
  ASSERT_EQ(events.size(), 9U);
  EXPECT_EQ(events[0].code, 79);
  EXPECT_EQ(events[0].pci, "0000:2a:00");
  EXPECT_EQ(events[0].process, "");
  EXPECT_EQ(events[1].code, 31);
  EXPECT_EQ(events[1].process, "python");
  EXPECT_EQ(events[1].times, 2);
  EXPECT_EQ(events[2].code, 14);
  EXPECT_EQ(events[3].kind, KernelEvent::Kind::FellOffBus);
  EXPECT_EQ(events[4].kind, KernelEvent::Kind::Sxid);
  EXPECT_TRUE(events[4].severe);
  EXPECT_EQ(events[5].kind, KernelEvent::Kind::ApiMismatch);
  EXPECT_EQ(events[6].kind, KernelEvent::Kind::PcieError);
  EXPECT_TRUE(events[6].severe);
  EXPECT_EQ(events[6].pci, "0000:16:01.0");
  EXPECT_EQ(events[7].pci, "0000:41:00.0");
  EXPECT_EQ(events[8].process, "python3");
  EXPECT_TRUE(events[8].severe);
  EXPECT_EQ(machine.state.driver_library.value, "550.54.15");
  EXPECT_EQ(machine.state.driver_module.value, "535.161.07");
}

TEST(MachineState, BusNvlinkAndSystemAddToTheCards) {
  const MachineText machine = machine_of(
      "\x1b[1mGPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-aa)\x1b[0m\n\t Link 0: 25 GB/s\n"
      "\t Link 1: <inactive>\n\t Link 2: 25 GB/s\n"
      "GPU 00000000:1A:00.0\n    Product Name : NVIDIA A100-SXM4-80GB\n    GPU UUID : GPU-aa\n"
      "1a:00.0 3D controller: NVIDIA Corporation GA100 [A100 SXM4 80GB] (rev a1)\n"
      "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM not supported\n"
      "\t\tLnkSta:\tSpeed 16GT/s, Width x4 (downgraded)\n"
      "1b:00.0 3D controller: NVIDIA Corporation GA100 [A100 SXM4 80GB] (rev a1)\n"
      "16:01.0 PCI bridge: Broadcom / LSI PEX880xx PCIe Gen 4 Switch\n"
      "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+\n"
      "17:01.0 PCI bridge: Intel Corporation Device 352a\n"
      "\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir-\n"
      "Socket(s):             2\nModel name:      AMD EPYC 7763\nHypervisor vendor:: KVM\n"
      "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3 8 9\nnode 0 size: 257000 MB\n"
      "node 0 free: 1000 MB\nnode 1 cpus:\nnode 1 size: 0 MB\nnode distances:\nnode   0   1\n"
      "  0:  10  21\n  1:  21  10\n"
      "max locked memory           (kbytes, -l) 64\nopen files                  (-n) 1024\n"
      "tmpfs            64M     0   64M   0% /dev/shm\n"
      "● nvidia-fabricmanager.service - NVIDIA fabric manager service\n"
      "     Loaded: loaded\n     Active: failed (Result: exit-code) since Mon\n"
      "2: bond0: <BROADCAST,UP,LOWER_UP> mtu 1500\nCA 'mlx5_0'\n");
  ASSERT_EQ(machine.gpus.size(), 1U);
  const auto& state = machine.gpus[0].state;
  EXPECT_EQ(state.nvlinks.value, 3);
  EXPECT_EQ(state.nvlinks_up.value, 2);
  EXPECT_EQ(state.pcie_width.value, 4);
  EXPECT_EQ(state.pcie_width_max.value, 16);
  EXPECT_EQ(state.pcie_generation.value, 4);
  EXPECT_EQ(machine.state.pci_gpus.value, 2);
  EXPECT_EQ(machine.state.acs_redirects.value, std::vector<std::string>{"16:01.0"});
  EXPECT_EQ(machine.state.sockets.value, 2);
  EXPECT_EQ(machine.state.cpu_model.value, "AMD EPYC 7763");
  EXPECT_EQ(machine.state.hypervisor.value, "KVM");
  EXPECT_EQ(machine.numa_nodes.value, 2);
  ASSERT_EQ(machine.state.numa.value->size(), 2U);
  const NumaNode& first = machine.state.numa.value->front();
  EXPECT_EQ(first.cpus, "0-3,8-9");
  EXPECT_EQ(first.memory, mib(257000));
  EXPECT_EQ(first.distances, (std::vector<int>{10, 21}));
  EXPECT_EQ(machine.locked_memory.value, kib(64));
  EXPECT_EQ(machine.open_files.value, 1024);
  EXPECT_EQ(machine.shared_memory.value, mib(64));
  EXPECT_EQ(machine.state.fabric_manager.value, "failed (Result: exit-code)");
  EXPECT_EQ(machine.state.interfaces.value, std::vector<std::string>{"bond0"});
  EXPECT_EQ(machine.nics, std::vector<std::string>{"mlx5_0"});
}

TEST(MachineState, AReportTellsWhatIsInstalled) {
  const MachineText machine = machine_of(
      "Collecting environment information...\nPyTorch version              : 2.8.0+cu128\n"
      "CUDA used to build PyTorch   : 12.8\nPython version : 3.12.11 (main, Jun  4 2025)\n"
      "GPU 0: NVIDIA L40S\n[pip3] nvidia-nccl-cu12==2.27.3\n[conda] triton 3.4.0 pypi_0 pypi\n");
  EXPECT_EQ(machine.state.torch_cuda.value, "12.8");
  EXPECT_EQ(machine.state.python.value, "3.12.11");
  EXPECT_EQ(machine.state.nccl.value, "2.27.3");
  const std::vector<Package> packages{{"nvidia-nccl-cu12", "2.27.3"}, {"triton", "3.4.0"}};
  EXPECT_EQ(machine.state.packages.value, packages);
}

TEST(MachineState, EveryPrefixIsAnsweredOrRefused) {
  const std::string text = kTwoCards;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    Sources sources;
    const int source = sources.add({.name = "cut.txt", .text = text.substr(0, length)});
    const auto machine = parse_machine_text(sources, source);
    if (machine) EXPECT_LE(machine->gpus.size(), 2U);
  }
}

}  // namespace
}  // namespace sx
