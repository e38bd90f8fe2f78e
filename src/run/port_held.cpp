// The owner is known where its descriptors may be read: one's own processes, or all to root.
#include "run/port_held.h"

#include "diag/message.h"
#include "sys/port_owner.h"

namespace sx {
namespace {

constexpr Text kBy{"port {port} is held by process {pid} ({name})",
                   "端口 {port} 被进程 {pid}（{name}）占用"};
constexpr Text kByOther{"port {port} is held by a process of another user or container",
                        "端口 {port} 被其他用户或容器的进程占用"};
constexpr Text kByDeployment{"port {port} belongs to another deployment of this machine",
                             "端口 {port} 属于本机的另一个部署"};

}  // namespace

Both port_held(int port) {
  const auto owner = owner_of(port);
  const std::string number = std::to_string(port);
  if (!owner) return in_both({kByOther, {{"port", number}}});
  return in_both(
      {kBy, {{"port", number}, {"pid", std::to_string(owner->pid)}, {"name", owner->name}}});
}

Both port_wanted(int port) {
  if (owner_of(port)) return port_held(port);
  return in_both({kByDeployment, {{"port", std::to_string(port)}}});
}

}  // namespace sx
