// What NCCL writes in front of its words: host, process, card; in a warning also where in its
// source.
#include <gtest/gtest.h>

#include <string_view>

#include "read/log_line.h"

namespace sx {
namespace {

LogLine read(std::string_view text) {
  LogLineReader reader;
  return reader.read(text);
}

TEST(NcclFront, WarningsKeepTheirSource) {
  const LogLine line =
      read("gpu-7:5274:5585 [3] transport/shm.cc:590 NCCL WARN Cuda failure 217 'x'");
  EXPECT_EQ(line.text, "transport/shm.cc:590 NCCL WARN Cuda failure 217 'x'");
  EXPECT_EQ(line.process, "gpu-7:5274");
  EXPECT_EQ(line.rank, 3);
  EXPECT_EQ(line.level, LogLevel::Warning);
}

TEST(NcclFront, WarningsOfNewVersionsHaveAStampAndAFunction) {
  const LogLine line = read(
      "[2026-11-01 12:00:13] gpu-7:5274:5585 [3] src/init.cc:1141 (initTransportsRank) NCCL WARN "
      "Multiple Ranks");
  EXPECT_EQ(line.text, "src/init.cc:1141 (initTransportsRank) NCCL WARN Multiple Ranks");
  EXPECT_EQ(line.process, "gpu-7:5274");
  EXPECT_EQ(line.level, LogLevel::Warning);
  EXPECT_GE(line.seconds, 0);
}

TEST(NcclFront, InformationIsTold) {
  const LogLine line = read("gpu-7:5274:5585 [3] NCCL INFO Using network IB");
  EXPECT_EQ(line.text, "NCCL INFO Using network IB");
  EXPECT_EQ(line.level, LogLevel::Info);
}

TEST(NcclFront, OtherLinesStayWhole) {
  for (const std::string_view text :
       {"the gpu [3] says NCCL INFO", "set NCCL_DEBUG=INFO for NCCL WARN lines",
        "a [x] b NCCL INFO words", " [3] NCCL INFO words"}) {
    const LogLine line = read(text);
    EXPECT_EQ(line.text, text.starts_with(' ') ? line.text : text);
    EXPECT_EQ(line.level, LogLevel::Unknown) << text;
  }
}

}  // namespace
}  // namespace sx
