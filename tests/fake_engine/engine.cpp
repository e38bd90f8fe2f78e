// Stages and failures; what is said over HTTP is in server.cpp.
#include "fake_engine/engine.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "fake_engine/server.h"

namespace fake {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGateEvery{10};
constexpr std::chrono::minutes kGateLimit{10};  // a test that forgets to open it has ended by then

[[noreturn]] void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

bool ends_engine(const Step& step) {
  return step.verb == "crash" || step.verb == "signal" || step.verb == "exit0";
}

}  // namespace

Engine::Engine(Asked asked, std::vector<Step> plan)
    : asked_(std::move(asked)), plan_(std::move(plan)), texts_(asked_) {
  for (const char* verb : {"slow", "drip"}) {
    if (const Step* step = find_step(plan_, verb)) token_time_ = time_of(step->value);
  }
}

void Engine::live() {
  watch_signals();
  begin_steps("");
  if (const Step* late = find_step(plan_, "bind-late"))
    std::this_thread::sleep_for(time_of(late->value));
  wait_at_gate("bind");
  if (asked_.as != Speaks::Sglang) bind_port();
  if (asked_.as == Speaks::LlamaCpp) open_port();  // it answers 503 while it loads
  go_through_stages();
  sleep_for_ever();
}

void Engine::bind_port() {
  port_ = bound_socket(asked_.host, asked_.port);
  if (port_ >= 0) return;
  texts_.say_words("port-in-use");
  std::_Exit(1);
}

void Engine::open_port() {
  if (!serve(port_, *this)) {
    texts_.say_words("port-in-use");
    std::_Exit(1);
  }
  if (phase_ == Phase::Starting && asked_.as != Speaks::LlamaCpp) phase_ = Phase::Listening;
}

void Engine::go_through_stages() {
  for (const auto& one : texts_.stages()) {
    if (one.first == "shutdown") continue;
    if (one.first == "ready") {
      if (const Step* late = find_step(plan_, "port-late")) {
        std::thread([this, wait = time_of(late->value), one] {
          std::this_thread::sleep_for(wait);
          if (asked_.as == Speaks::Sglang) bind_port();
          if (asked_.as != Speaks::LlamaCpp) open_port();
          phase_ = Phase::Up;
        }).detach();
      } else {
        if (asked_.as == Speaks::Sglang) bind_port();
        if (asked_.as != Speaks::LlamaCpp) open_port();
      }
    }
    stage(one);
  }
  if (find_step(plan_, "port-late") == nullptr) phase_ = Phase::Up;
  if (const Step* orphan = find_step(plan_, "orphan")) leave_orphan(*orphan);
}

// A stage that goes wrong has said half of its lines by then.
void Engine::stage(const Texts::Stage& stage) {
  const auto& [name, lines] = stage;
  begin_steps(name);
  const auto wrong = std::find_if(plan_.begin(), plan_.end(), [&](const Step& step) {
    return step.at == name && step.after.count() == 0 &&
           (ends_engine(step) || step.verb == "stall");
  });
  const auto half = static_cast<long>((lines.size() + 1) / 2);
  const milliseconds pause = asked_.stage / std::max<long>(1, static_cast<long>(lines.size()));
  long said = 0;
  for (const std::string& line : lines) {
    if (wrong != plan_.end() && said++ == half) break;
    texts_.say(line);
    std::this_thread::sleep_for(pause);
  }
  wait_at_gate(name);
  if (wrong != plan_.end()) act(*wrong);
}

// Those with a delay, and those that begin with the stage and go on beside it.
void Engine::begin_steps(const std::string& stage) {
  for (const Step& step : plan_) {
    if (step.at != stage) continue;
    const bool in_stage = ends_engine(step) || step.verb == "stall";
    if (step.after.count() > 0) {
      std::thread([this, step] {
        std::this_thread::sleep_for(step.after);
        act(step);
      }).detach();
    } else if (!in_stage || stage.empty()) {
      act(step);
    }
  }
}

void Engine::act(const Step& step) {
  if (ends_engine(step)) fail(step);
  if (step.verb == "stall") sleep_for_ever();
  if (step.verb == "wedge") wedged_ = true;
  if (step.verb == "deaf") deaf_ = true;
  if (step.verb == "sick") sick_ = true;
  if (step.verb == "flood") std::thread([this, step] { flood(step); }).detach();
}

void Engine::fail(const Step& step) const {
  texts_.say_words(step.key("log", ""));
  if (step.verb == "crash") std::_Exit(step.number("code", 1));
  if (step.verb == "exit0") std::_Exit(0);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const bool numbered = step.at != "request" && !step.value.empty();
  const int number = numbered ? std::atoi(step.value.c_str()) : step.number("number", SIGKILL);
  std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::kill(::getpid(), number);
  sleep_for_ever();
}

void Engine::flood(const Step& step) const {
  const double rate = bytes_of(step.value.empty() ? "1MB" : step.value);
  const double all = bytes_of(step.key("all", "1000GB"));
  const std::string line = "INFO flood of lines that tell nothing: " + std::string(216, '.') + '\n';
  std::string block;
  while (block.size() < 65536 - line.size()) block += line;
  const auto began = std::chrono::steady_clock::now();
  for (double sent = 0; sent < all;) {
    const ssize_t count = ::write(STDERR_FILENO, block.data(), block.size());
    if (count <= 0) return;
    sent += static_cast<double>(count);
    std::this_thread::sleep_until(began + std::chrono::duration_cast<milliseconds>(
                                              std::chrono::duration<double>(sent / rate)));
  }
}

void Engine::leave_orphan(const Step& step) const {
  const pid_t child = ::fork();
  if (child != 0) {
    if (step.value == "bare") ::waitpid(child, nullptr, 0);
    return;
  }
  ::setsid();
  if (step.value == "bare") {
    if (::fork() != 0) std::_Exit(0);
    char name[] = "sleep", time[] = "100000";
    char* words[] = {name, time, nullptr};
    char* nothing[] = {nullptr};
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::close_range(0, ~0U, 0);
    ::execve("/bin/sleep", words, nothing);
    std::_Exit(127);
  }
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
  if (step.value != "port" && port_ >= 0) ::close(port_);
  sleep_for_ever();
}

Engine::Request Engine::begin_request() {
  Request request{.number = ++work_.requests};
  ++work_.running;
  for (const Step& step : plan_) {
    if (step.at != "request") continue;
    const int number = std::atoi(step.value.c_str());
    if (step.verb == "wedge" && request.number >= number) wedged_ = true;
    if (ends_engine(step) && request.number == number) request.fails = &step;
    if (step.verb == "gate" && request.number >= number) request.waits = true;
  }
  return request;
}

void Engine::end_request(int tokens) {
  work_.ended_tokens += tokens;
  --work_.running;
  if (++work_.done == 1) begin_steps("answered");
}

void Engine::wait_while_wedged() const {
  while (wedged_) std::this_thread::sleep_for(milliseconds(50));
}

void Engine::wait_at_gate(const std::string& moment) const {
  const bool has_one = std::any_of(plan_.begin(), plan_.end(), [&](const Step& step) {
    return step.verb == "gate" && step.at == moment;
  });
  if (!has_one) return;
  const std::string key = "open." + moment;
  const auto until = std::chrono::steady_clock::now() + kGateLimit;
  while (::access(key.c_str(), F_OK) != 0) {
    if (std::chrono::steady_clock::now() > until) {
      std::fprintf(stderr, "fake_engine: nobody has made %s\n", key.c_str());
      std::_Exit(64);
    }
    std::this_thread::sleep_for(kGateEvery);
  }
}

// --- being asked to end -------------------------------------------------------------------------

void Engine::watch_signals() {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGTERM);
  sigaddset(&ours, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &ours, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::thread([this, ours] {
    int signal = 0;
    for (bool again = false;; again = true) {
      ::sigwait(&ours, &signal);
      if (find_step(plan_, "ignore-term") != nullptr) continue;
      const bool starts = phase_ == Phase::Starting;
      // No handler yet: the signal does what it does to every program.
      if (starts && asked_.as != Speaks::Vllm)
        fail({.verb = "signal", .at = "", .value = std::to_string(signal), .more = {}});
      if (starts) {
        texts_.say_words("term-in-start");
        std::_Exit(1);
      }
      if (again && asked_.as == Speaks::LlamaCpp) {
        texts_.say_words("second-term");
        std::_Exit(1);
      }
      if (again) continue;
      std::thread([this] { end(); }).detach();
    }
  }).detach();
}

// vLLM aborts what runs; the other two wait for it.
void Engine::end() {
  phase_ = Phase::Ending;
  if (const Step* slow = find_step(plan_, "slow-term"))
    std::this_thread::sleep_for(time_of(slow->value));
  while (asked_.as != Speaks::Vllm && work_.running > 0)
    std::this_thread::sleep_for(milliseconds(10));
  texts_.say_stage("shutdown");
  std::_Exit(0);
}

}  // namespace fake
