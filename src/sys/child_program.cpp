// The child gets its own process group, so that what it starts ends with it.
#include "sys/child_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/unique_fd.h"
#include "sys/own_children.h"
#include "sys/system_words.h"

extern char** environ;

namespace sx {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kReapTime{500};  // one that hangs in the kernel is left behind

// What the pipe gives until its end, the limit or the bound.
void listen(int from, const ChildAsk& ask, ChildAnswer& answer) {
  const auto deadline = Clock::now() + ask.limit;
  std::array<char, 16384> piece{};
  while (true) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      answer.timed_out = true;
      return;
    }
    pollfd waiting{from, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 60'000))) <= 0) continue;
    const ssize_t count = ::read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    answer.out.append(piece.data(), static_cast<std::size_t>(count));
    if (answer.out.size() > ask.most_bytes) {
      answer.out.resize(ask.most_bytes);
      answer.cut = true;
      return;
    }
  }
}

int reap(pid_t child) {
  const auto until = Clock::now() + kReapTime;
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if ((ended < 0 && errno != EINTR) || Clock::now() >= until) return -1;
    std::this_thread::sleep_for(milliseconds(5));
  }
}

// Signals as a program expects them, whatever ours are set to.
void set_up(posix_spawnattr_t& attributes) {
  sigset_t plain;
  sigemptyset(&plain);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&plain, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &plain);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes,
                             static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));
}

}  // namespace

Result<ChildAnswer> run_child_program(const ChildAsk& ask) {
  const std::string program = ask.words.empty() ? "" : ask.words.front();
  std::array<int, 2> ends{};
  if (program.empty() || ::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(Error::Kind::Refused, "cannot start " + program, "无法启动 " + program);
  UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  std::vector<char*> words;
  for (const std::string& word : ask.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::vector<std::string> variables;
  std::vector<char*> variable_words;
  if (ask.environment != nullptr) {
    for (const auto& [name, value] : *ask.environment) variables.push_back(name + '=' + value);
    for (std::string& one : variables) variable_words.push_back(one.data());
    variable_words.push_back(nullptr);
  }
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, to.get(), 1);
  if (ask.with_errors) {
    ::posix_spawn_file_actions_adddup2(&files, to.get(), 2);
  } else {
    ::posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  }
  if (!ask.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&files, ask.folder.c_str());
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  set_up(attributes);
  pid_t child = -1;
  int error = 0;
  {
    ChildBirth birth;
    error = ::posix_spawnp(&child, program.c_str(), &files, &attributes, words.data(),
                           ask.environment == nullptr ? environ : variable_words.data());
    birth.noted(error == 0 ? child : 0);
  }
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  to.reset();
  if (error != 0) {
    const Error::Kind kind = error == ENOENT ? Error::Kind::Absent : Error::Kind::Refused;
    const Both why = system_words(error);
    return fail(kind, "cannot start " + program + ": " + why.english,
                "无法启动 " + program + "：" + why.chinese);
  }
  ChildAnswer answer;
  listen(from.get(), ask, answer);
  if (answer.timed_out || answer.cut) ::kill(-child, SIGKILL);
  answer.code = reap(child);
  if (answer.code < 0) {  // it closed its output and goes on
    ::kill(-child, SIGKILL);
    answer.code = std::max(reap(child), 0);
  }
  return answer;
}

}  // namespace sx
