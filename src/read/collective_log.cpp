// "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=173, OpType=ALLREDUCE, …)
// ran for 600052 milliseconds before timing out." and "Timeout at NCCL work: 173, last enqueued
// NCCL work: 175, last completed NCCL work: 172."
#include "read/collective_log.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::size_t kMostWaits = 4096;
constexpr std::size_t kLongestText = 600;
constexpr long long kMostRank = 1'000'000;

std::optional<long long> number_behind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == text.npos) return {};
  text.remove_prefix(at + word.size());
  return to_integer(text.substr(0, text.find_first_not_of("0123456789")));
}

// "[Rank 1]", "[PG 2 Rank 1]", "[PG ID 2 PG GUID 5(tp) Rank 1]"
std::optional<int> rank_in(std::string_view line) {
  for (const std::string_view word : {"[Rank ", " Rank ", "[rank"}) {
    const auto rank = number_behind(line, word);
    if (rank && *rank <= kMostRank) return static_cast<int>(*rank);
  }
  return {};
}

std::string_view group_in(std::string_view line) {
  for (const std::string_view word : {"[PG ID ", "[PG "}) {
    const auto at = line.find(word);
    if (at == line.npos) continue;
    const std::string_view rest = line.substr(at + word.size(), 60);
    return rest.substr(0, rest.find_first_of(" ]"));
  }
  return {};
}

}  // namespace

CollectiveWait* CollectiveLogReader::wait_of(int rank, std::string_view group) {
  const auto known = std::ranges::find_if(
      waits_, [&](const CollectiveWait& wait) { return wait.rank == rank && wait.group == group; });
  if (known != waits_.end()) return &*known;
  if (waits_.size() >= kMostWaits) return nullptr;
  waits_.push_back(
      {.rank = rank, .group = std::string(group), .operation = {}, .text = {}, .at = {}});
  return &waits_.back();
}

bool CollectiveLogReader::take(std::string_view line, int rank_of_line, LineAt at) {
  constexpr std::string_view kCaught = "Watchdog caught collective operation timeout";
  const auto enqueued = number_behind(line, "last enqueued NCCL work: ");
  const auto enqueued_also = number_behind(line, "last enqueued work: ");
  const bool caught = line.contains(kCaught);
  if (!caught && !enqueued && !enqueued_also) return false;
  const int rank = rank_in(line).value_or(rank_of_line);
  if (rank < 0) return true;
  CollectiveWait* const wait = wait_of(rank, group_in(line));
  if (wait == nullptr) return true;
  if (caught && wait->sequence < 0) {
    wait->sequence = number_behind(line, "SeqNum=").value_or(-1);
    if (const auto kind = line.find("OpType="); kind != line.npos) {
      const std::string_view rest = line.substr(kind + 7, 40);
      wait->operation = std::string(rest.substr(0, rest.find_first_of(",) ")));
    }
    wait->milliseconds = number_behind(line, " ran for ").value_or(-1);
    wait->text = std::string(line.substr(0, kLongestText));
    wait->at = at;
  }
  if (enqueued || enqueued_also) {
    wait->enqueued = enqueued ? *enqueued : *enqueued_also;
    for (const std::string_view word : {"last completed NCCL work: ", "last completed work: "}) {
      if (const auto completed = number_behind(line, word)) wait->completed = *completed;
    }
    if (wait->at.line == 0) {
      wait->at = at;
      wait->text = std::string(line.substr(0, kLongestText));
    }
  }
  return true;
}

}  // namespace sx
