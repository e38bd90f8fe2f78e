// What a runner does about engines that end, and about those that an earlier daemon left.
#include <csignal>

#include "knowledge/again.h"
#include "run/keeper_container.h"
#include "run/layout_memory.h"
#include "run/left_behind.h"
#include "run/runner_inside.h"
#include "sys/files.h"

namespace sx {

using runner::now;
using runner::Running;
using runner::unix_ms;

// --- ending -------------------------------------------------------------------------------------

void Runner::Inside::act(const DrainRequests& action) {
  const auto done = [this, of = action.of] { take(Drained{of}); };
  if (out.drain) {
    out.drain(action.of.replica, done);
  } else {
    asio::post(loop, done);
  }
}

void Runner::Inside::act(const StopEngine& action) {
  Running* replica = running(action.of);
  if (replica == nullptr) return;
  if (replica->gathers_evidence) {
    replica->held = action;
    return;
  }
  const StopAsk question{
      .socket = replica->files.socket(),
      .mark = replica->mark,
      .group = replica->group,
      .keeper = replica->record ? replica->record->keeper : identity_of(replica->keeper),
      .grace = action.grace};
  aside(
      [question] {
        stop_engine(question);
        return true;
      },
      [](bool) {});
}

void Runner::Inside::act(const FindCause& action) {
  Running* replica = running(action.of);
  if (replica == nullptr) return;
  CauseAsk question{.of = action.of,
                    .program = ask.program,
                    .files = replica->files,
                    .words = replica->launch.words,
                    .report = ask.folder.reports() + '/' + std::to_string(action.of.replica) + '-' +
                              std::to_string(action.of.start) + ".json"};
  question.code = replica->code;
  question.signal = replica->signal;
  question.oom_kills = replica->oom_kills;
  question.port = replica->launch.port;
  if (action.still_runs && replica->record) {
    question.still_runs = replica->record->engine.pid;
    question.limit = ask.patience.stop_slack;
    replica->gathers_evidence = true;
  }
  aside([question] { return find_cause(question); },
        [this, of = action.of](const CauseFound& found) {
          if (Running* looked_at = running(of); looked_at != nullptr) {
            looked_at->gathers_evidence = false;
            if (const auto held = std::exchange(looked_at->held, std::nullopt)) act(*held);
          }
          if (again_after(found.name).cards) {
            look_elsewhere(of, cause_words(found.name), found);
          } else {
            take(found);
          }
          // Whether requests may wait for it is known now, though its state is the same.
          if (out.routes_changed) out.routes_changed();
        });
}

void Runner::Inside::act(const Release& action) {
  const Running* replica = running(action.of);
  if (replica == nullptr) return;
  const ReleaseAsk question{.mark = replica->mark,
                            .group = replica->group,
                            .family = {},
                            .strangers = true,
                            .host = replica->launch.host,
                            .port = replica->launch.port};
  if (supervisor.going_down()) hurry = true;
  aside(
      [question, of = action.of, files = replica->files, launch = replica->launch,
       memory = gpu_release(*replica)] {
        remove_containers_of(launch, files.folder);
        see_released(with_family(question, of, files));
        return wait_for_gpus(memory);
      },
      [this, of = action.of](const GpuReleaseTold& memory) {
        if (!memory.held.empty()) note(of.replica, "gpu-memory-held", memory.held);
        if (!memory.unknown.empty() && !std::exchange(gpus_unknown, true))
          note(of.replica, "gpu-memory-unknown", memory.unknown);
        look_elsewhere(of, {}, Released{of});
      });
}

void Runner::Inside::act(const LayoutProven& action) {
  const Deployment& deployment = supervisor.deployment();
  const auto& all_layouts = action.rung ? deployment.rungs : deployment.layouts;
  const DeployedLayout& layout = all_layouts.at(action.layout);
  [[maybe_unused]] const auto added =
      journal.add(LayoutRecord{.key = layout_key(layout, action.model, ask.machine),
                               .label = layout_name(layout, action.model),
                               .good = action.good,
                               .cause = action.cause,
                               .unix_ms = unix_ms()});
  ladder.add(layout, action);
  const auto verdict = ladder_verdict(ladder.results());
  if (!action.good && verdict) note(-1, "ladder-verdict", *verdict);
}

}  // namespace sx
