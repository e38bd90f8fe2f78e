// SX6108. The long explanation and the scenes are in nccl_wrong_interface.md.
#include <vector>

#include "check/launch_variables.h"
#include "rules/links/interface_words.h"

namespace sx::rules {
namespace {

constexpr Text kOtherwise{
    "the ranks end at the start, before weights are loaded: \"Bootstrap : no socket interface "
    "found\"",
    "各 rank 一启动就退出，此时尚未加载权重：“Bootstrap : no socket interface found”"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::HostInterfaces};

std::vector<Complaint> check(const Case& c) {
  // Inside a container with a network of its own the names are others.
  const bool own_network = c.around.contained() && !c.around.host_network.value_or(false);
  const auto variable = launch_variable(c, "NCCL_SOCKET_IFNAME");
  if (!variable || own_network || c.serve.world_size().value_or(1) < 2) return {};
  if (nccl_finds(variable->value, c.host().state.interfaces.value())) return {};
  return {no_such_interface(c, *variable, kOtherwise)};
}

}  // namespace

extern const Rule nccl_wrong_interface{
    .code = "SX6108",
    .name = "nccl-wrong-interface",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
