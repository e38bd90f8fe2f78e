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
constexpr std::size_t kLongestCaller = 200;
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
  waits_.push_back({.rank = rank,
                    .group = std::string(group),
                    .operation = {},
                    .caller = {},
                    .text = {},
                    .at = {}});
  return &waits_.back();
}

// "#0 all_reduce from /x/torch/distributed/distributed_c10d.py:3174"; the first that is not torch's
// own is who called.
bool CollectiveLogReader::frame(std::string_view line) {
  constexpr std::string_view kFrom = " from ";
  line = trimmed(line);
  // Behind the tag of its process: "(Worker_TP1 pid=7) #0 …".
  if (line.starts_with('(')) line = trimmed(line.substr(std::min(line.find(')') + 1, line.size())));
  if (line.size() < 3 || line[0] != '#' || line[1] < '0' || line[1] > '9') return false;
  const auto blank = line.find(' ');
  const auto from = line.find(kFrom, std::min(blank, line.size()));
  if (from == line.npos || from <= blank) return false;
  const std::string_view path = line.substr(from + kFrom.size());
  std::string words(line.substr(blank + 1, from - blank - 1));
  words.append(" (").append(path.substr(path.rfind('/') + 1)).append(")");
  words = words.substr(0, kLongestCaller);
  if (path.contains("torch/distributed/")) return true;
  for (CollectiveWait& wait : waits_) {
    if (wait.rank == stack_of_ && wait.sequence >= 0 && wait.caller.empty()) wait.caller = words;
  }
  return false;  // the frames farther out tell no more
}

CollectiveLogReader::Taken CollectiveLogReader::take(std::string_view line, int rank_of_line,
                                                     LineAt at) {
  constexpr std::string_view kCaught = "Watchdog caught collective operation timeout";
  constexpr std::string_view kStack = "Stack trace of the failed collective:";
  if (stack_of_ >= 0) {
    if (frame(line)) return Taken::AndNext;
    stack_of_ = -1;
  }
  if (line.contains(kStack)) {
    stack_of_ = rank_in(line).value_or(rank_of_line);
    return stack_of_ >= 0 ? Taken::AndNext : Taken::Yes;
  }
  std::optional<long long> enqueued;
  for (const std::string_view word :
       {"ast enqueued NCCL work: ", "ast enqueued work: ", "ast enqueued collective: "}) {
    if (!enqueued) enqueued = number_behind(line, word);
  }
  const bool caught = line.contains(kCaught);
  if (!caught && !enqueued) return Taken::No;
  const int rank = rank_in(line).value_or(rank_of_line);
  if (rank < 0) return Taken::Yes;
  CollectiveWait* const wait = wait_of(rank, group_in(line));
  if (wait == nullptr) return Taken::Yes;
  if (caught && wait->sequence < 0) {
    wait->sequence = number_behind(line, "SeqNum=").value_or(-1);
    if (const auto kind = line.find("OpType="); kind != line.npos) {
      const std::string_view rest = line.substr(kind + 7, 40);
      wait->operation = std::string(rest.substr(0, rest.find_first_of(",) ")));
    }
    wait->values_in = number_behind(line, "NumelIn=").value_or(-1);
    wait->values_out = number_behind(line, "NumelOut=").value_or(-1);
    wait->milliseconds = number_behind(line, " ran for ").value_or(-1);
    wait->text = std::string(line.substr(0, kLongestText));
    wait->at = at;
  }
  if (enqueued) {
    wait->enqueued = *enqueued;
    for (const std::string_view word :
         {"ast completed NCCL work: ", "ast completed work: ", "ast completed collective: "}) {
      if (const auto completed = number_behind(line, word)) wait->completed = *completed;
    }
    if (wait->at.line == 0) {
      wait->at = at;
      wait->text = std::string(line.substr(0, kLongestText));
    }
  }
  return Taken::Yes;
}

}  // namespace sx
