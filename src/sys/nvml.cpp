// The driver asked from a safe distance. A lost GPU can block any call for minutes and a broken library can crash, so a
// child does the asking, and what it has told by the deadline counts.
#include "sys/nvml.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/unique_fd.h"
#include "sys/nvml_child.h"
#include "sys/nvml_words.h"

namespace sx {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A child that hangs inside the kernel does not die of SIGKILL; it is then left behind rather than waited for.
constexpr milliseconds kReapTime{300};

[[noreturn]] void run_child(const std::string& library, int to) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGPIPE}) ::signal(signal, SIG_DFL);
  // The library may print; that is not our answer.
  to = ::fcntl(to, F_DUPFD_CLOEXEC, 3);  // the pipe may lie on 0 to 2 when the caller closed those
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) ::dup2(nowhere, fd);
  tell_nvml(library, to);
  ::_exit(0);
}

enum class Ended { Closed, Deadline, TooMuch };

struct Heard {
  std::string text;
  Ended ended = Ended::Closed;
};

Heard listen(int from, Clock::time_point deadline) {
  Heard heard;
  std::array<char, 8192> piece{};
  while (true) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      heard.ended = Ended::Deadline;
      return heard;
    }
    pollfd waiting{from, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready <= 0) continue;
    const ssize_t count = ::read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return heard;
    heard.text.append(piece.data(), static_cast<std::size_t>(count));
    if (heard.text.size() <= kMostNvmlAnswer) continue;
    heard.ended = Ended::TooMuch;
    return heard;
  }
}

// The signal that ended the child; 0: it ended by itself, or it cannot be known.
int reap(pid_t child) {
  const auto until = Clock::now() + kReapTime;
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (ended < 0 && errno != EINTR) return 0;
    if (Clock::now() >= until) return 0;
    std::this_thread::sleep_for(milliseconds(2));
  }
}

std::string during(const NvmlTold& told) { return told.asking.empty() ? "" : ", while asking for " + told.asking; }

Result<NvmlAnswer> judge(const Heard& heard, int signal, milliseconds deadline) {
  NvmlTold told = read_nvml_lines(heard.text);
  if (told.absent) return fail(Error::Kind::Absent, "NVML was not found (" + told.absent_why + ")");
  if (told.refused != 0) return fail(Error::Kind::Refused, "NVML refused: " + nvml_words(told.refused));
  std::string trouble;
  if (heard.ended == Ended::Deadline) {
    trouble = "the driver did not answer within " + std::to_string(deadline.count()) + " ms" + during(told);
  } else if (heard.ended == Ended::TooMuch) {
    trouble = "the driver's library answered without end";
  } else if (!told.done) {
    trouble = "the driver's library crashed";
    if (signal != 0) trouble += std::string(" (") + ::strsignal(signal) + ")";
    trouble += during(told);
  }
  // What was told before the trouble is still true, as long as the GPUs were counted.
  if (!told.counted) {
    if (heard.ended == Ended::Deadline) return fail(Error::Kind::TimedOut, trouble);
    if (!trouble.empty()) return fail(Error::Kind::Damaged, trouble);
    const std::string why = told.answer.unknown.empty() ? "the number of GPUs is not told" : told.answer.unknown.front();
    return fail(Error::Kind::Refused, "NVML refused: " + why);
  }
  if (!trouble.empty()) told.answer.unknown.push_back(trouble);
  return std::move(told.answer);
}

}  // namespace

Result<NvmlAnswer> ask_nvml(const std::string& library, milliseconds deadline) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(Error::Kind::Refused, "cannot make a pipe");
  UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  const auto until = Clock::now() + deadline;
  const pid_t child = ::fork();
  if (child < 0) return fail(Error::Kind::Refused, "cannot start a process to ask the driver");
  if (child == 0) run_child(library, to.get());
  to.reset();
  const Heard heard = listen(from.get(), until);
  if (heard.ended != Ended::Closed) ::kill(child, SIGKILL);
  return judge(heard, reap(child), deadline);
}

}  // namespace sx
