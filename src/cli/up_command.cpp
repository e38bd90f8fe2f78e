// Replicas of one command. Ports are chosen here, once, so that replicas keep theirs over restarts.
#include <algorithm>

#include "cli/up_ask.h"
#include "cli/up_launch.h"
#include "cli/up_parts.h"
#include "cli/up_rungs.h"
#include "knowledge/engine_life.h"
#include "run/engine_key.h"
#include "run/engine_launch.h"
#include "run/free_ports.h"

namespace sx {
namespace {

constexpr Text kWhichGpus{
    "how many GPUs {place} stands for is not known of {engine}: model.gpus says which",
    "无法得知 {engine} 的 {place} 代表几张 GPU：用 model.gpus 写明"};

// Those that the file gives to the replicas of an engine that takes whatever it sees, in equal
// parts.
Result<std::vector<int>> share_of(int nth, const UpAsk& ask) {
  const auto each = std::ssize(ask.gpus) / ask.replicas;
  // One of them would have none.
  if (each == 0 && !ask.gpus.empty()) {
    SX_TRY([[maybe_unused]] const int gpu, gpu_at(ask.replicas - 1, ask));
  }
  const auto begin = ask.gpus.begin() + nth * each;
  return std::vector<int>(begin, begin + each);
}

// CUDA_VISIBLE_DEVICES of the n-th replica of a command that does not say which GPUs it takes.
Result<std::vector<int>> gpus_of(const Launch& launch, int nth, const UpAsk& ask) {
  const auto wanted = launch.serve.gpus_wanted();
  const EngineLife* life = engine_life(launch.serve.engine);
  std::vector<int> places;
  if (life != nullptr && life->takes_visible_gpus) return share_of(nth, ask);
  if (!wanted) return places;
  for (int i = 0; i < *wanted; ++i) places.push_back(nth * *wanted + i);
  return gpus_at(places, ask);
}

// Replicas of one command, each with its own values in its places.
class CommandReplicas {
 public:
  CommandReplicas(const std::vector<std::string>& command, const UpAsk& ask, const Outside& outside)
      : command_(command), ask_(ask), outside_(outside) {}

  Result<ReadLaunch> read(const TemplateValues& values) const {
    if (auto whole = values_stay_words(command_, values, outside_); !whole)
      return std::unexpected(whole.error());
    return placed_launch_of(filled(command_, values), ask_, outside_);
  }

  // `like`: the launch with any values, which says how many GPUs it takes.
  Result<EngineLaunch> made(const Launch& like, int nth, int port) const {
    const bool names_gpus = asks_for(command_, "gpus");
    EngineLaunchAsk question{.port = port,
                             .environment = ask_.origin.environment,
                             .folder = ask_.origin.folder,
                             .gpus = {}};
    if (names_gpus || !like.serve.visible_devices.known()) {
      SX_TRY(question.gpus, gpus_of(like, nth, ask_));
    }
    if (names_gpus && question.gpus.empty())
      return fail(Error::Kind::Usage,
                  in_both({kWhichGpus, {{"place", "{gpus}"}, {"engine", like.serve.engine}}}));
    SX_TRY(const ReadLaunch own,
           read({.model = ask_.model, .port = port, .gpus = question.gpus, .replica = nth}));
    SX_TRY(auto replica, engine_launch(own.launch, question));
    add_environment(replica, ask_);
    if (auto key = take_engine_key(replica, own.launch, *outside_.files); !key)
      return std::unexpected(key.error());
    const bool shares = ask_.replicas > 1 || ask_.first_gpu > 0 || !ask_.gpus.empty();
    const bool chosen = !names_gpus && !like.serve.visible_devices.known() && ask_.gpus.empty();
    replica.any_gpus = chosen && replica.container.empty() && !replica.gpus.empty();
    // A command that takes them by number sees them under others inside.
    if (!replica.gpus.empty() && shares && !names_gpus) bind_to_gpus(replica);
    return replica;
  }

 private:
  const std::vector<std::string>& command_;
  const UpAsk& ask_;
  const Outside& outside_;
};

}  // namespace

Result<UpMade> deployment_of_command(const std::vector<std::string>& command, const UpAsk& ask,
                                     const Outside& outside) {
  const CommandReplicas replicas(command, ask, outside);
  SX_TRY(const ReadLaunch first,
         replicas.read({.model = ask.model, .port = ask.port, .gpus = {0}}));
  FreePorts ports(ask.port, ask.taken_ports, FreePorts::kFirst, ask.claims);
  UpMade made{.deployment = empty_deployment(ask), .commands = {}, .remarks = first.remarks};
  DeployedLayout layout{
      .label = ask.replicas == 1 ? "as given" : std::to_string(ask.replicas) + " x as given",
      .replicas = {},
      .proves = ""};
  for (int i = 0; i < ask.replicas; ++i) {
    SX_TRY(const int port, ports.next());
    SX_TRY(auto replica, replicas.made(first.launch, i, port));
    layout.replicas.push_back(std::move(replica));
  }
  made.commands.push_back(as_started(layout.replicas.front(), outside));
  made.deployment.layouts.push_back(std::move(layout));
  // Where a command says itself which GPUs it takes, a smaller one cannot be made of it.
  if (ask.rungs && !asks_for(command, "gpus")) {
    SX_TRY(auto rungs, rungs_of_command(first.launch, ask, outside, ports));
    for (CommandRung& rung : rungs) {
      made.deployment.rungs.push_back(std::move(rung.layout));
      made.rung_commands.push_back(std::move(rung.command));
    }
  }
  return readable(std::move(made));
}

}  // namespace sx
