// What a runner does for a replica whose GPUs are lost or taken: the machine is asked, and where
// other cards can take its layout the replica moves to them, as a reload would move it. Once for
// each launch: what fails elsewhere too comes back and is tried where it was.
#include "diag/listed.h"
#include "diag/message.h"
#include "knowledge/again.h"
#include "run/layout_memory.h"
#include "run/other_cards.h"
#include "run/runner_inside.h"

namespace sx {

using runner::Running;

namespace {

constexpr Text kMoves{"replica {replica} moves from GPU {from} to GPU {to}: {why}",
                      "副本 {replica} 从 GPU {from} 移到 GPU {to}：{why}"};
constexpr Text kStays{
    "{why}; no other GPUs of this machine can take the layout of replica {replica}: it is tried "
    "again where it was",
    "{why}；本机没有其他 GPU 能承接副本 {replica} 的布局：仍在原处重试"};
constexpr Text kCannotMove{
    "replica {replica} would move from GPU {from} to GPU {to} ({why}), and that was refused: "
    "{refused}; it is tried again where it was",
    "副本 {replica} 本应从 GPU {from} 移到 GPU {to}（{why}），但被拒绝：{refused}；仍在原处重试"};

// What was looked for beside the loop.
struct Elsewhere {
  CardTrouble trouble;
  std::optional<EngineLaunch> launch;
};

// `blamed`: of its failure's cause, where that is about its cards; then all of them are suspects
// that the driver does not tell apart.
Elsewhere look(OtherCardsAsk ask, const std::vector<GpuUse>& before, const Both& blamed) {
  Elsewhere found{.trouble = {.gpus = {}, .why = {}}, .launch = {}};
  auto now = *ask.hurry ? std::nullopt : ask_gpu_use(ask.program);
  if (!now) return found;
  EngineLaunch alone = ask.launch;  // of cards that others of ours use too nobody can say whose
  std::erase_if(alone.gpus, [&](int gpu) {
    return std::ranges::find(ask.not_these, gpu) != ask.not_these.end();
  });
  found.trouble = trouble_with(alone, before, *now);
  if (found.trouble.gpus.empty() && !blamed.empty())
    found.trouble = {.gpus = ask.launch.gpus, .why = blamed};
  if (found.trouble.gpus.empty()) return found;
  ask.now = std::move(*now);
  ask.bad = found.trouble.gpus;
  found.launch = launch_elsewhere(ask);
  return found;
}

}  // namespace

// Only one that failed, that we placed, and while nothing else changes.
bool Runner::Inside::may_move(const Running& replica) const {
  if (!replica.launch.any_gpus || replica.launch.gpus.empty() || !out.moves) return false;
  if (!supervisor.may_change() || supervisor.change() || supervisor.on_ladder()) return false;
  if (std::ranges::find(moved, replica.launch) != moved.end()) return false;
  return std::ranges::any_of(supervisor.view(), [&](const ReplicaView& view) {
    return view.attempt == replica.of && view.state == ReplicaState::Failed && !view.retires;
  });
}

// `then`: what it waits for, told afterwards in any case.
void Runner::Inside::look_elsewhere(Attempt of, const Both& blamed, Event then) {
  const Running* replica = running(of);
  if (replica == nullptr || !may_move(*replica)) return take(then);
  OtherCardsAsk question{.program = ask.program,
                         .launch = replica->launch,
                         .bad = {},
                         .not_these = {},
                         .now = {},
                         .hurry = &hurry,
                         .in_spite_of_errors = !supervisor.deployment().anyway.empty()};
  for (const auto& [number, other] : all) {
    if (number == of.replica) continue;
    for (const int gpu : other.launch.gpus) question.not_these.push_back(gpu);
  }
  aside([question, before = gpus_before, blamed] { return look(question, before, blamed); },
        [this, of, then = std::move(then)](const Elsewhere& found) {
          move(of, found.trouble, found.launch);
          take(then);
          if (out.routes_changed) out.routes_changed();
        });
}

void Runner::Inside::move(Attempt of, const CardTrouble& trouble,
                          const std::optional<EngineLaunch>& to) {
  const Running* replica = running(of);
  if (trouble.gpus.empty() || replica == nullptr || !may_move(*replica)) return;
  moved.push_back(replica->launch);
  if (!to) {
    note(of.replica, "cards-lost",
         in_both({kStays, {{"why", trouble.why}, {"replica", of.replica}}}));
    return;
  }
  std::vector<Argument> arguments{{"replica", of.replica},
                                  {"from", listed(replica->launch.gpus)},
                                  {"to", listed(to->gpus)},
                                  {"why", trouble.why}};
  Deployment wanted = supervisor.deployment();
  for (auto* layouts : {&wanted.rungs, &wanted.layouts}) {
    for (DeployedLayout& layout : *layouts) {
      for (EngineLaunch& launch : layout.replicas) {
        if (launched_alike(launch, replica->launch)) launch = *to;
      }
    }
  }
  if (const auto accepted = out.moves(std::move(wanted)); !accepted) {
    moved.pop_back();  // a later failure may ask again
    arguments.emplace_back("refused", accepted.error().words());
    note(of.replica, "cards-lost", in_both({kCannotMove, std::move(arguments)}));
    return;
  }
  note(of.replica, "moved", in_both({kMoves, std::move(arguments)}));
}

}  // namespace sx
