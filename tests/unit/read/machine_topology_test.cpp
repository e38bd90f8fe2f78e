// Topologies: every recorded text read cell by cell, and what pasting does to them.
#include <gtest/gtest.h>

#include "machine_fixtures.h"

namespace sx {
namespace {

TEST(MachineTopology, EveryRecordedTextIsReadCellByCell) {
  std::string last;
  std::optional<MachineText> machine;
  for (const auto& row : topology_table("expected_cells.tsv")) {
    ASSERT_EQ(row.size(), 6U);
    if (row[0] != last) {
      last = row[0];
      auto read = machine_of(topology_file(last));
      ASSERT_TRUE(read) << last << ": " << read.error().what;
      machine = std::move(*read);
      EXPECT_TRUE(machine->unread.empty()) << last << ": " << machine->unread.front().english;
    }
    const auto gpu = static_cast<std::size_t>(to_integer(row[2]).value());
    const PastedTopology& topology = machine->topology;
    const auto& matrix = row[1] == "p2p" ? topology.p2p : topology.classes;
    ASSERT_LT(gpu, matrix.size()) << last;
    EXPECT_EQ(join(matrix[gpu], ","), row[3]) << last << " GPU" << gpu;
    if (row[1] == "p2p") continue;
    const auto printed = [](const std::string& cell) {
      return cell.empty() || cell == "N/A" ? "-" : cell;
    };
    EXPECT_EQ(printed(topology.numa_affinity.at(gpu)), row[4]) << last << " GPU" << gpu;
    EXPECT_EQ(printed(topology.cpu_affinity.at(gpu)), row[5]) << last << " GPU" << gpu;
  }
}

constexpr const char* kFour =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tNV4\tSYS\tSYS\t0-23,48-71\t0\t\tN/A\n"
    "GPU1\tNV4\t X \tSYS\tSYS\t0-23,48-71\t0\t\tN/A\n"
    "GPU2\tSYS\tSYS\t X \tNV4\t24-47,72-95\t1\t\tN/A\n"
    "GPU3\tSYS\tSYS\tNV4\t X \t24-47,72-95\t1\t\tN/A\n";

void expect_the_four(const std::string& text) {
  const auto machine = machine_of(text);
  ASSERT_TRUE(machine) << machine.error().what;
  const auto& classes = machine->topology.classes;
  ASSERT_EQ(classes.size(), 4U);
  EXPECT_EQ(join(classes[0], ","), "X,NV4,SYS,SYS");
  EXPECT_EQ(join(classes[3], ","), "SYS,SYS,NV4,X");
  EXPECT_EQ(machine->topology.cpu_affinity[2], "24-47,72-95");
  EXPECT_EQ(machine->topology.numa_affinity[2], "1");
}

std::string prefixed(std::string_view text, std::string_view prefix) {
  std::string out;
  for (const std::string_view line : lines_of(text))
    out += std::string(prefix) + std::string(line) + "\n";
  return out;
}

TEST(MachineTopology, QuotesCommentsAndLogPrefixesDoNotMatter) {
  for (const char* prefix : {"> ", "# ", "// ", "    ", "vllm-1  | ",
                             "[rank0] 2025-01-01 10:00:00 INFO ", "主机：", "`"}) {
    SCOPED_TRACE(prefix);
    expect_the_four(prefixed(kFour, prefix));
  }
}

TEST(MachineTopology, TextAroundItDoesNotMatter) {
  expect_the_four(std::string("我的机器有四张卡，GPU0 和 GPU1 之间有 NVLink：\n```text\n") + kFour +
                  "```\n谢谢！GPU2 很慢\n");
  expect_the_four(replaced(kFour, "\n", "\r\n"));
  expect_the_four(replaced(kFour, "\n", "\n\n"));
  expect_the_four(replaced(kFour, "\t", "    "));
  expect_the_four("\x1b[4m" + std::string(kFour) + "\x1b[0m");
}

TEST(MachineTopology, ARowThatATerminalWrappedIsJoined) {
  const std::string text = replaced(kFour, "SYS\t24-47", "\nSYS\t24-47");
  expect_the_four(replaced(text, "SYS\tSYS\t0-23", "SYS\t\nSYS\t0-23"));
}

TEST(MachineTopology, AHeaderThatATerminalWrappedIsJoined) {
  expect_the_four(replaced(kFour, "GPU2\tGPU3\tCPU", "\nGPU2\tGPU3\tCPU"));
  expect_the_four(replaced(kFour, "GPU3\tCPU Affinity", "GPU3\nCPU Affinity"));
}

TEST(MachineTopology, ALostRowIsReadFromTheOtherSide) {
  const auto machine =
      machine_of(replaced(kFour, "GPU1\tNV4\t X \tSYS\tSYS\t0-23,48-71\t0\t\tN/A\n", ""));
  ASSERT_TRUE(machine);
  EXPECT_EQ(join(machine->topology.classes.at(1), ","), "NV4,X,SYS,SYS");
}

TEST(MachineTopology, ARowThatWasCutIsCompletedAndReported) {
  const auto machine = machine_of(
      replaced(kFour, "GPU3\tSYS\tSYS\tNV4\t X \t24-47,72-95\t1\t\tN/A\n", "GPU3\tSYS\tSY"));
  ASSERT_TRUE(machine);
  EXPECT_EQ(join(machine->topology.classes.at(3), ","), "SYS,SYS,NV4,X");
  ASSERT_FALSE(machine->unread.empty());
  EXPECT_NE(machine->unread[0].english.find("line 5"), std::string::npos);
}

TEST(MachineTopology, ACellThatIsNotThereStaysUnknown) {
  // Both sides of the pair 0-1 are gone.
  std::string text = replaced(kFour, "GPU0\t X \tNV4", "GPU0\t X \t");
  text = replaced(text, "GPU1\tNV4\t X ", "GPU1\t\t X ");
  const auto machine = machine_of(text);
  ASSERT_TRUE(machine);
  EXPECT_EQ(join(machine->topology.classes.at(0), ","), "X,,SYS,SYS");
  EXPECT_FALSE(machine->unread.empty());
}

TEST(MachineTopology, BothMatricesOfOneMachineAreKept) {
  const auto machine =
      machine_of(std::string(kFour) +
                 "\n \tGPU0\tGPU1\tGPU2\tGPU3\n GPU0\tX\tOK\tNS\tNS\n GPU1\tOK\tX\tNS\tNS\n"
                 " GPU2\tNS\tNS\tX\tOK\n GPU3\tNS\tNS\tOK\tX\n");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->topology.classes.size(), 4U);
  ASSERT_EQ(machine->topology.p2p.size(), 4U);
  EXPECT_EQ(join(machine->topology.p2p[1], ","), "OK,X,NS,NS");
}

TEST(MachineTopology, AnotherMachinesMatrixIsNotMixedIn) {
  const auto machine =
      machine_of(std::string(kFour) +
                 "Legend:\n\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPIX\t0\nGPU1\tPIX\t X \t0\n");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->topology.names.size(), 4U);
  EXPECT_FALSE(machine->unread.empty());
}

TEST(MachineTopology, SixtyFourGpusAreReadAndMoreAreNot) {
  const auto grid = [](int count) {
    std::string text;
    for (int b = 0; b < count; ++b) text += "\tGPU" + std::to_string(b);
    text += "\tCPU Affinity\n";
    for (int a = 0; a < count; ++a) {
      text += "GPU" + std::to_string(a);
      for (int b = 0; b < count; ++b) text += a == b ? "\t X " : "\tNV18";
      text += "\t0-127\n";
    }
    return text;
  };
  const auto large = machine_of(grid(64));
  ASSERT_TRUE(large);
  EXPECT_EQ(large->topology.classes.at(63).at(0), "NV18");
  EXPECT_FALSE(machine_of(grid(65)));
}

TEST(MachineTopology, NamesOfNetworkCardsAreKept) {
  const auto machine = machine_of(topology_file("43_pasted_glued_cells_b200.txt"));
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->topology.nics.size(), 16U);
  EXPECT_EQ(machine->topology.nics[6], "NIC6");
}

}  // namespace
}  // namespace sx
