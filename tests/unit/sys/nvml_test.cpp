// The driver's library in all its moods; each is a library of tests/fake_nvml.
#include "sys/nvml.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/strings.h"
#include "sys/nvml_words.h"

namespace sx {
namespace {

using namespace std::chrono_literals;

// The fakes lie beside the folder of this program.
std::string fake(const std::string& variant) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto path = self.parent_path().parent_path() / "fake_nvml" / variant / "libnvidia-ml.so.1";
  EXPECT_TRUE(std::filesystem::exists(path)) << path << " is not built";
  return path.string();
}

bool any_has(const std::vector<Both>& texts, std::string_view part) {
  for (const Both& text : texts) {
    if (text.english.find(part) != std::string::npos && !text.chinese.empty()) return true;
  }
  return false;
}

bool no_child_is_left() { return ::waitpid(-1, nullptr, WNOHANG) < 0; }

TEST(Nvml, AWholeBoxIsTold) {
  const auto answer = ask_nvml(fake("pairs"), 20s);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->driver, "550.54.15");
  EXPECT_EQ(answer->cuda, "12.4");
  ASSERT_EQ(answer->gpus.size(), 4U);
  const NvmlGpu& gpu = answer->gpus[2];
  EXPECT_EQ(gpu.name, "NVIDIA A100-PCIE-40GB");
  EXPECT_EQ(gpu.uuid, "GPU-00000000-0000-0000-0000-000000000002");
  EXPECT_EQ(gpu.pci, "00000000:50:00.0");
  EXPECT_EQ(gpu.memory, mib(40960));
  EXPECT_EQ(gpu.used, mib(424));
  EXPECT_EQ(gpu.capability_major, 8);
  EXPECT_EQ(gpu.mig, false);
  EXPECT_EQ(gpu.ecc, true);
  EXPECT_EQ(gpu.persistence, false);
  EXPECT_EQ(gpu.compute_mode, 0);
  EXPECT_EQ(gpu.power_limit_w, 250);
  EXPECT_EQ(gpu.cpu_affinity, "64-95");
  EXPECT_EQ(gpu.numa, 1);
  EXPECT_EQ(join(answer->classes.at(0), ","), "X,NV12,SYS,SYS");
  EXPECT_EQ(join(answer->classes.at(3), ","), "SYS,SYS,NV12,X");
  EXPECT_EQ(join(answer->p2p.at(1), ","), "OK,X,TNS,TNS");
  EXPECT_TRUE(answer->unknown.empty());
  EXPECT_TRUE(no_child_is_left());
}

TEST(Nvml, TheConditionOfCardsIsTold) {
  const auto answer = ask_nvml(fake("sick"), 20s);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->gpus.size(), 4U);
  const NvmlCondition& sick = answer->gpus[1].condition;
  EXPECT_EQ(sick.ecc_uncorrected, 2);
  EXPECT_EQ(sick.ecc_uncorrected_total, 3);
  EXPECT_EQ(sick.ecc_corrected, 0);
  EXPECT_EQ(sick.remapped_rows, 1);
  EXPECT_EQ(sick.remap_pending, true);
  EXPECT_EQ(sick.remap_failed, false);
  EXPECT_EQ(sick.retirement_pending, std::nullopt);
  EXPECT_EQ(answer->gpus[2].condition.slowdowns, 0x48);
  EXPECT_EQ(answer->gpus[3].condition.pcie_width, 8);
  EXPECT_EQ(answer->gpus[3].condition.pcie_width_max, 16);
  EXPECT_EQ(answer->gpus[0].condition.nvlinks, 12);
  EXPECT_EQ(answer->gpus[0].condition.nvlinks_up, 12);
  const auto& processes = answer->gpus[0].condition.processes;
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[0].pid, 4242);
  EXPECT_EQ(processes[0].memory, mib(400));
  EXPECT_EQ(processes[1].memory, std::nullopt);
  EXPECT_TRUE(answer->gpus[3].condition.processes_told);
}

TEST(Nvml, LinksToASwitchJoinAllGpus) {
  const auto answer = ask_nvml(fake("switch"), 20s);
  ASSERT_TRUE(answer);
  EXPECT_EQ(join(answer->classes.at(1), ","), "NV12,X,NV12,NV12");
}

TEST(Nvml, AnOldDriverLeavesValuesUnknown) {
  const auto answer = ask_nvml(fake("old"), 20s);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->driver, "418.226.00");
  EXPECT_EQ(answer->cuda, "");
  ASSERT_EQ(answer->gpus.size(), 4U);
  EXPECT_EQ(answer->gpus[0].memory, mib(40960));
  EXPECT_EQ(answer->gpus[0].pci, "0000:10:00.0");
  EXPECT_EQ(answer->gpus[0].mig, std::nullopt);
  EXPECT_EQ(answer->gpus[0].capability_major, std::nullopt);
  EXPECT_EQ(join(answer->classes.at(0), ","), "X,NODE,SYS,SYS");
  EXPECT_TRUE(answer->p2p.empty());
  EXPECT_EQ(answer->gpus[0].condition.ecc_uncorrected, std::nullopt);
  EXPECT_FALSE(answer->gpus[0].condition.processes_told);
}

TEST(Nvml, AMismatchIsRefusedInWords) {
  const auto answer = ask_nvml(fake("mismatch"), 20s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Error::Kind::Refused);
  EXPECT_NE(answer.error().what.find("version mismatch"), std::string::npos);
}

TEST(Nvml, ALostGpuDoesNotHideTheOthers) {
  const auto answer = ask_nvml(fake("lost"), 20s);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->gpus.size(), 4U);
  EXPECT_EQ(answer->gpus[1].name, "");
  EXPECT_EQ(answer->gpus[3].name, "NVIDIA A100-PCIE-40GB");
  EXPECT_TRUE(any_has(answer->unknown, "GPU 1: the GPU is lost"));
  EXPECT_EQ(join(answer->classes.at(2), ","), "SYS,,X,NV12");
}

TEST(Nvml, AHangAtTheStartEndsAtTheDeadline) {
  const auto begin = std::chrono::steady_clock::now();
  const auto answer = ask_nvml(fake("hang_init"), 300ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Error::Kind::TimedOut);
  EXPECT_NE(answer.error().what.find("initialisation"), std::string::npos);
  EXPECT_TRUE(no_child_is_left());
}

TEST(Nvml, AHangLaterKeepsWhatWasTold) {
  const auto answer = ask_nvml(fake("hang_query"), 2s);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->gpus.size(), 4U);
  EXPECT_EQ(answer->gpus[1].memory, mib(40960));
  EXPECT_EQ(answer->gpus[2].memory, std::nullopt);
  EXPECT_TRUE(any_has(answer->unknown, "memory of GPU 2"));
  EXPECT_TRUE(answer->classes.empty());
  EXPECT_TRUE(no_child_is_left());
}

TEST(Nvml, ACrashKeepsWhatWasTold) {
  const auto answer = ask_nvml(fake("crash"), 20s);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->gpus.at(0).memory, mib(40960));
  EXPECT_TRUE(any_has(answer->unknown, "crashed"));
  EXPECT_TRUE(any_has(answer->unknown, "memory of GPU 1"));
  EXPECT_TRUE(no_child_is_left());
}

TEST(Nvml, GarbageWithoutAnEndIsBounded) {
  const auto answer = ask_nvml(fake("garbage"), 20s);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->gpus.at(0).name, std::string(96, '?'));
  EXPECT_EQ(answer->gpus.at(0).memory, mib(40960));
}

TEST(Nvml, NoGpusIsAnAnswer) {
  const auto answer = ask_nvml(fake("none"), 20s);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->gpus.empty());
  EXPECT_EQ(answer->driver, "550.54.15");
}

TEST(Nvml, ACrowdIsCutAtSixtyFour) {
  const auto answer = ask_nvml(fake("crowd"), 60s);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->gpus.size(), 64U);
  EXPECT_TRUE(any_has(answer->unknown, "300 GPUs"));
}

TEST(Nvml, WhatTheLibraryPrintsGoesNowhere) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto answer = ask_nvml(fake("noisy"), 20s);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(answer);
}

TEST(Nvml, NoLibraryIsAbsent) {
  const auto answer = ask_nvml("/nowhere/libnvidia-ml.so.1", 20s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Error::Kind::Absent);
}

TEST(NvmlLines, ACutOrDamagedAnswerDoesNoHarm) {
  const std::string whole =
      "count\t2\nname\t0\tA\nlink\t0\t1\tNV4\nlink\t9\t1\tNV4\nname\t7\tB\np2p\t0\nlink\t-"
      "1\t0\tSYS\n\t\t\nasking\nunknown\tx\ndone\n";
  for (std::size_t length = 0; length <= whole.size(); ++length)
    (void)read_nvml_lines(whole.substr(0, length));
  const NvmlTold told = read_nvml_lines(whole);
  EXPECT_TRUE(told.done);
  EXPECT_EQ(told.answer.gpus.at(0).name, "A");
  EXPECT_EQ(told.answer.classes.at(0).at(1), "NV4");
}

}  // namespace
}  // namespace sx
