// What a runner knows of the room beside one of its replicas, and the ports that are its own.
#include <set>

#include "base/check.h"
#include "run/free_ports.h"
#include "run/restart_beside.h"
#include "run/runner_inside.h"
#include "sys/files.h"
#include "sys/memory_room.h"

namespace sx {
namespace {

using runner::Running;

std::set<int> ports_of(const Deployment& deployment) {
  std::set<int> ports{deployment.port};
  for (const auto* layouts : {&deployment.rungs, &deployment.layouts}) {
    for (const DeployedLayout& layout : *layouts) {
      for (const EngineLaunch& launch : layout.replicas) ports.insert(launch.port);
    }
  }
  return ports;
}

// Drivers that engines compute with.
bool has_gpus(const Files& files) {
  return files.info("/proc/driver/nvidia/version").has_value() ||
         files.info("/dev/kfd").has_value();
}

}  // namespace

// One that somebody else has is asked for again when its engine is to start.
void Runner::Inside::claim_ports(const Deployment& deployment) {
  for (const int port : ports_of(deployment)) claims.take(port);
}

void Runner::Inside::drop_ports() {
  std::set<int> ports = ports_of(supervisor.deployment());
  for (const auto& [number, replica] : all) ports.insert(replica.launch.port);
  claims.keep(ports);
}

Result<Deployment> Runner::with_one_beside(int replica, PortClaims& chosen) const {
  const Inside& inside = *inside_;
  const auto found = inside.all.find(replica);
  SX_ASSERT(found != inside.all.end());  // it serves, so it was started or taken over
  const Running& running = found->second;
  std::vector<pid_t> processes;
  for (const ProcessIdentity& one : processes_marked(kMarkVariable, running.mark))
    processes.push_back(one.pid);
  const Files& files = real_files();
  return sx::with_one_beside(
      {.deployment = inside.supervisor.deployment(),
       .launch = running.launch,
       .gpus_here = has_gpus(files),
       .holds = processes.empty() ? std::nullopt : held_memory(files, processes),
       .room = memory_room(files),
       .first_port = FreePorts::kFirst,
       .claims = &chosen});
}

}  // namespace sx
