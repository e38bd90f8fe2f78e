// Inside a handler only calls are made that are safe there.
#include "sys/fatal_signals.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

namespace sx {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};

std::string_view words_ahead, words_behind;  // set once, before any handler

void add(std::array<char, 256>& line, std::size_t& size, std::string_view text) {
  const std::size_t room = line.size() - size;
  const std::size_t count = text.size() < room ? text.size() : room;
  std::memcpy(line.data() + size, text.data(), count);
  size += count;
}

void say(int signal) {
  std::array<char, 256> line{};
  std::size_t size = 0;
  const std::array<char, 2> digits{static_cast<char>('0' + signal / 10),
                                   static_cast<char>('0' + signal % 10)};
  add(line, size, words_ahead);
  add(line, size, {digits.data() + (signal < 10 ? 1 : 0), signal < 10 ? 1U : 2U});
  add(line, size, words_behind);
  add(line, size, "\n");
  [[maybe_unused]] const auto told = ::write(STDERR_FILENO, line.data(), size);
  ::raise(signal);  // the handler is gone: now as if it had never been
}

}  // namespace

void say_fatal_signals(std::string_view ahead, std::string_view behind) {
  words_ahead = ahead;
  words_behind = behind;
  for (const int signal : kSignals) {
    struct sigaction before{};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction ours{};
    ours.sa_handler = say;
    ours.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&ours.sa_mask);
    ::sigaction(signal, &ours, nullptr);
  }
}

}  // namespace sx
