// Latency and rate joined by an exponent, on the path that an engine takes for a message.
#include "fit/collective_speed.h"

#include <algorithm>

#include "fit/gemm.h"

namespace sx {
namespace {

constexpr double kMib = 1024.0 * 1024;
constexpr double kGiga = 1e9;

double law_seconds(const LinkLaw& law, double bytes) {
  return joined(law.latency_us * kMicrosecond, bytes / (law.gb_per_second * kGiga), law.exponent);
}

}  // namespace

double all_reduce_seconds(const GroupLinks& links, const EngineSpeed& engine, double bytes) {
  if (links.ranks < 2 || bytes <= 0) return 0;
  const double most = engine.own_reduce_mib * kMib;
  if (links.own && most > 0) {
    const double own = law_seconds(*links.own, std::min(bytes, most));
    // A larger message never takes less: the two laws were fitted apart.
    if (bytes <= most || !links.nccl) return own;
    return std::max(own, law_seconds(*links.nccl, bytes));
  }
  return links.nccl ? law_seconds(*links.nccl, bytes) : 0;
}

double all_gather_seconds(const GroupLinks& links, double bytes) {
  if (links.ranks < 2 || bytes <= 0 || !links.nccl) return 0;
  // A ring moves each part once instead of twice.
  return law_seconds(*links.nccl, bytes / 2);
}

double send_seconds(const GroupLinks& links, double bytes) {
  if (bytes <= 0 || !links.send) return 0;
  return law_seconds(*links.send, bytes);
}

}  // namespace sx
