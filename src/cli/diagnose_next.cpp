// The table says it; numbers that are known go in.
#include "cli/diagnose_next.h"

#include "base/strings.h"
#include "cli/diagnose_fixes.h"
#include "knowledge/phase_steps.h"

namespace sx {
namespace {

constexpr std::string_view kLive = "live";
constexpr std::string_view kNccl = "nccl";
constexpr std::string_view kNcclWord = "NCCL_DEBUG";

Both both(const Sentence& sentence) {
  return {std::string(sentence.english), std::string(sentence.chinese)};
}

}  // namespace

std::optional<NextSteps> next_steps(const RunLog& run, const Case* launch, std::optional<int> pid) {
  if (run.engine.empty() && launch == nullptr && !run.wrapped) return {};
  const PhaseRow* const row = find_phase(word(run.phase), run.engine);
  if (row == nullptr) return {};
  NextSteps steps{.here = both(row->here), .next = both(row->next), .collect = {}, .again = {}};
  if (launch != nullptr && !row->again.empty()) {
    if (auto command = launch_with(row->again, *launch)) steps.again = *std::move(command);
  }
  for (const std::string_view item : row->collect) {
    const CollectRow* const one = find_collect(item);
    if (one == nullptr || (pid && item == kLive)) continue;
    if (item == kNccl && steps.again.contains(kNcclWord)) continue;
    steps.collect.push_back({.what = both(one->what), .command = std::string(one->command)});
  }
  return steps;
}

}  // namespace sx
