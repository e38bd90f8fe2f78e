// A line that moves while files are read, and Ctrl-C that ends the reading in an orderly way.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>

#include "cli/output.h"

namespace sx {

// "[######······]  42 %  12.3 GiB of 28.0 GiB, 1.8 GiB/s, 9 s left": pure, for a number of cells.
std::string progress_line(std::int64_t done, std::int64_t all, double seconds, std::size_t width,
                          Language language);

// Cells of the terminal behind standard error; 0: it is none.
std::size_t terminal_width_of_errors();

// Shown on standard error when that is a terminal; nothing at all in a pipe.
class Progress {
 public:
  Progress(Output& output, std::int64_t all, Language language);
  void show(std::int64_t done);
  void clear();  // takes the line away
  double seconds() const;

 private:
  Output& output_;
  std::int64_t all_;
  Language language_;
  std::size_t width_;  // 0: no terminal
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// While it lives, an interrupt sets the flag in place of ending the process; so does SIGTERM where
// a service manager may be who asks.
class InterruptGuard {
 public:
  enum class Hears { Interrupt, AlsoTerm };
  explicit InterruptGuard(Hears hears = Hears::Interrupt);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  const std::atomic<bool>& stop() const;
  int times() const;           // how often it was asked
  bool by_term_alone() const;  // and never by an interrupt

 private:
  void (*before_)(int) = nullptr;
  void (*before_term_)(int) = SIG_ERR;  // SIG_ERR: not heard
};

}  // namespace sx
