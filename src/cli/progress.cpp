// One line, written over itself.
#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "cli/span_words.h"
#include "text/columns.h"

namespace sx {
namespace {

constexpr std::size_t kBar = 24;        // cells of the bar where there is room for it
constexpr std::size_t kNarrowest = 60;  // narrower terminals get the numbers alone
constexpr double kRateFrom = 0.3;       // seconds: a rate of less is noise

constexpr Text kRead{"{percent} %  {done} of {all}", "{percent} %  {done} / {all}"};
constexpr Text kRate{"{percent} %  {done} of {all}, {rate}/s, {left} left",
                     "{percent} %  {done} / {all}，{rate}/s，剩余 {left}"};

std::atomic<bool> interrupted = false;  // a signal handler may touch nothing else
static_assert(std::atomic<bool>::is_always_lock_free);

std::atomic<int> interrupts = 0, terms = 0;  // of all, those that were SIGTERM
static_assert(std::atomic<int>::is_always_lock_free);

void on_interrupt(int signal) {
  interrupted.store(true, std::memory_order_relaxed);
  if (signal == SIGTERM) terms.fetch_add(1, std::memory_order_relaxed);
  interrupts.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

std::size_t terminal_width_of_errors() {
  if (::isatty(STDERR_FILENO) != 1) return 0;
  winsize size{};
  constexpr std::size_t kUsual = 80;
  const bool told = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return told ? size.ws_col : kUsual;
}

std::string progress_line(std::int64_t done, std::int64_t all, double seconds, std::size_t width,
                          Language language) {
  const double part =
      all > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(all), 0.0, 1.0) : 1.0;
  const double rate = seconds >= kRateFrom ? static_cast<double>(done) / seconds : 0;
  std::vector<Argument> arguments{
      {"percent", static_cast<int>(part * 100)}, {"done", Bytes{done}}, {"all", Bytes{all}}};
  if (rate >= 1) {
    arguments.emplace_back("rate", Bytes{static_cast<std::int64_t>(rate)});
    constexpr double kMilliseconds = 1000;
    const double left = static_cast<double>(std::max<std::int64_t>(0, all - done)) / rate;
    arguments.emplace_back("left",
                           span_of(static_cast<std::int64_t>(left * kMilliseconds), language));
  }
  std::string line = rendered(Message{rate >= 1 ? kRate : kRead, std::move(arguments)}, language);
  if (width < kNarrowest) return line;
  const auto full = static_cast<std::size_t>(part * kBar);
  return '[' + std::string(full, '#') + std::string(kBar - full, '.') + "] " + line;
}

Progress::Progress(Output& output, std::int64_t all, Language language)
    : output_(output), all_(all), language_(language), width_(terminal_width_of_errors()) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Progress::show(std::int64_t done) {
  if (width_ == 0) return;
  const std::string line = progress_line(done, all_, seconds(), width_, language_);
  if (columns(line) >= width_) return;  // a line that wraps cannot be written over
  output_.trouble("\r" + padded(line, width_ - 1));
}

void Progress::clear() {
  if (width_ > 0) output_.trouble("\r" + std::string(width_ - 1, ' ') + "\r");
}

InterruptGuard::InterruptGuard(Hears hears) {
  interrupted.store(false);
  interrupts.store(0);
  terms.store(0);
  before_ = std::signal(SIGINT, on_interrupt);
  if (hears == Hears::AlsoTerm) before_term_ = std::signal(SIGTERM, on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, before_ == SIG_ERR ? SIG_DFL : before_);
  if (before_term_ != SIG_ERR) std::signal(SIGTERM, before_term_);
}

const std::atomic<bool>& InterruptGuard::stop() const { return interrupted; }

int InterruptGuard::times() const { return interrupts; }

bool InterruptGuard::by_term_alone() const { return terms > 0 && terms == interrupts; }

}  // namespace sx
