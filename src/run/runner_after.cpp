// What a runner does about engines that end, and about those that an earlier daemon left.
#include <csignal>

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
          take(found);
        });
}

void Runner::Inside::act(const Release& action) {
  const Running* replica = running(action.of);
  if (replica == nullptr) return;
  const ReleaseAsk question{
      .mark = replica->mark, .host = replica->launch.host, .port = replica->launch.port};
  aside([question] { return see_released(question); },
        [this, of = action.of](const ReleaseTold&) { take(Released{of}); });
}

void Runner::Inside::act(const LayoutProven& action) {
  [[maybe_unused]] const auto added = journal.add(LayoutRecord{.key = action.label,
                                                               .label = action.label,
                                                               .good = action.good,
                                                               .cause = action.cause,
                                                               .unix_ms = unix_ms()});
}

// --- taking over --------------------------------------------------------------------------------

namespace {

// Whether that start had come to serve, by the journal's last word on it.
bool had_served(const Journal& journal, Attempt of) {
  constexpr int kLooked = 2000;
  std::string last;
  for (const JournalLine& line : journal.latest(kLooked)) {
    if (line.replica == of.replica && line.start == of.start) last = line.to;
  }
  return last == word_of(ReplicaState::Ready) || last == word_of(ReplicaState::Suspect);
}

}  // namespace

// What an earlier daemon started and left: its keeper still runs, or has written how it ended.
bool Runner::Inside::adopt(int index, const EngineLaunch& launch) {
  const ReplicaFiles files = ask.folder.replica(index);
  const auto record = left_behind(files);
  if (!record || record->of.replica != index) {
    end_left_behind(files);
    return false;
  }
  Running replica;
  replica.of = record->of;
  replica.files = files;
  replica.launch = launch;
  replica.mark = record->mark;
  replica.record = *record;
  Running& kept = all[index] = std::move(replica);
  const bool served = had_served(journal, record->of);
  supervisor.take(
      Adopted{.of = record->of, .state = served ? ReplicaState::Ready : ReplicaState::Starting},
      now());
  if (!served) kept.stages.emplace(files.log(), launch.engine);
  UniqueFd pidfd = watch(record->keeper);
  if (pidfd.open()) {
    watch_keeper(kept, std::move(pidfd));
  } else {
    asio::post(loop, [this, of = record->of] { keeper_ended(of); });
  }
  return true;
}

// Engines of a deployment that is no longer wanted hold what this one needs.
void Runner::Inside::sweep() {
  const std::string above = ask.folder.path + "/replicas";
  const auto names = real_files().list(above);
  if (!names) return;
  for (const std::string& name : *names) end_left_behind(ReplicaFiles(above + '/' + name));
}

}  // namespace sx
