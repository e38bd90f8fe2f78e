// The driver asked from a safe distance. A lost GPU can block any call for minutes and a broken
// library can crash, so a child does the asking, and what it has told by the deadline counts.
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
#include "sys/own_children.h"

namespace sx {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A child that hangs inside the kernel does not die of SIGKILL; it is then left behind rather than
// waited for.
constexpr milliseconds kReapTime{300};

[[noreturn]] void run_child(const std::string& library, int to) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGPIPE})
    ::signal(signal, SIG_DFL);
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

// With what was being asked, where that is known.
Both during(Both trouble, const NvmlTold& told) {
  if (told.asking.empty()) return trouble;
  return {trouble.english + ", while asking for " + told.asking.english,
          trouble.chinese + "，当时在询问：" + told.asking.chinese};
}

// What ended the answer before its time; empty: nothing did.
Both trouble_of(const Heard& heard, const NvmlTold& told, int signal, milliseconds deadline) {
  if (heard.ended == Ended::Deadline) {
    const std::string limit = std::to_string(deadline.count());
    return during(
        {"the driver did not answer within " + limit + " ms", "驱动在 " + limit + " ms 内没有应答"},
        told);
  }
  if (heard.ended == Ended::TooMuch)
    return {"the driver's library answered without end", "驱动的库应答没有尽头"};
  if (told.done) return {};
  if (signal == 0) return during({"the driver's library crashed", "驱动的库崩溃"}, told);
  const std::string name = ::strsignal(signal);
  return during({"the driver's library crashed (" + name + ")", "驱动的库崩溃（" + name + "）"},
                told);
}

std::unexpected<Error> refused(const Both& why) {
  return fail(Error::Kind::Refused, "NVML refused: " + why.english,
              "NVML 拒绝应答：" + why.chinese);
}

Result<NvmlAnswer> judge(const Heard& heard, int signal, milliseconds deadline) {
  NvmlTold told = read_nvml_lines(heard.text);
  if (told.absent) {
    return fail(Error::Kind::Absent, "NVML was not found (" + told.absent_why + ")",
                "没有找到 NVML（" + told.absent_why + "）");
  }
  if (told.refused != 0) return refused(nvml_words(told.refused));
  const Both trouble = trouble_of(heard, told, signal, deadline);
  // What was told before the trouble is still true, as long as the GPUs were counted.
  if (!told.counted) {
    if (heard.ended == Ended::Deadline) return fail(Error::Kind::TimedOut, trouble);
    if (!trouble.empty()) return fail(Error::Kind::Damaged, trouble);
    if (!told.answer.unknown.empty()) return refused(told.answer.unknown.front());
    return refused({"the number of GPUs is not told", "没有给出 GPU 数量"});
  }
  if (!trouble.empty()) told.answer.unknown.push_back(trouble);
  return std::move(told.answer);
}

}  // namespace

Result<NvmlAnswer> ask_nvml(const std::string& library, milliseconds deadline) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(Error::Kind::Refused, "cannot make a pipe", "无法建立管道");
  UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  const auto until = Clock::now() + deadline;
  pid_t child = -1;
  {
    ChildBirth birth;
    child = ::fork();
    if (child == 0) run_child(library, to.get());
    birth.noted(child);
  }
  if (child < 0)
    return fail(Error::Kind::Refused, "cannot start a process to ask the driver",
                "无法启动询问驱动的进程");
  to.reset();
  const Heard heard = listen(from.get(), until);
  if (heard.ended != Ended::Closed) ::kill(child, SIGKILL);
  return judge(heard, reap(child), deadline);
}

}  // namespace sx
