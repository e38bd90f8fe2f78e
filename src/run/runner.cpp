// A runner's starting and asking; how it ends and takes over is in runner_after.cpp.
#include "run/runner.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "base/check.h"
#include "knowledge/engine_life.h"
#include "logs/run_log.h"
#include "run/absent_program.h"
#include "run/free_ports.h"
#include "run/http_ask.h"
#include "run/new_mark.h"
#include "run/port_held.h"
#include "run/runner_inside.h"
#include "run/warm_up.h"
#include "sys/control_group.h"
#include "sys/files.h"
#include "sys/port_owner.h"
#include "sys/save_file.h"
#include "sys/spawn.h"

namespace sx {
namespace {

using runner::kMostRecord;
using runner::now;
using runner::Running;
using std::chrono::milliseconds;

constexpr milliseconds kStageEvery{250};  // a person watching sees the stage at once
constexpr milliseconds kHealthLimit{5000};
constexpr milliseconds kPulseEvery{5000};  // llama.cpp's rates are per scrape: not more often
constexpr std::chrono::seconds kFrozenAfter{60};  // longer than any step of an engine that works

std::optional<ExitRecord> exit_record(const ReplicaFiles& files) {
  const auto text = real_files().read(files.ending(), kMostRecord);
  if (!text) return std::nullopt;
  auto record = read_exit(*text);
  if (!record) return std::nullopt;
  return std::move(*record);
}

bool keeper_wrote(const ReplicaFiles& files, Attempt of) {
  const auto text = real_files().read(files.keeper(), kMostRecord);
  if (!text) return false;
  const auto record = read_record(*text);
  return record && record->of == of;
}

}  // namespace

// --- starting -----------------------------------------------------------------------------------

void Runner::Inside::act(const StartEngine& action) {
  Running replica;
  replica.of = action.of;
  replica.files = ask.folder.replica(action.of.replica);
  replica.launch = action.launch;
  // Who listens for a container is its daemon's matter.
  replica.proven = !action.launch.container.empty();
  replica.mark = new_mark();
  if (!group_home.empty()) replica.group = group_of(group_home, replica.mark);
  Running& kept = all[action.of.replica] = std::move(replica);
  const int port = kept.launch.port;
  if (port > 0 && !claims.take(port)) {
    refuse_port(kept, port_wanted);
    return;
  }
  if (port > 0 && !port_is_free(kept.launch.host, port)) {
    refuse_port(kept, port_held);
    return;
  }
  if (auto started = start(kept); !started) {
    const Attempt of = action.of;
    const Both words{started.error().what, started.error().chinese};
    const std::string cause = is_full(ask.folder) ? "disk-full" : "keeper-not-started";
    asio::post(loop, [this, of, words, cause] {
      take(NotStarted{.of = of, .cause = cause, .words = words, .again = true});
    });
    return;
  }
  if (!stages_looked_at) look_at_stages();
}

// Nothing was started: who is in the way is said at once.
void Runner::Inside::refuse_port(const Running& replica, Both (*says)(int port)) {
  aside(
      [port = replica.launch.port, says] { return says(port); },
      [this, of = replica.of](const Both& words) {
        take(NotStarted{.of = of, .cause = std::string(kPortInUse), .words = words, .again = true});
      });
}

Result<void> Runner::Inside::start(Running& replica) {
  if (auto own = own_folder(replica.files.folder); !own) return own;
  ::unlink(replica.files.ending().c_str());
  ::unlink(replica.files.keeper().c_str());
  const KeeperSpec spec{.of = replica.of,
                        .mark = replica.mark,
                        .launch = replica.launch,
                        .log = supervisor.deployment().log,
                        .group = replica.group};
  if (auto saved = save_file(replica.files.spec(), spec_json(spec), 0600); !saved)
    return std::unexpected(saved.error());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(Error::Kind::Refused, "no more files can be opened", "无法再打开文件");
  UniqueFd told(ends[0]);
  const UniqueFd tells(ends[1]);
  SpawnAsk keeper{.words = {ask.program, "keeper", replica.files.folder}, .environment = {}};
  keeper.folder = replica.files.folder;
  keeper.keep = {{tells.get(), kKeeperReports}};
  // Before anything writes there: an engine may be fast, and the first watch takes its time.
  replica.stages.emplace(replica.files.log(), replica.launch.engine);
  SX_TRY(Spawned spawned, spawn(keeper));
  replica.keeper = spawned.pid;
  begin_clock(replica);
  watch_keeper(replica, std::move(spawned.pidfd));
  listen_for_record(replica, std::move(told));
  return {};
}

void Runner::Inside::watch_keeper(Running& replica, UniqueFd pidfd) {
  replica.ends = std::make_unique<asio::posix::stream_descriptor>(loop, pidfd.release());
  const Attempt of = replica.of;
  replica.ends->async_wait(asio::posix::stream_descriptor::wait_read,
                           [this, of](boost::system::error_code error) {
                             if (!error) keeper_ended(of);
                           });
}

void Runner::Inside::listen_for_record(Running& replica, UniqueFd pipe) {
  replica.tells = std::make_unique<asio::posix::stream_descriptor>(loop, pipe.release());
  const Attempt of = replica.of;
  replica.tells->async_read_some(
      asio::buffer(replica.told), [this, of](boost::system::error_code error, std::size_t count) {
        Running* found = running(of);
        if (error || found == nullptr) return;
        if (auto record = read_record({found->told.data(), count}); record)
          found->record = std::move(*record);
        found->began = true;
        take(EngineStarted{of});
      });
}

void Runner::Inside::keeper_ended(Attempt of) {
  Running* replica = running(of);
  if (replica == nullptr) return;
  if (replica->keeper > 0) ::waitpid(replica->keeper, nullptr, WNOHANG);
  replica->ends.reset();
  replica->tells.reset();
  const auto record = exit_record(replica->files);
  if (!record || record->of != of) {
    // What it told may not have been read yet; one that was ended before its engine wrote nothing.
    replica->began = replica->began || keeper_wrote(replica->files, of);
    take(EngineEnded{.of = of, .code = {}, .signal = {}});
    return;
  }
  if (!record->error.empty()) {
    // Once, however many replicas miss it.
    if (const Both words = absent_program_words(replica->launch);
        record->absent && std::exchange(absent_noted, words.english) != words.english)
      note(of.replica, "program-absent", words);
    take(NotStarted{.of = of,
                    .cause = record->absent ? "program-absent" : "program-refused",
                    .words = {record->error, record->error_chinese}});
    return;
  }
  replica->began = true;
  replica->code = record->code;
  replica->signal = record->signal;
  replica->oom_kills = record->oom_kills;
  take(EngineEnded{.of = of, .code = record->code, .signal = record->signal});
}

void Runner::Inside::look_at_stages() {
  bool any = false;
  for (const ReplicaView& view : supervisor.view()) {
    if (view.state != ReplicaState::Starting) continue;
    any = true;
    Running* replica = running(view.attempt);
    if (replica == nullptr || !replica->stages) continue;
    const StageWatch::News news = replica->stages->look();
    if (!news.any) continue;
    if (replica->clock) replica->clock->reached(news.stage, now());
    if (news.stage == word(Phase::Ready) && !replica->says_it_serves)
      replica->says_it_serves = now();
    replica->stage_percent = news.percent;
    take(StageReached{.of = view.attempt, .stage = news.stage, .percent = news.percent});
  }
  stages_looked_at = any;
  if (!any) return;
  stage_timer.expires_after(kStageEvery);
  stage_timer.async_wait([this](boost::system::error_code error) {
    if (!error) look_at_stages();
  });
}

// --- asking -------------------------------------------------------------------------------------

// Health paths stay good while an engine is stuck; its counters do not advance.
void Runner::Inside::ask_pulse(Running& replica) {
  const EngineLife* life = engine_life(replica.launch.engine);
  const bool soon = replica.pulse_asked && now() - *replica.pulse_asked < kPulseEvery;
  if (life == nullptr || soon || !supervisor.serves(replica.of.replica)) return;
  replica.pulse_asked = now();
  HttpAsk question{.host = replica.launch.host, .port = replica.launch.port};
  question.target = life->metrics_path;
  question.limit = kHealthLimit;
  question.bearer = replica.launch.key;
  http_ask(loop, std::move(question), [this, life, of = replica.of](const HttpTold& told) {
    Running* asked = running(of);
    const bool answered = told.how == HttpTold::How::Answered && told.status == 200;
    if (asked == nullptr || !answered) return;  // silence is the health path's matter
    const Pulse pulse = read_pulse(told.body, *life);
    if (pulse.waiting && *pulse.waiting >= 0 && out.queue_seen)
      out.queue_seen(of.replica, static_cast<std::uint64_t>(*pulse.waiting));
    const auto still = asked->pulse.look(pulse, now());
    if (still && *still >= kFrozenAfter) take(Frozen{.of = of, .since = *still});
  });
}

void Runner::Inside::act(const AskHealth& action) {
  Running* replica = running(action.of);
  if (replica == nullptr) return;
  ask_pulse(*replica);
  const EngineLife* life = engine_life(replica->launch.engine);
  HttpAsk question{.host = replica->launch.host, .port = replica->launch.port};
  SX_ASSERT(life != nullptr);  // read_deployment takes no other
  question.target = life->health_path;
  question.limit = kHealthLimit;
  const bool loads = life->loading_is_unavailable;
  http_ask(loop, std::move(question), [this, of = action.of, loads](const HttpTold& told) {
    using Is = HealthTold::Is;
    Is is = Is::Sick;
    if (told.how == HttpTold::How::Refused) is = Is::Refused;
    if (told.how == HttpTold::How::TimedOut) is = Is::Silent;
    if (told.how == HttpTold::How::Answered && told.status == 200) is = Is::Ready;
    if (told.how == HttpTold::How::Answered && told.status == 503 && loads) is = Is::Loading;
    // A full engine answers late: while it sends tokens it is not sick.
    const Running* asked = running(of);
    const bool works = asked != nullptr && asked->traffic && now() - *asked->traffic < kHealthLimit;
    if (is == Is::Silent && works) is = Is::Ready;
    if (is == Is::Ready && asked != nullptr && !asked->proven) {
      prove_listener(of, told);
    } else {
      if (is != Is::Ready && is != Is::Loading) note_awaited(of, told);
      take(HealthTold{.of = of, .is = is});
    }
  });
}

// The first good answer of a start may come from somebody who took the port: what counts is that
// one of the engine's own processes listens there.
void Runner::Inside::prove_listener(Attempt of, const HttpTold& told) {
  const Running* replica = running(of);
  aside(
      [mark = replica->mark, port = replica->launch.port] {
        return one_listens(processes_marked(kMarkVariable, mark), port);
      },
      [this, of, told](std::optional<bool> ours) {
        Running* asked = running(of);
        if (asked == nullptr) return;
        asked->proven = ours.value_or(true);  // where it cannot be told the answer has to do
        if (!asked->proven) note_awaited(of, told);
        take(HealthTold{.of = of,
                        .is = asked->proven ? HealthTold::Is::Ready : HealthTold::Is::Refused});
      });
}

void Runner::Inside::act(const WarmUp& action) {
  const Running* replica = running(action.of);
  if (replica == nullptr) return;
  warm_up(loop, replica->launch, [this, of = action.of](bool good, std::string words) {
    take(WarmedUp{.of = of, .good = good, .words = std::move(words)});
  });
}

Runner::Runner(asio::io_context& loop, RunnerAsk ask, Journal& journal)
    : inside_(std::make_unique<Inside>(loop, std::move(ask), journal, *this)) {
  inside_->claim_ports(deployment());
}
Runner::~Runner() = default;

void Runner::begin() { inside_->begin(); }

void Runner::tell(const Event& event) {
  if (std::holds_alternative<AskDown>(event)) inside_->hurry = true;
  if (const auto* reload = std::get_if<AskReload>(&event)) inside_->claim_ports(reload->wanted);
  if (inside_->begun) {
    inside_->take(event);
  } else {
    inside_->asked_early.push_back(event);
  }
}
const Supervisor& Runner::supervisor() const { return inside_->supervisor; }
const Deployment& Runner::deployment() const { return inside_->supervisor.deployment(); }

const Both& Runner::no_control_groups() const { return inside_->no_groups; }

void Runner::note_awaiting(int replica, std::uint64_t requests) {
  const auto found = inside_->all.find(replica);
  if (found != inside_->all.end()) found->second.pulse.note_awaiting(requests);
}

void Runner::note_traffic(int replica) {
  const auto found = inside_->all.find(replica);
  if (found == inside_->all.end()) return;
  found->second.traffic = now();
  found->second.pulse.note_traffic(now());
}

}  // namespace sx
