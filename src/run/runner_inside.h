// The inside of a Runner, for its own files alone.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/bytes.h"
#include "run/aftermath.h"
#include "run/gpu_release.h"
#include "run/http_message.h"
#include "run/ladder_tale.h"
#include "run/layout_key.h"
#include "run/other_cards.h"
#include "run/pulse.h"
#include "run/runner.h"
#include "run/stage_watch.h"
#include "run/start_times.h"
#include "sys/port_claim.h"
#include "sys/wall_clock.h"

namespace sx {

namespace asio = boost::asio;

namespace runner {

inline constexpr Bytes kMostRecord = mib(16);
inline constexpr int kHelpers = 4;  // causes and releases at once: few replicas fail together

inline Moment now() {
  return std::chrono::duration_cast<Moment>(std::chrono::steady_clock::now().time_since_epoch());
}

using sx::unix_ms;

// What runs of one replica.
struct Running {
  Attempt of;
  ReplicaFiles files{""};
  EngineLaunch launch;
  std::string mark, group;  // group: empty where no control group can be had
  std::optional<KeeperRecord> record;
  pid_t keeper = 0;
  std::unique_ptr<asio::posix::stream_descriptor> ends, tells;
  std::array<char, 4096> told{};
  bool began = false;  // its engine ran: it may have held GPUs
  std::optional<StageWatch> stages;
  std::optional<StartClock> clock;  // while it starts
  std::vector<StartTimes> earlier;  // of the same shape
  int stage_percent = -1;           // as its log tells
  std::optional<Moment> traffic;
  std::optional<int> code, signal;  // how it ended
  OomKills oom_kills;
  PulseWatch pulse;
  std::optional<Moment> pulse_asked;
  bool proven = false;                   // one of its own processes listens on its port
  std::optional<Moment> says_it_serves;  // since when its log does
  bool awaited_noted = false;
  bool gathers_evidence = false;
  std::optional<StopEngine> held;  // until the evidence of a living process is taken
};

}  // namespace runner

struct Runner::Inside {
  Inside(asio::io_context& in, RunnerAsk asked, Journal& book, Runner& owner)
      : loop(in),
        ask(std::move(asked)),
        journal(book),
        out(owner),
        supervisor(ask.deployment, ask.patience, ask.first, ask.ladder, ask.left_out),
        wake(in),
        stage_timer(in),
        beside(runner::kHelpers) {
    if (ask.resumed) supervisor.resume_change(*ask.resumed);
    supervisor.resume_given_up(ask.given_up);
  }
  ~Inside() {
    hurry = true;
    beside.stop();  // what has not begun is not begun any more
    beside.join();
  }

  void take(const Event& event) {
    supervisor.take(event, runner::now());
    carry_out();
  }

  // Actions may be followed by events at once, and those by actions: until there is peace.
  void carry_out() {
    for (auto actions = supervisor.actions(); !actions.empty(); actions = supervisor.actions()) {
      write_down();
      for (const Action& action : actions) std::visit([&](const auto& one) { act(one); }, action);
    }
    write_down();
    note_where_it_is();
    arm();
  }

  void write_down() {
    for (const Transition& transition : supervisor.transitions()) {
      [[maybe_unused]] const auto added = journal.add(transition, runner::unix_ms());
      clock_start(transition);
      if (out.changed) out.changed(transition);
    }
  }

  void arm() {
    const auto next = supervisor.next_wake();
    if (!next) {
      wake.cancel();
      return;
    }
    wake.expires_after(std::max(Moment(0), *next - runner::now()));
    wake.async_wait([this](boost::system::error_code error) {
      if (!error) take(Tick{});
    });
  }

  runner::Running* running(Attempt of) {
    const auto found = all.find(of.replica);
    return found == all.end() || found->second.of != of ? nullptr : &found->second;
  }

  template <class Work, class Done>
  void aside(Work work, Done done) {
    asio::post(beside, [this, work = std::move(work), done = std::move(done)]() mutable {
      auto result = work();
      asio::post(loop, [done = std::move(done), result = std::move(result)]() mutable {
        done(std::move(result));
      });
    });
  }

  // --- actions ---

  void act(const StartEngine& action);
  void act(const AskHealth& action);
  void act(const WarmUp& action);
  void act(const DrainRequests& action);
  void act(const StopEngine& action);
  void act(const FindCause& action);
  void act(const Release& action);
  void act(const PublishRoutes&) {
    if (out.routes_changed) out.routes_changed();
  }
  void act(const LayoutProven& action);
  void act(const Buried& action);
  void act(const TurnedBack& action) {
    if (out.turned_back) out.turned_back(action.cause);
  }
  void act(const Changed& action) {
    drop_ports();
    if (out.reloaded) out.reloaded(action.good, action.cause);
  }
  void act(const Finished& action) {
    if (out.finished) out.finished(action.asked);
  }

  Result<void> start(runner::Running& replica);
  void watch_keeper(runner::Running& replica, UniqueFd pidfd);
  void listen_for_record(runner::Running& replica, UniqueFd pipe);
  void keeper_ended(Attempt of);
  void look_at_stages();
  void ask_pulse(runner::Running& replica);
  void prove_listener(Attempt of, const HttpTold& told);
  void refuse_port(const runner::Running& replica, Both (*says)(int port));
  // Ports of all that may be started are ours, before it is (runner_beside.cpp).
  void claim_ports(const Deployment& deployment);
  void drop_ports();  // those that nothing of it uses any more
  // What an earlier daemon left (runner_begin.cpp).
  void begin();
  void adopt(const EngineLaunch& launch, const KeeperRecord& record, bool by_launch);
  // What is remembered (runner_memory.cpp).
  void begin_clock(runner::Running& replica);
  void clock_start(const Transition& transition);
  bool asks_gpus() const;
  void see_gpus_before(const std::optional<std::vector<GpuUse>>& told);
  GpuReleaseAsk gpu_release(const runner::Running& replica) const;
  void note(int replica, const std::string& name, const Both& words);
  void note_awaited(Attempt of, const HttpTold& told);  // its health path is not well
  // Other cards for one that lost its own (runner_cards.cpp).
  bool may_move(const runner::Running& replica) const;
  void look_elsewhere(Attempt of, const Both& blamed, Event then);
  void move(Attempt of, const CardTrouble& trouble, const std::optional<EngineLaunch>& to);
  void note_where_it_is();  // for a daemon that comes back

  asio::io_context& loop;
  RunnerAsk ask;
  Journal& journal;
  Runner& out;
  Supervisor supervisor;
  asio::steady_timer wake, stage_timer;
  PortClaims claims{PortRole::Daemon};
  std::map<int, runner::Running> all;
  LadderTale ladder;
  std::vector<GpuUse> gpus_before;  // when nothing of this deployment ran
  bool gpus_unknown = false;        // said once
  std::string absent_noted;         // what was said last of a program that is missing
  std::vector<EngineLaunch> moved;  // those that lost their cards, and were looked after
  std::atomic<bool> hurry{false};   // all goes down: memory is not waited for
  bool stages_looked_at = false;
  bool begun = false;              // what was left is known
  std::vector<Event> asked_early;  // what was asked before that
  std::string group_home;          // where control groups are made; empty: none may be
  Both no_groups;                  // why not
  std::string layout_noted = "-", given_up_noted = "-";
  asio::thread_pool beside;
};

}  // namespace sx
