// Only where nothing is shared with the one that runs: a port can be another one, cards cannot.
#include "run/restart_beside.h"

#include <vector>

#include "diag/message.h"
#include "run/at_port.h"
#include "run/free_ports.h"

namespace sx {
namespace {

// What else runs must not be squeezed: an eighth more than the old one holds.
constexpr std::int64_t kSpare = 8;

constexpr Text kCards{"the new one needs its GPUs", "新的副本需要它占用的 GPU"};
constexpr Text kWhichCards{"which GPUs it takes is not known", "不知道它占用哪些 GPU"};
constexpr Text kContainer{"its container publishes a port of this machine",
                          "它的容器占用了本机的一个端口"};
constexpr Text kNoPort{"its command names no port", "它的命令里没有端口"};
constexpr Text kNotKnown{"how much memory it holds or is free is not known",
                         "不知道它占用多少内存，或还有多少空闲内存"};
constexpr Text kNoRoom{"it holds {holds} of memory, and {room} are free",
                       "它占用 {holds} 内存，而空闲的只有 {room}"};

std::unexpected<Error> stops_first(const Message& why) {
  return fail(Error::Kind::Refused, in_both(why));
}

bool names_cards(const EngineLaunch& launch) {
  return !launch.gpus.empty() || launch.environment.contains("CUDA_VISIBLE_DEVICES");
}

std::vector<int> ports_of(const Deployment& deployment) {
  std::vector<int> ports;
  for (const auto* layouts : {&deployment.rungs, &deployment.layouts}) {
    for (const DeployedLayout& layout : *layouts) {
      for (const EngineLaunch& launch : layout.replicas) ports.push_back(launch.port);
    }
  }
  return ports;
}

}  // namespace

Result<Deployment> with_one_beside(const BesideAsk& ask) {
  const EngineLaunch& old = ask.launch;
  if (!old.container.empty()) return stops_first({kContainer});
  if (names_cards(old)) return stops_first({kCards});
  if (ask.gpus_here) return stops_first({kWhichCards});
  if (!ask.holds || !ask.room) return stops_first({kNotKnown});
  if (*ask.holds + *ask.holds / kSpare > *ask.room)
    return stops_first({kNoRoom, {{"holds", *ask.holds}, {"room", *ask.room}}});
  FreePorts ports(ask.deployment.port, ports_of(ask.deployment), ask.first_port, ask.claims);
  SX_TRY(const int port, ports.next());
  const auto beside = at_port(old, port);
  if (!beside) return stops_first({kNoPort});
  Deployment made = ask.deployment;
  for (auto* layouts : {&made.rungs, &made.layouts}) {
    for (DeployedLayout& layout : *layouts) {
      for (EngineLaunch& launch : layout.replicas) {
        if (launch == old) launch = *beside;
      }
    }
  }
  return made;
}

}  // namespace sx
