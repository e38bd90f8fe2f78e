// One loop over poll: the engine's output, its end, those who ask, and the time to kill.
#include "run/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "knowledge/engine_life.h"
#include "run/cpu_list.h"
#include "run/engine_log.h"
#include "run/keeper_container.h"
#include "run/keeper_family.h"
#include "run/keeper_talk.h"
#include "run/oom_watch.h"
#include "run/replica_files.h"
#include "sys/files.h"
#include "sys/local_socket.h"
#include "sys/port_claim.h"
#include "sys/save_file.h"
#include "sys/spawn.h"

namespace sx {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostClients = 8;     // the daemon, and a person or two
constexpr std::size_t kPiece = 65536;       // read at once: a pipe holds no more
constexpr int kPiecesAtOnce = 16;           // then the others get their turn
constexpr milliseconds kSweepTime{10'000};  // for leftovers to vanish after they were killed
constexpr milliseconds kSweepPause{20};
constexpr milliseconds kLastWords{2'000};           // for output still in the pipe after the end
constexpr std::chrono::seconds kGraceOfSystem{30};  // when the system asks us to end
constexpr milliseconds kFamilyEvery{2'000};         // what is born meanwhile is found otherwise
constexpr Bytes kMostSpec = mib(16);

class Keeper {
 public:
  Keeper(ReplicaFiles files, KeeperSpec spec, UniqueFd report)
      : files_(std::move(files)),
        spec_(std::move(spec)),
        log_(files_.folder, spec_.log),
        family_(spec_.mark, spec_.group),
        oom_(spec_.launch.container.empty() ? family_.group() : std::string()),
        container_(spec_.launch, files_.folder, spec_.mark),
        report_(std::move(report)) {}

  int run();

 private:
  bool begin();
  void write_record();
  void tell_who_runs();
  void loop();
  void wait_once();
  void take_output();
  void take_signals();
  void bury();
  void serve(std::size_t client);
  void stop(std::chrono::seconds grace);
  void look_at_time();
  void kill_all();
  void sweep();
  void finish();

  ReplicaFiles files_;
  KeeperSpec spec_;
  EngineLog log_;
  KeeperFamily family_;
  OomWatch oom_;
  KeeperContainer container_;
  UniqueFd report_, output_, listener_, signals_;
  PortClaims port_{PortRole::Keeper};  // its engine's, should the daemon be gone
  Spawned engine_;
  KeeperRecord record_;
  ExitRecord exit_;
  std::vector<KeeperClient> clients_;
  std::optional<Clock::time_point> kill_at_, again_at_, look_at_;
  bool ended_ = false;
  bool container_oom_ = false;  // the kernel ended its engine for lack of memory
};

bool Keeper::begin() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  output_ = UniqueFd(ends[0]);
  UniqueFd input(ends[1]);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  SpawnAsk ask{.words = container_.words(), .environment = spec_.launch.environment};
  ask.environment[kMarkVariable] = spec_.mark;
  if (const EngineLife* life = engine_life(spec_.launch.engine);
      life != nullptr && !life->keeps_environ.empty())
    ask.environment.emplace(life->keeps_environ, "1");
  ask.folder = spec_.launch.folder.empty() ? files_.folder : spec_.launch.folder;
  ask.out = ask.err = input.get();
  ask.cpus = cpu_numbers(spec_.launch.cpus);
  ask.dies_with_us = true;  // an engine that nobody keeps must not hold its GPUs
  ask.group = family_.door();
  auto spawned = spawn(ask);
  if (!spawned) {
    exit_.error = spawned.error().what;
    exit_.error_chinese = spawned.error().chinese;
    exit_.absent = spawned.error().kind == Error::Kind::Absent;
    return false;
  }
  engine_ = std::move(*spawned);
  const auto us = identity_of(::getpid());
  const auto engine = identity_of(engine_.pid);
  record_ = {.of = spec_.of,
             .mark = spec_.mark,
             .keeper = us.value_or(ProcessIdentity{}),
             .engine = engine.value_or(ProcessIdentity{.pid = engine_.pid, .start_ticks = 0}),
             .group = "",
             .family = {}};
  family_.begin(record_.engine);
  record_.group = family_.group();
  if (record_.group.empty()) {
    family_.look();
    look_at_ = Clock::now() + kFamilyEvery;
  }
  return true;
}

void Keeper::write_record() {
  record_.family = family_.seen();
  [[maybe_unused]] const auto saved = save_file(files_.keeper(), record_json(record_));
}

void Keeper::tell_who_runs() {
  write_record();
  const std::string text = record_json(record_);
  if (!report_.open()) return;
  [[maybe_unused]] const ssize_t told = ::write(report_.get(), text.data(), text.size());
  report_.reset();
}

int Keeper::run() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what the engine leaves behind comes home to us
  exit_.of = spec_.of;
  if (spec_.launch.port > 0) port_.take(spec_.launch.port);
  if (auto listener = listen_local(files_.socket())) listener_ = std::move(*listener);
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&ours, signal);
  ::sigprocmask(SIG_BLOCK, &ours, nullptr);
  ::signal(SIGXFSZ, SIG_IGN);  // a log that may not grow loses lines, not the engine
  signals_ = UniqueFd(::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
  if (begin()) {
    tell_who_runs();
    loop();
    sweep();
  }
  finish();
  return 0;
}

void Keeper::loop() {
  while (!ended_) {
    look_at_time();
    wait_once();
  }
}

void Keeper::wait_once() {
  std::vector<pollfd> waiting{{output_.get(), POLLIN, 0},
                              {engine_.pidfd.get(), POLLIN, 0},
                              {signals_.get(), POLLIN, 0},
                              {listener_.get(), POLLIN, 0}};
  const std::size_t fixed = waiting.size();
  for (const KeeperClient& client : clients_) waiting.push_back({client.fd(), POLLIN, 0});
  milliseconds wait{60'000};
  for (const auto& at : {kill_at_, again_at_, look_at_}) {
    if (at) wait = std::min(wait, std::chrono::ceil<milliseconds>(*at - Clock::now()));
  }
  if (::poll(waiting.data(), waiting.size(), static_cast<int>(std::max<long>(wait.count(), 0))) <=
      0)
    return;
  if (waiting[0].revents != 0) take_output();
  if (waiting[2].revents != 0) take_signals();
  for (std::size_t i = clients_.size(); i-- > 0;) {
    if (waiting[fixed + i].revents != 0) serve(i);
  }
  if (waiting[3].revents != 0) {
    if (UniqueFd peer = accept_local(listener_.get());
        peer.open() && clients_.size() < kMostClients)
      clients_.emplace_back(std::move(peer));
  }
  if (waiting[1].revents != 0) ended_ = true;
}

void Keeper::take_output() {
  std::array<char, kPiece> piece{};
  for (int i = 0; i < kPiecesAtOnce && output_.open(); ++i) {
    const ssize_t count = ::read(output_.get(), piece.data(), piece.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {  // all its writers have closed it; the end of the process comes by itself
      output_.reset();
      return;
    }
    log_.take({piece.data(), static_cast<std::size_t>(count)});
  }
}

void Keeper::take_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) stop(kGraceOfSystem);
    if (info.ssi_signo == SIGCHLD) bury();
  }
}

// Of those that came home to us and ended: an engine that lets many go would use up the process
// numbers. The engine itself is left for the end: its status is still wanted.
void Keeper::bury() {
  siginfo_t ended{};
  while (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0 &&
         ended.si_pid != engine_.pid) {
    ::waitpid(ended.si_pid, nullptr, WNOHANG);
    ended = {};
  }
}

void Keeper::stop(std::chrono::seconds grace) {
  exit_.asked = true;
  const auto now = Clock::now();
  if (grace.count() == 0) {
    kill_all();
    return;
  }
  if (!kill_at_) {
    if (container_.any()) {
      container_.stop(grace);
    } else {
      send_signal(record_.engine, SIGTERM);
    }
    if (const auto again = second_request_after(spec_.launch.engine)) again_at_ = now + *again;
    kill_at_ = now + grace;
  }
  kill_at_ = std::min(*kill_at_, now + grace);
}

void Keeper::look_at_time() {
  const auto now = Clock::now();
  if (again_at_ && *again_at_ <= now) {
    again_at_.reset();
    send_signal(record_.engine, SIGTERM);
  }
  if (kill_at_ && *kill_at_ <= now) {
    kill_at_ = now + kSweepTime;  // one that hangs in the kernel is tried again
    kill_all();
  }
  if (look_at_ && *look_at_ <= now) {
    look_at_ = now + kFamilyEvery;
    if (family_.look()) write_record();
  }
}

void Keeper::kill_all() {
  exit_.killed = true;
  if (container_.any()) container_.kill();
  ::kill(-engine_.pid, SIGKILL);
  family_.kill();
}

// The engine has ended; nobody of its family may stay, or the next start finds no memory.
void Keeper::sweep() {
  int status = 0;
  while (::waitpid(engine_.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) exit_.signal = WTERMSIG(status);
  if (WIFEXITED(status)) exit_.code = WEXITSTATUS(status);
  if (container_.any()) {
    const auto ending = container_.end();
    if (ending.code) {
      exit_.code = ending.code;
      exit_.signal.reset();
    }
    container_oom_ = ending.out_of_memory;
  }
  const auto until = Clock::now() + kSweepTime;
  while (Clock::now() < until) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const auto left = family_.left();
    if (left.empty()) break;
    exit_.swept = std::max(exit_.swept, static_cast<int>(left.size()));
    family_.kill();
    if (output_.open()) take_output();
    std::this_thread::sleep_for(kSweepPause);
  }
  const auto words_until = Clock::now() + kLastWords;
  while (output_.open() && Clock::now() < words_until) {
    pollfd waiting{output_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(kSweepPause.count())) > 0) take_output();
  }
}

void Keeper::serve(std::size_t index) {
  KeeperClient& client = clients_[index];
  while (const auto request = client.next_request()) {
    if (request->does == KeeperRequest::Does::Stop) stop(request->grace);
    client.answer(*request, record_, log_);
  }
  if (client.gone()) clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(index));
}

void Keeper::finish() {
  exit_.oom_kills = container_oom_ ? OomKills{.count = 1} : oom_.since(!family_.group().empty());
  family_.end();
  [[maybe_unused]] const auto saved = save_file(files_.ending(), exit_json(exit_));
  ::unlink(files_.socket().c_str());
}

}  // namespace

int run_keeper(const std::string& folder) {
  // Looked at before anything is opened: a number that is free now will soon be a file of ours.
  UniqueFd report;
  struct stat status{};
  if (::fstat(kKeeperReports, &status) == 0 && S_ISFIFO(status.st_mode)) {
    report.reset(::fcntl(kKeeperReports, F_DUPFD_CLOEXEC, kKeeperReports + 1));
    ::close(kKeeperReports);
  }
  const ReplicaFiles files(folder);
  const auto text = real_files().read(files.spec(), kMostSpec);
  if (!text) return 2;
  auto spec = read_spec(*text);
  if (!spec) return 2;
  return Keeper(files, std::move(*spec), std::move(report)).run();
}

}  // namespace sx
