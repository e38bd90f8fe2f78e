// Any bytes as lines of NCCL and of torch's watchdog: no crash, no group larger than its bound, and
// verdicts that name only ranks there can be.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/strings.h"
#include "logs/nccl_verdict.h"
#include "read/collective_log.h"
#include "read/nccl_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  sx::NcclLogReader nccl({"No device found", "P2P is disabled"});
  sx::CollectiveLogReader collectives;
  std::uint64_t number = 0;
  for (const std::string_view line : sx::lines_of(text)) {
    nccl.take(line, {0, ++number});
    collectives.take(line, -1, {0, number});
  }
  for (const sx::NcclVerdict& verdict : sx::verdicts_of(nccl.log())) {
    SX_ASSERT(verdict.group->size > 1);
    for (const int rank : verdict.absent) SX_ASSERT(rank >= 0 && rank < verdict.group->size);
    for (const int rank : verdict.unfinished) SX_ASSERT(rank >= 0 && rank < verdict.group->size);
    sx::rank_list(verdict.absent);
  }
  sx::verdict_of(collectives.waits(), nccl.log());
  return 0;
}
