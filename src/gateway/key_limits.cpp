// Sixty buckets and their sum.
#include "gateway/key_limits.h"

#include <algorithm>

namespace sx {
namespace {

constexpr std::uint64_t kBytesPerToken = 4;
// A prompt with pictures in base64 is long and costs little: no guess takes more of a limit.
constexpr std::uint64_t kMostGuessed = 32'768;
// An answer without events and without usage: audio, vectors. Its bytes say little.
constexpr std::uint64_t kMostAnswer = 1'024;

}  // namespace

void TokenWindow::go_to(std::int64_t second) {
  if (second - second_ >= kSeconds) {
    each_.fill(0);
    sum_ = 0;
  } else {
    for (std::int64_t one = second_ + 1; one <= second; ++one) {
      sum_ -= at(one);
      at(one) = 0;
    }
  }
  second_ = std::max(second_, second);
}

void TokenWindow::add(std::int64_t second, std::uint64_t tokens) {
  go_to(second);
  at(second_) += tokens;
  sum_ += tokens;
}

void TokenWindow::correct(std::int64_t then, std::int64_t now, std::int64_t by) {
  if (by >= 0) return add(now, static_cast<std::uint64_t>(by));
  go_to(now);
  if (second_ - then >= kSeconds) return;
  const std::uint64_t fewer = std::min(at(then), static_cast<std::uint64_t>(-by));
  at(then) -= fewer;
  sum_ -= fewer;
}

std::uint64_t TokenWindow::used(std::int64_t second) {
  go_to(second);
  return sum_;
}

int TokenWindow::wait(std::int64_t second, std::uint64_t limit) {
  std::uint64_t left = used(second);
  if (left < limit) return 0;
  // The oldest second leaves first.
  for (std::int64_t gone = 1; gone < kSeconds; ++gone) {
    left -= at(second_ + gone);
    if (left < limit) return static_cast<int>(gone);
  }
  return kSeconds;
}

std::optional<LimitHit> limit_hit(KeyUse& use, std::int64_t second) {
  constexpr int kSoon = 1;  // whenever one of its requests ends; nobody knows when
  const KeyLimits& limits = use.limits;
  if (limits.concurrency > 0 && use.in_flight >= static_cast<std::uint64_t>(limits.concurrency)) {
    ++use.over_concurrency;
    return LimitHit{LimitHit::Which::AtATime, limits.concurrency, kSoon};
  }
  if (limits.tokens_per_minute <= 0) return std::nullopt;
  const int wait = use.window.wait(second, static_cast<std::uint64_t>(limits.tokens_per_minute));
  if (wait == 0) return std::nullopt;
  ++use.over_tokens;
  return LimitHit{LimitHit::Which::PerMinute, limits.tokens_per_minute, wait};
}

KeyHold::KeyHold(std::shared_ptr<KeyUse> use, std::int64_t second)
    : use_(std::move(use)), second_(second) {
  if (!use_) return;
  ++use_->in_flight;
  ++use_->requests;
}

KeyHold::KeyHold(KeyHold&& other) noexcept
    : use_(std::move(other.use_)), second_(other.second_), guessed_(other.guessed_) {}

KeyHold& KeyHold::operator=(KeyHold&& other) noexcept {
  if (this == &other) return *this;
  end();
  use_ = std::move(other.use_);
  second_ = other.second_;
  guessed_ = other.guessed_;
  return *this;
}

void KeyHold::guess(std::uint64_t tokens) {
  if (!use_) return;
  guessed_ += tokens;
  use_->window.add(second_, tokens);
}

void KeyHold::settle(std::int64_t second, std::uint64_t tokens) {
  if (!use_) return;
  use_->tokens += tokens;
  use_->window.correct(second_, second,
                       static_cast<std::int64_t>(tokens) - static_cast<std::int64_t>(guessed_));
}

void KeyHold::end() {
  if (use_) --use_->in_flight;
  use_.reset();
}

std::uint64_t guessed_prompt(std::uint64_t body_bytes) {
  return std::min(body_bytes / kBytesPerToken, kMostGuessed);
}

std::uint64_t guessed_answer(std::uint64_t events, std::uint64_t bytes) {
  return events > 0 ? events : std::min(bytes / kBytesPerToken, kMostAnswer);
}

}  // namespace sx
