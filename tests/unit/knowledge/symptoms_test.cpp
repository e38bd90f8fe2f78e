// The tables of symptoms and of popular claims, as whoever writes rows may get them wrong.
#include "knowledge/symptoms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/strings.h"
#include "knowledge/claims.h"

namespace sx {
namespace {

void expect_both(const Sentence& sentence, std::string_view id) {
  EXPECT_FALSE(sentence.english.empty()) << id;
  EXPECT_FALSE(sentence.chinese.empty()) << id;
}

TEST(Symptoms, EachRowIsWholeInBothLanguages) {
  std::set<std::string_view> ids;
  EXPECT_GE(symptoms().size(), 45U);
  for (const SymptomRow& row : symptoms()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    for (const Sentence& sentence : {row.seen, row.usually, row.sure, row.helps})
      expect_both(sentence, row.id);
    EXPECT_FALSE(row.lines.empty()) << row.id;
    for (const auto line : row.lines) EXPECT_EQ(lower(line), line) << row.id;
  }
}

// The words of a row, with something in the gaps, find that row before others.
TEST(Symptoms, EachLineFindsItsRow) {
  for (const SymptomRow& row : symptoms()) {
    for (const auto line : row.lines) {
      const auto found = symptoms_in("ERROR 11-29 10:00:00 " + replaced(line, "*", "17"));
      EXPECT_NE(std::ranges::find(found, &row), found.end()) << row.id << ": " << line;
    }
  }
}

struct Pasted {
  std::string_view text, id;
};

TEST(Symptoms, LinesOfLogsFindWhatTheyAre) {
  const Pasted cases[] = {
      {"ValueError: No available memory for the cache blocks. Try increasing "
       "`gpu_memory_utilization` when initializing the engine.",
       "no-kv-room"},
      {"(EngineCore_DP0 pid=12) ValueError: Free memory on device (20.12/79.25 GiB) on startup is "
       "less than desired GPU memory utilization (0.9, 71.33 GiB).",
       "card-not-free"},
      {"RuntimeError: Engine core initialization failed. See root cause above.",
       "engine-core-failed"},
      {"[shm_broadcast.py:456] No available shared memory broadcast block found in 60 seconds",
       "broadcast-block"},
      {"NVRM: Xid (PCI:0000:2a:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the "
       "bus.",
       "fell-off-bus"},
      {"RuntimeError: CUDA error: no kernel image is available for execution on the device",
       "no-kernel-image"},
      {"the cache blocks", "no-kv-room"},
      {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "oom-loading"},
      {"File \"gpu_model_runner.py\", in execute_model\ntorch.OutOfMemoryError: CUDA out of "
       "memory.",
       "oom-while-serving"},
      {"Bus error (core dumped)", "shm-full"},
      {"ncclSystemError: System call (e.g. socket, malloc) or external library call failed",
       "unhandled-cuda"},
      {"huggingface_hub.errors.GatedRepoError: 401 Client Error.", "hub-refused"},
      {"nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1",
       "no-gpu-in-container"},
  };
  for (const auto& [text, id] : cases) {
    const auto found = symptoms_in(text);
    ASSERT_FALSE(found.empty()) << text;
    EXPECT_EQ(found.front()->id, id) << text;
  }
}

TEST(Symptoms, OtherTextFindsNothing) {
  EXPECT_TRUE(symptoms_in("").empty());
  EXPECT_TRUE(symptoms_in("the").empty());
  EXPECT_TRUE(symptoms_in("INFO: Application startup complete.").empty());
  EXPECT_TRUE(symptoms_in(std::string(200'000, '*')).empty());
}

TEST(Claims, EachRowIsWholeInBothLanguages) {
  std::set<std::string_view> ids;
  for (const ClaimRow& row : claims()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    expect_both(row.claim, row.id);
    expect_both(row.right, row.id);
    EXPECT_TRUE(row.verdict == "wrong" || row.verdict == "outdated" || row.verdict == "partly");
    EXPECT_FALSE(row.shows.empty()) << row.id;
    EXPECT_EQ(row.when.empty(), !row.condition().has_value()) << row.when;
    EXPECT_EQ(row.when.empty(), row.marks.empty()) << row.id;
    EXPECT_EQ(row.when.empty(), row.title.english.empty()) << row.id;
  }
}

TEST(Claims, AreFoundByWhatTheyAreAbout) {
  const auto about = claims_about("NCCL_P2P_LEVEL");
  EXPECT_TRUE(
      std::ranges::any_of(about, [](const auto* row) { return row->id == "loc-keeps-p2p"; }));
  EXPECT_TRUE(claims_about("--no-such-flag").empty());
}

}  // namespace
}  // namespace sx
