// Programs that start others several times.
#include "knowledge/launchers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sx {
namespace {

TEST(Launchers, SayHowTheyCount) {
  const Launcher* run = find_launcher("srun");
  ASSERT_NE(run, nullptr);
  EXPECT_FALSE(run->mpi);
  EXPECT_TRUE(std::ranges::find(run->counts, "--ntasks") != run->counts.end());
  EXPECT_TRUE(std::ranges::find(run->machines, "--nodes") != run->machines.end());
  const Launcher* mpi = find_launcher("mpiexec");
  ASSERT_NE(mpi, nullptr);
  EXPECT_TRUE(mpi->mpi);
  EXPECT_TRUE(mpi->machines.empty());
  EXPECT_EQ(find_launcher("nohup"), nullptr);
}

}  // namespace
}  // namespace sx
