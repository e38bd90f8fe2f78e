// SX5112. The long explanation and the scenes are in memlock_limit.md.
#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/gpu_condition.h"
#include "check/launch_variables.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{limit} of memory may be locked, and RDMA over {nic} needs more",
                      "可锁定内存上限为 {limit}，而经 {nic} 的 RDMA 需要更多"};
constexpr Text kLabel{"limit of locked memory", "可锁定内存的上限"};
constexpr Text kBasis{"limit of locked memory: {limit}", "可锁定内存上限：{limit}"};
constexpr Text kHosts{"{hosts} machines: ranks exchange over the network",
                      "{hosts} 台机器：各 rank 经网络交换"};
constexpr Text kBecause{
    "a network card of InfiniBand or RoCE reads and writes buffers that are locked in memory; NCCL "
    "locks a few MiB for each connection and channel",
    "InfiniBand 或 RoCE 网卡直接读写锁定在内存里的缓冲区；NCCL 的每个连接、每个通道要锁定数 MiB"};
constexpr Text kOtherwise{
    "NCCL ends at its first connection between machines: \"Call to ibv_reg_mr failed with error "
    "Cannot allocate memory\"",
    "NCCL 在机器之间首次建立连接时退出：“Call to ibv_reg_mr failed with error Cannot allocate "
    "memory”"};
constexpr Text kNoFix{
    "`ulimit -l unlimited` before the start; for Docker `--ulimit memlock=-1`, for systemd "
    "`LimitMEMLOCK=infinity`",
    "启动前执行 `ulimit -l unlimited`；Docker 用 `--ulimit memlock=-1`，systemd 用 "
    "`LimitMEMLOCK=infinity`"};
constexpr Text kWithout{"without RDMA, over TCP: slower", "不用 RDMA，改走 TCP：更慢"};

constexpr Need kNeeds[] = {Need::HostLockedMemory};

// Enough for the buffers of one launch on any machine seen; limits are either tiny (64 KiB, 8 MiB)
// or none.
constexpr Bytes kEnough = gib(1);

bool rdma_off(const Case& c) {
  const auto set = launch_variable(c, "NCCL_IB_DISABLE");
  const auto number = set ? to_integer(trimmed(set->value)) : std::nullopt;
  return number && *number != 0;
}

std::vector<Complaint> check(const Case& c) {
  const int hosts = c.serve.node_count.value_or(1);
  if (hosts < 2 || c.host().nics.empty() || rdma_off(c)) return {};
  const Fact<Bytes>& limit =
      c.around.locked_memory.known() ? c.around.locked_memory : c.host().locked_memory;
  if (!limit.known() || limit.value() >= kEnough) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument bytes("limit", limit.value());
  d.title = {kTitle, {bytes, {"nic", c.host().nics.front()}}};
  show(d, limit, kLabel, {kBasis, {bytes}});
  show(d, c.serve.node_count, {}, {kHosts, {{"hosts", hosts}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "memlock";
  d.no_fix = kNoFix;
  complaint.proposals.push_back(
      {kWithout, {set_environment("NCCL_IB_DISABLE", "1")}, Safety::ChangesBehaviour});
  return {complaint};
}

}  // namespace

extern const Rule memlock_limit{
    .code = "SX5112",
    .name = "memlock-limit",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
