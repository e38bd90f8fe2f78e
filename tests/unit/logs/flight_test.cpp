// Dumps of several ranks: who is behind, who is out of step, who is missing.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "logs/beside_causes.h"
#include "logs/flight_files.h"
#include "logs/flight_verdict.h"

namespace sx {
namespace {

std::string entry(int sequence, std::string_view operation, std::string_view sizes,
                  std::string_view state, std::string_view more = "") {
  return R"({"collective_seq_id":)" + std::to_string(sequence) +
         R"(,"input_dtypes":["BFloat16"],"input_sizes":)" + std::string(sizes) +
         R"(,"is_p2p":false,"output_sizes":)" + std::string(sizes) +
         R"(,"pg_id":0,"process_group":["0","default_pg"],"profiling_name":"nccl:)" +
         std::string(operation) + R"(","record_id":)" + std::to_string(sequence) + R"(,"state":")" +
         std::string(state) + '"' + std::string(more) + "}";
}

std::string dump(const std::vector<std::string>& entries, int last, std::string_view ranks) {
  std::string all;
  for (const std::string& one : entries) all += (all.empty() ? "" : ",\n") + one;
  return "{\"entries\":[" + all +
         R"(],"pg_config":{"0":{"desc":"default_pg","name":"0","ranks":")" + std::string(ranks) +
         R"("}},"pg_status":{"0":{"last_completed_collective":"1",)" +
         R"("last_enqueued_collective":")" + std::to_string(last) +
         R"(","last_started_collective":"-1"}},"version":"2.10"})";
}

using Files = std::vector<std::pair<std::string, std::string>>;

struct Said {
  Beside beside;
  Diagnosis diagnosis;
};

Said read(const Files& files, std::size_t piece = std::string::npos) {
  FlightFiles reader;
  for (const auto& [name, text] : files) {
    reader.begin_file(name);
    for (std::size_t at = 0; at < text.size();) {
      reader.feed(std::string_view(text).substr(at, piece));
      at = piece > text.size() ? text.size() : at + piece;
    }
    reader.end_file();
  }
  Said said;
  said.beside.flights = reader.dumps();
  said.beside.unread = reader.unread();
  add_beside(said.diagnosis, said.beside, RunLog{});
  return said;
}

std::string name(const Said& said) {
  return said.diagnosis.causes.empty() ? "nothing" : std::string(said.diagnosis.causes[0].name);
}

const std::string kDone = entry(1, "all_reduce", "[[4096,8192]]", "completed");
const std::string kWaits = entry(2, "all_reduce", "[[4096,8192]]", "scheduled");

TEST(Flight, TheRankThatHasNotCalledIsBehind) {
  const Said said = read({{"nccl_trace_rank_0.json", dump({kDone, kWaits}, 2, "[0, 1, 2]")},
                          {"nccl_trace_rank_1.json", dump({kDone}, 1, "[0, 1, 2]")},
                          {"nccl_trace_rank_2.json", dump({kDone, kWaits}, 2, "[0, 1, 2]")}});
  const auto verdicts = verdicts_of(said.beside.flights);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].sequence, 2);
  EXPECT_EQ(verdicts[0].waiting.size(), 2U);
  EXPECT_EQ(verdicts[0].waiting[0].entry->sizes, "[4096, 8192]");
  EXPECT_EQ(verdicts[0].waiting[0].entry->line, 2U);
  ASSERT_EQ(verdicts[0].behind.size(), 1U);
  EXPECT_EQ(verdicts[0].behind[0].dump->rank, 1);
  EXPECT_EQ(verdicts[0].behind[0].last, 1);
  EXPECT_TRUE(verdicts[0].absent.empty());
  EXPECT_EQ(name(said), "rank-behind");
  EXPECT_EQ(said.diagnosis.causes[0].ranks, std::vector<int>{1});
  EXPECT_EQ(said.diagnosis.causes[0].root.capture("operation"), "all_reduce");
}

TEST(Flight, UnlikeOperationsAndSizesAreOutOfStep) {
  const Files operations{
      {"_dump_0", dump({kDone, kWaits}, 2, "[0, 1]")},
      {"_dump_1", dump({kDone, entry(2, "all_gather", "[[8]]", "started")}, 2, "[0, 1]")}};
  EXPECT_EQ(name(read(operations)), "collective-deadlock");
  const Files sizes{
      {"_dump_0", dump({kWaits}, 2, "[0, 1]")},
      {"_dump_1", dump({entry(2, "all_reduce", "[[4095,8192]]", "scheduled")}, 2, "[0, 1]")}};
  const Said said = read(sizes);
  EXPECT_EQ(name(said), "collective-deadlock");
  EXPECT_EQ(said.diagnosis.causes[0].root.capture("unlike"), "all_reduce [4095, 8192]");
}

TEST(Flight, AllTogetherIsATransferThatDoesNotEnd) {
  const Said said =
      read({{"_dump_0", dump({kWaits}, 2, "[0, 1]")}, {"_dump_1", dump({kWaits}, 2, "[0, 1]")}});
  EXPECT_EQ(name(said), "p2p-hang");
  EXPECT_EQ(said.diagnosis.causes[0].certainty, Certainty::Possible);
}

TEST(Flight, WhatIsNotThereIsNotGuessed) {
  const Said alone = read({{"_dump_0", dump({kWaits}, 2, "[0, 1, 2]")}});
  EXPECT_EQ(name(alone), "nothing");
  EXPECT_EQ(verdicts_of(alone.beside.flights)[0].absent, (std::vector<int>{1, 2}));
  EXPECT_EQ(name(read({{"_dump_0", dump({kDone}, 1, "[0, 1]")},
                       {"_dump_1", dump({kDone}, 1, "[0, 1]")}})),
            "nothing");
}

TEST(Flight, AGroupIsToldByItsRanksToo) {
  // Each host has a group "0" of its own.
  EXPECT_EQ(name(read({{"_dump_0", dump({kWaits}, 2, "[0, 1]")},
                       {"_dump_2", dump({kDone}, 1, "[2, 3]")}})),
            "nothing");
}

TEST(Flight, PicklesAndHalfFilesAreSaid) {
  const std::string pickle("\x80\x02}q\x00(X\x07\x00\x00\x00versionq\x01X\x09\x00\x00\x00pg_config",
                           34);
  const Said said = read({{"rank0", pickle},
                          {"rank1.json", dump({kWaits}, 2, "[0]").substr(0, 300)},
                          {"serve.log", "{\"log\":\"words\"}\n"},
                          {"x.log", "{\n"}});
  ASSERT_EQ(said.beside.unread.size(), 2U);
  EXPECT_EQ(said.beside.unread[0].why, UnreadDump::Why::Pickle);
  EXPECT_EQ(said.beside.unread[1].why, UnreadDump::Why::Broken);
  EXPECT_EQ(said.beside.unread[1].file, 1);
  EXPECT_TRUE(said.beside.flights.empty());
}

TEST(Flight, PiecesOfAnySizeSayTheSame) {
  const Files files{{"_dump_0", dump({kDone, kWaits}, 2, "[0, 1]")},
                    {"_dump_1", dump({kDone}, 1, "[0, 1]")}};
  for (const std::size_t piece : {1U, 7U, 300U}) EXPECT_EQ(name(read(files, piece)), "rank-behind");
}

TEST(Flight, TheCallerIsTheFirstFrameThatIsNotTorchs) {
  const std::string frames =
      R"(,"frames":[{"name":"all_reduce","filename":"/v/torch/distributed/distributed_c10d.py","line":3},)"
      R"({"name":"forward","filename":"/v/engine/linear.py","line":41}])";
  const Said said =
      read({{"_dump_0", dump({entry(2, "all_reduce", "[[1]]", "started", frames)}, 2, "[0]")}});
  EXPECT_EQ(said.beside.flights[0].entries[0].caller, "forward (linear.py:41)");
}

}  // namespace
}  // namespace sx
