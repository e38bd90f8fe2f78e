// Scripts, and the one line that does the same as their launch.
#include "facts/launch_line.h"

#include <gtest/gtest.h>

#include "read/shell_words.h"

namespace sx {
namespace {

std::string last_of(const std::string& script) {
  Sources sources;
  const auto shell = parse_shell(sources, sources.add({.text = script}));
  return shell && !shell->commands.empty() ? launch_line(shell->commands.back()) : "no command";
}

TEST(LaunchLine, ExportsThatConcernEnginesStandInFrontOfIt) {
  EXPECT_EQ(last_of("export NCCL_DEBUG=INFO\nexport EDITOR=vi\nvllm serve m"),
            "NCCL_DEBUG=INFO vllm serve m");
}

TEST(LaunchLine, AVariableOfTheScriptAloneIsNoneOfTheCommand) {
  EXPECT_EQ(last_of("NCCL_DEBUG=INFO\nvllm serve m"), "vllm serve m");
}

TEST(LaunchLine, AnAssignmentOfTheCommandWinsOverTheExport) {
  EXPECT_EQ(last_of("export CUDA_VISIBLE_DEVICES=0,1\nCUDA_VISIBLE_DEVICES=2 vllm serve m"),
            "CUDA_VISIBLE_DEVICES=2 vllm serve m");
}

TEST(LaunchLine, AnExportThatIsNotKnownIsNotPastedAsNothing) {
  EXPECT_EQ(last_of("export CUDA_VISIBLE_DEVICES=$1\nvllm serve m"), "vllm serve m");
}

TEST(LaunchLine, WrappersStay) {
  EXPECT_EQ(last_of("numactl --membind=0 nice -n 5 vllm serve m"),
            "numactl --membind=0 nice -n 5 vllm serve m");
  EXPECT_EQ(last_of("sudo VLLM_X=1 vllm serve m"), "sudo VLLM_X=1 vllm serve m");
  EXPECT_EQ(last_of("env -u VLLM_Y VLLM_X=1 taskset -c 0-7 vllm serve m"),
            "env -u VLLM_Y VLLM_X=1 taskset -c 0-7 vllm serve m");
}

TEST(LaunchLine, WhatWouldEndTheShellOrSaysNothingGoes) {
  EXPECT_EQ(last_of("exec vllm serve m"), "vllm serve m");
  EXPECT_EQ(last_of("VLLM_X=1 exec numactl -N 0 vllm serve m"),
            "VLLM_X=1 numactl -N 0 vllm serve m");
  EXPECT_EQ(last_of("env VLLM_X=1 vllm serve m"), "VLLM_X=1 vllm serve m");
}

TEST(LaunchLine, OfATextInsideAnotherCommandOnlyTheInnerWrappersAreItsOwn) {
  EXPECT_EQ(last_of("nohup bash -c \"exec numactl -N 0 vllm serve m\""),
            "numactl -N 0 vllm serve m");
}

TEST(LaunchLine, ABlankBehindABackslashIsNoWord) {
  EXPECT_EQ(last_of("vllm serve m \\ \n"), "vllm serve m");
  EXPECT_EQ(last_of("vllm serve m ' '"), "vllm serve m ' '");
}

std::string behind_first_of(const std::string& script) {
  Sources sources;
  const auto shell = parse_shell(sources, sources.add({.text = script}));
  return shell && !shell->commands.empty() ? left_out(shell->commands.front()) : "no command";
}

TEST(LaunchLine, WhatStandsBehindIsTold) {
  EXPECT_EQ(behind_first_of("vllm serve m 2>&1 | tee x.log"), "2>&1 | tee x.log");
  EXPECT_EQ(behind_first_of("vllm serve m > x.log &"), "> x.log");
  EXPECT_EQ(behind_first_of("vllm serve m &"), "");
}

}  // namespace
}  // namespace sx
