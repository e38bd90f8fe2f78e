// What a runner knows of the room beside one of its replicas.
#include <random>

#include "base/check.h"
#include "run/free_ports.h"
#include "run/restart_beside.h"
#include "run/runner_inside.h"
#include "sys/files.h"
#include "sys/memory_room.h"

namespace sx {
namespace {

using runner::Running;

// Deployments that restart at the same moment would all find the same port free.
int somewhere() {
  constexpr unsigned kSpread = 900;
  return FreePorts::kFirst + static_cast<int>(std::random_device{}() % kSpread);
}

// Drivers that engines compute with.
bool has_gpus(const Files& files) {
  return files.info("/proc/driver/nvidia/version").has_value() ||
         files.info("/dev/kfd").has_value();
}

}  // namespace

Result<Deployment> Runner::with_one_beside(int replica) const {
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
       .first_port = somewhere()});
}

}  // namespace sx
