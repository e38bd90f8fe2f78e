// From flags of the launch, and from what the deployment file says of a model.
#include "run/replica_share.h"

#include <algorithm>

#include "diag/message.h"

namespace sx {
namespace {

constexpr Text kWeights{"{count} weights (model.weight) for {replicas} replicas",
                        "{replicas} 个副本却有 {count} 个权重（model.weight）"};

}  // namespace

// Each data-parallel rank has a scheduler of its own, with the whole limit.
int works_on_at_a_time(const ServeSpec& serve) {
  if (!serve.max_num_seqs.known() || serve.max_num_seqs.value() <= 0) return 0;
  const std::int64_t ranks = serve.data_parallel.known() ? serve.data_parallel.value() : 1;
  const std::int64_t all = serve.max_num_seqs.value() * std::max<std::int64_t>(1, ranks);
  return static_cast<int>(std::min<std::int64_t>(all, kMostReplicaRequests));
}

Result<void> give_weights(DeployedLayout& layout, const std::vector<int>& weights) {
  if (weights.empty()) return {};
  if (weights.size() > 1 && weights.size() != layout.replicas.size())
    return fail(
        Error::Kind::Usage,
        in_both({kWeights, {{"count", weights.size()}, {"replicas", layout.replicas.size()}}}));
  for (std::size_t i = 0; i < layout.replicas.size(); ++i)
    layout.replicas[i].weight = weights[weights.size() == 1 ? 0 : i];
  return {};
}

}  // namespace sx
