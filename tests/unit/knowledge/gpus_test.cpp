// GPUs by their data, by what people call them and by what drivers print.
#include "knowledge/gpus.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "knowledge/tables.h"

namespace sx {
namespace {

std::string name_of(std::string_view said) {
  const auto match = match_gpu(said);
  return match.kind == nullptr ? "-" : std::string(match.kind->name);
}

const GpuKind& kind(std::string_view name) {
  for (const auto& kind : gpu_kinds()) {
    if (kind.name == name) return kind;
  }
  throw std::out_of_range(std::string(name));
}

TEST(GpuKinds, ReadTheirCells) {
  const auto& a100 = kind("NVIDIA A100-PCIE-40GB");
  EXPECT_EQ(a100.capability, (ComputeCapability{8, 0}));
  EXPECT_EQ(a100.memory, mib(40960));
  EXPECT_NEAR(in_gib(a100.held_back.value_or(Bytes{})), 0.61, 1e-6);
  EXPECT_EQ(a100.multiprocessors, 108);
  EXPECT_EQ(a100.bf16, true);
  EXPECT_EQ(a100.fp8, false);
  EXPECT_EQ(a100.nvlink_gb_per_second, 600);
  EXPECT_EQ(a100.pcie, "4x16");
  EXPECT_EQ(kind("NVIDIA L40S").fp8, true);
  EXPECT_EQ(kind("NVIDIA L40S").nvlink_gb_per_second, 0);  // known to have none
  EXPECT_EQ(kind("Tesla T4").bf16, false);
}

TEST(GpuKinds, KeepUnknownUnknown) {
  EXPECT_EQ(kind("NVIDIA H100").memory, std::nullopt);  // several boards print that name
  EXPECT_EQ(kind("NVIDIA L20X").capability, std::nullopt);
  EXPECT_EQ(kind("NVIDIA L20X").fp8, std::nullopt);
  EXPECT_EQ(kind("NVIDIA L20X").architecture, "");
  EXPECT_EQ(kind("NVIDIA GB200").held_back, std::nullopt);
  EXPECT_EQ(kind("AMD Instinct MI300X").capability, std::nullopt);
}

TEST(GpuKinds, ReadOtherMemorySizesWithoutTheRemarks) {
  EXPECT_EQ(kind("NVIDIA A40").memory_other, (std::vector<Bytes>{mib(49140), mib(45634)}));
  EXPECT_EQ(kind("Quadro RTX 8000").memory_other,
            (std::vector<Bytes>{mib(46080), mib(48598), mib(48601)}));
  EXPECT_TRUE(kind("NVIDIA L4").memory_other.empty());
}

TEST(GpuKinds, HaveSensibleNumbers) {
  EXPECT_GE(gpu_kinds().size(), 98U);
  for (const auto& kind : gpu_kinds()) {
    SCOPED_TRACE(kind.name);
    if (kind.memory) {
      EXPECT_GE(*kind.memory, gib(4));
      EXPECT_LE(*kind.memory, gib(320));
    }
    if (kind.held_back) {
      ASSERT_TRUE(kind.memory);
      EXPECT_GT(*kind.held_back, Bytes{0});
      EXPECT_LT(*kind.held_back, kind.memory.value_or(Bytes{}) / 20);
    }
    if (kind.multiprocessors)
      EXPECT_TRUE(*kind.multiprocessors >= 10 && *kind.multiprocessors <= 256);
    if (kind.memory_gb_per_second)
      EXPECT_TRUE(*kind.memory_gb_per_second > 90 && *kind.memory_gb_per_second < 20000);
    if (kind.nvlink_gb_per_second)
      EXPECT_TRUE(*kind.nvlink_gb_per_second >= 0 && *kind.nvlink_gb_per_second <= 1800);
    if (kind.capability) EXPECT_EQ(kind.fp8, *kind.capability >= (ComputeCapability{8, 9}));
    if (kind.capability) EXPECT_EQ(kind.bf16, *kind.capability >= (ComputeCapability{8, 0}));
  }
}

TEST(GpuAliases, NameKindsThatAreThere) {
  std::set<std::string_view> names;
  for (const auto& kind : gpu_kinds()) names.insert(kind.name);
  const Table table(table_bytes("data/gpu_aliases.tsv"));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto alias = table.cell(row, "alias");
    EXPECT_TRUE(names.contains(table.cell(row, "name"))) << alias;
    EXPECT_EQ(name_of(alias), table.cell(row, "name")) << alias;
    EXPECT_EQ(match_gpu(alias).assumed, table.cell(row, "assumed")) << alias;
    EXPECT_EQ(match_gpu(alias).assumed_chinese.empty(), match_gpu(alias).assumed.empty()) << alias;
  }
}

TEST(MatchGpu, FindsEveryKindByItsOwnName) {
  for (const auto& kind : gpu_kinds()) {
    if (kind.name == "NVIDIA H100") continue;  // people who write that mean the 80 GB board
    EXPECT_EQ(name_of(kind.name), kind.name);
  }
}

struct Said {
  const char* said;
  const char* name;
};
class PeopleSay : public testing::TestWithParam<Said> {};
TEST_P(PeopleSay, IsUnderstood) {
  EXPECT_EQ(name_of(GetParam().said), GetParam().name) << GetParam().said;
}

INSTANTIATE_TEST_SUITE_P(
    Gpus, PeopleSay,
    testing::Values(
        Said{"a100 40gb", "NVIDIA A100-SXM4-40GB"}, Said{"A100-40G", "NVIDIA A100-SXM4-40GB"},
        Said{"A100-PCIE-40GB", "NVIDIA A100-PCIE-40GB"},
        Said{"NVIDIA A100-PCIE-40GB", "NVIDIA A100-PCIE-40GB"},
        Said{"nvidia_a100_pcie_40gb", "NVIDIA A100-PCIE-40GB"},
        Said{"A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB"},
        Said{"A100-80GB-PCIe", "NVIDIA A100 80GB PCIe"}, Said{"H100", "NVIDIA H100 80GB HBM3"},
        Said{"H100-80GB-HBM3", "NVIDIA H100 80GB HBM3"}, Said{"H100-SXM", "NVIDIA H100 80GB HBM3"},
        Said{"H100 PCIe", "NVIDIA H100 PCIe"}, Said{"l40s", "NVIDIA L40S"},
        Said{"L40S 48GB", "NVIDIA L40S"}, Said{"4090", "NVIDIA GeForce RTX 4090"},
        Said{"RTX4090", "NVIDIA GeForce RTX 4090"},
        Said{"rtx 3090 24gb", "NVIDIA GeForce RTX 3090"},
        Said{"RTX 3090 24 GiB", "NVIDIA GeForce RTX 3090"},
        Said{"GeForce RTX 3090", "NVIDIA GeForce RTX 3090"},
        Said{"3090", "NVIDIA GeForce RTX 3090"}, Said{"2080Ti", "NVIDIA GeForce RTX 2080 Ti"},
        Said{"4090D", "NVIDIA GeForce RTX 4090 D"}, Said{"V100-SXM2", "Tesla V100-SXM2-32GB"},
        Said{"NVIDIA Tesla V100-SXM2-16GB", "Tesla V100-SXM2-16GB"}, Said{"T4", "Tesla T4"},
        Said{"A10G", "NVIDIA A10G"}, Said{"A10G 24G", "NVIDIA A10G"},
        Said{"RTX PRO 6000", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition"},
        Said{"RTX A6000", "NVIDIA RTX A6000"}, Said{"GH200", "NVIDIA GH200 480GB"},
        Said{"B300", "NVIDIA B300 SXM6 AC"}));

TEST(MatchGpu, SaysWhatItAssumedForAnAmbiguousName) {
  EXPECT_NE(match_gpu("A100").assumed, "");
  EXPECT_NE(match_gpu("NVIDIA H100").assumed, "");
  EXPECT_NE(match_gpu("V100").assumed, "");
  EXPECT_EQ(match_gpu("A100-SXM4-80GB").assumed, "");
  EXPECT_EQ(match_gpu("L40S").assumed, "");
}

TEST(MatchGpu, DoesNotTakeASizeThatTheCardDoesNotHave) {
  EXPECT_EQ(name_of("RTX 4090 48GB"), "-");  // a modified board: its memory is not the table's
  EXPECT_EQ(name_of("L40S 80GB"), "-");
  EXPECT_EQ(match_gpu("RTX 4090 48GB").closest_names.at(0), "NVIDIA GeForce RTX 4090");
}

TEST(MatchGpu, OffersTheClosestForAnUnknownName) {
  const auto match = match_gpu("A100-80GBs");
  EXPECT_EQ(match.kind, nullptr);
  ASSERT_FALSE(match.closest_names.empty());
  EXPECT_LE(match.closest_names.size(), 3U);
  EXPECT_EQ(match.closest_names.front(), "NVIDIA A100-SXM4-80GB");
  EXPECT_TRUE(match_gpu("potato of great size").closest_names.empty());
}

TEST(MatchGpu, SurvivesHostileNames) {
  const std::string hostile[] = {"",
                                 " ",
                                 "---",
                                 std::string(10000, 'A'),
                                 "\xff\xfe\x80",
                                 "NVIDIA",
                                 "nvidianvidia",
                                 "geforce",
                                 "GB",
                                 "24GB",
                                 "99999999999999999999GB",
                                 "RTX 3090 99999 GB",
                                 std::string("a\0b", 3),
                                 "\n"};
  for (const auto& said : hostile) EXPECT_EQ(match_gpu(said).kind, nullptr) << said.substr(0, 40);
}

TEST(DriverName, IsTakenExactlyWithOrWithoutTheMaker) {
  EXPECT_EQ(gpu_by_driver_name("NVIDIA H100", {}),
            &kind("NVIDIA H100"));  // the driver does not abbreviate
  EXPECT_EQ(gpu_by_driver_name("A100-SXM4-40GB", {}), &kind("NVIDIA A100-SXM4-40GB"));
  EXPECT_EQ(gpu_by_driver_name("GeForce RTX 3090", {}), &kind("NVIDIA GeForce RTX 3090"));
  EXPECT_EQ(gpu_by_driver_name(" Tesla T4 ", {}), &kind("Tesla T4"));
  EXPECT_EQ(gpu_by_driver_name("T4", {}), nullptr);
}

TEST(DriverName, CutByDotsNeedsTheMemoryToBeOneKind) {
  EXPECT_EQ(gpu_by_driver_name("NVIDIA A100-SXM...", mib(40960)), &kind("NVIDIA A100-SXM4-40GB"));
  EXPECT_EQ(gpu_by_driver_name("A100-SXM4-40G...", mib(40536)),
            &kind("NVIDIA A100-SXM4-40GB"));  // older driver
  EXPECT_EQ(gpu_by_driver_name("NVIDIA A100-SXM...", mib(81920)), &kind("NVIDIA A100-SXM4-80GB"));
  EXPECT_EQ(gpu_by_driver_name("NVIDIA A100-SXM...", {}), nullptr);
  EXPECT_EQ(gpu_by_driver_name("NVIDIA H100 80G...", {}), &kind("NVIDIA H100 80GB HBM3"));
  EXPECT_EQ(gpu_by_driver_name("NVIDIA GeForce ...", mib(24576)), &kind("NVIDIA GeForce RTX 3090"));
  EXPECT_EQ(gpu_by_driver_name("NVIDIA GeForce ...", mib(24564)),
            nullptr);  // 3090 Ti, 4090 and 4090 D
  EXPECT_EQ(gpu_by_driver_name("Tesla V100-SXM2...", mib(16160)), &kind("Tesla V100-SXM2-16GB"));
  EXPECT_EQ(gpu_by_driver_name("NVIDIA A100-SXM...", mib(1234)), nullptr);
}

TEST(DriverName, SurvivesHostileNames) {
  const std::string hostile[] = {"",
                                 "...",
                                 "NVIDIA ...",
                                 "NVIDIA...",
                                 std::string(10000, '.'),
                                 "\xff\xff...",
                                 "Graphics Device"};
  for (const auto& printed : hostile) EXPECT_EQ(gpu_by_driver_name(printed, mib(24564)), nullptr);
}

}  // namespace
}  // namespace sx
