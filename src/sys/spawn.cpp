// fork and exec by hand: posix_spawn can neither bind to processors nor let a child die with its
// parent. Between the two only calls are made that are safe in a forked child.
#include "sys/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sys/own_children.h"
#include "sys/system_words.h"

namespace sx {
namespace {

constexpr int kLowestFree = 64;  // descriptors on their way to a number below are parked from here

// Everything the child needs, made before the fork: it must not allocate.
struct Prepared {
  std::vector<char*> words, environment;
  std::string program;
  cpu_set_t cpus{};
  int null = -1;
};

std::vector<std::string> as_assignments(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> all;
  for (const auto& [name, value] : environment) all.push_back(name + '=' + value);
  return all;
}

// Where the program lies: as execvpe finds it, but before the fork and in the PATH it will have.
std::string found_program(const SpawnAsk& ask) {
  const std::string& name = ask.words.front();
  if (name.find('/') != std::string::npos) return name;
  const auto path = ask.environment.find("PATH");
  std::string_view left = path == ask.environment.end() ? "/usr/local/bin:/usr/bin:/bin"
                                                        : std::string_view(path->second);
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const std::string candidate = std::string(left.substr(0, end)) + '/' + name;
    struct stat status{};
    if (::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return {};
}

[[noreturn]] void give_up(int report) {
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(report, &error, sizeof error);
  ::_exit(127);
}

// All are blocked since before the fork: a handler of ours must not run in the child.
void plain_signals() {
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &plain, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// A number beyond all that are handed on.
int out_of_the_way(int ours) {
  const int at = ::fcntl(ours, F_DUPFD_CLOEXEC, kLowestFree);
  if (at < 0 && errno == EINVAL) errno = EMFILE;  // so far the limit of this process does not go
  return at;
}

void place_descriptors(const SpawnAsk& ask, int null, int report) {
  // First up to where nothing is overwritten, then down to their numbers.
  std::array<std::pair<int, int>, 16> parked{};
  std::size_t count = 0;
  const auto park = [&](int ours, int wanted) {
    const int at = out_of_the_way(ours < 0 ? null : ours);
    if (at < 0) give_up(report);
    parked.at(count++) = {at, wanted};
  };
  park(ask.in, 0);
  park(ask.out, 1);
  park(ask.err, 2);
  for (const auto& [ours, wanted] : ask.keep) park(ours, wanted);
  for (std::size_t i = 0; i < count; ++i) {
    if (::dup2(parked.at(i).first, parked.at(i).second) < 0) give_up(report);
  }
}

[[noreturn]] void become(const SpawnAsk& ask, const Prepared& prepared, int told, pid_t parent) {
  // Out of the way of what is handed on: its own number may be one of those wanted.
  const int report = out_of_the_way(told);
  if (report < 0) give_up(told);
  if (::setsid() < 0) give_up(report);
  if (ask.dies_with_us) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(report);
    if (::getppid() != parent) ::_exit(127);  // it ended before it could be asked to say so
  }
  // Not allowed after all: whoever asked for it looks whether it is in.
  if (ask.group >= 0) {
    [[maybe_unused]] const ssize_t moved = ::write(ask.group, "0", 1);
  }
  plain_signals();
  place_descriptors(ask, prepared.null, report);
  if (!ask.folder.empty() && ::chdir(ask.folder.c_str()) != 0) give_up(report);
  if (!ask.cpus.empty() && ::sched_setaffinity(0, sizeof prepared.cpus, &prepared.cpus) != 0)
    give_up(report);
  rlimit files{};
  if (ask.open_files && ::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = std::min(static_cast<rlim_t>(*ask.open_files), files.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  ::execve(prepared.program.c_str(), prepared.words.data(), prepared.environment.data());
  give_up(report);
}

std::unexpected<Error> not_started(const std::string& program, int error) {
  const Error::Kind kind = error == ENOENT ? Error::Kind::Absent : Error::Kind::Refused;
  const Both why = system_words(error);
  return fail(kind, "cannot start " + program + ": " + why.english,
              "无法启动 " + program + "：" + why.chinese);
}

}  // namespace

Result<Spawned> spawn(const SpawnAsk& ask) {
  if (ask.words.empty() || ask.keep.size() > 12)
    return fail(Error::Kind::Usage, "there is no program to start", "没有要启动的程序");
  Prepared prepared;
  prepared.program = found_program(ask);
  if (prepared.program.empty()) return not_started(ask.words.front(), ENOENT);
  std::vector<std::string> assignments = as_assignments(ask.environment);
  for (const std::string& word : ask.words)
    prepared.words.push_back(const_cast<char*>(word.c_str()));
  prepared.words.push_back(nullptr);
  for (std::string& one : assignments) prepared.environment.push_back(one.data());
  prepared.environment.push_back(nullptr);
  for (const int cpu : ask.cpus) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &prepared.cpus);
  }
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  prepared.null = null.get();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return not_started(prepared.program, errno);
  UniqueFd told(ends[0]);
  UniqueFd report(ends[1]);
  const pid_t parent = ::getpid();
  pid_t child = -1;
  int not_forked = 0;
  {
    ChildBirth birth;
    const SignalsBlocked meanwhile;
    child = ::fork();
    not_forked = errno;
    if (child == 0) become(ask, prepared, report.get(), parent);
    birth.noted(child);
  }
  if (child < 0) return not_started(prepared.program, not_forked);
  report.reset();
  int error = 0;
  ssize_t count = 0;
  while ((count = ::read(told.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (count == static_cast<ssize_t>(sizeof error)) {
    ::waitpid(child, nullptr, 0);
    return not_started(prepared.program, error);
  }
  Spawned spawned{.pid = child,
                  .pidfd = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)))};
  if (!spawned.pidfd.open()) {
    ::kill(-child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return not_started(prepared.program, ENOSYS);
  }
  return spawned;
}

}  // namespace sx
