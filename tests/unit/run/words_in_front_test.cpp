// What stands in front of a launch that is started without a shell.
#include <gtest/gtest.h>

#include "run/engine_launch.h"

namespace sx {
namespace {

using Words = std::vector<std::string>;

Words front_of(Words before) {
  Command command;
  command.before = std::move(before);
  return words_in_front(command);
}

TEST(WordsInFront, WordsOfAShellGoWithTheirOptions) {
  EXPECT_EQ(front_of({"exec"}), Words{});
  EXPECT_EQ(front_of({"exec", "-a", "server"}), Words{});
  EXPECT_EQ(front_of({"exec", "-c", "-l", "--", "nice", "-n", "5"}), (Words{"nice", "-n", "5"}));
  EXPECT_EQ(front_of({"command", "-p"}), Words{});
  EXPECT_EQ(front_of({"builtin", "exec", "-a", "x", "nohup"}), Words{"nohup"});
  EXPECT_EQ(front_of({"eval", "numactl", "--membind=0"}), (Words{"numactl", "--membind=0"}));
}

TEST(WordsInFront, AVerbOfAnotherProgramStays) {
  const Words apptainer{"apptainer", "exec", "--nv", "-B", "/scratch", "x.sif"};
  EXPECT_EQ(front_of(apptainer), apptainer);
  const Words path{"/opt/bin/singularity", "exec", "x.sif"};
  EXPECT_EQ(front_of(path), path);
}

}  // namespace
}  // namespace sx
