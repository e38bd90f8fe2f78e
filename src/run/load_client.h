// Requests of many users at once at one address, and when each answer's tokens came. One thread, no
// waiting: what is measured is the server.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sys/tls.h"

namespace sx {

// The window is looked at in so many parts, so that a figure has a spread.
inline constexpr std::size_t kLoadSlices = 5;

struct LoadAsk {
  std::string host = "127.0.0.1";  // a name is looked up once
  int port = 8000;
  std::optional<TlsTrust> tls = {};  // over TLS, to whom is trusted; empty: plain
  std::string model, bearer;
  int users = 8;
  std::chrono::milliseconds warm_up{5000}, window{30'000};
  int prompt_tokens = 256, output_tokens = 128;
  std::uint64_t seed = 1;  // the same seed asks the same questions
  std::chrono::milliseconds request_limit{300'000};
  const std::atomic<bool>* stop = nullptr;  // an interrupt
};

// Seconds since the window began; negative in the warm-up.
struct LoadSample {
  double began = 0, first = 0, last = 0;  // first and last token
  int tokens = 0;                         // by the engine's own count where it gives one
  int prompt_tokens = -1;                 // likewise; -1: not given
  bool counted_by_engine = false;
  std::string failure;  // empty: answered to its end
};

struct LoadNow {
  double seconds = 0;  // since the window began
  int open = 0;
  std::int64_t answered = 0, failed = 0;
};

struct LoadTold {
  std::vector<LoadSample> samples;                 // also those of the warm-up
  std::array<double, kLoadSlices> slice_tokens{};  // that came in each part of the window
  double seconds = 0;                              // of the window
  double client_cpu = 0;                           // of one core, while it lasted
  bool interrupted = false;
  std::string refusal;  // the body of the first answer whose status was no 200, its first 2 KiB
};

// `progress` is called a few times a second. An error where the address cannot be looked up.
Result<LoadTold> run_load(const LoadAsk& ask, const std::function<void(const LoadNow&)>& progress);

// "127.0.0.1:8000", "[::1]:8000".
std::string place_of(const LoadAsk& ask);

// The numeric address that a name of a host stands for.
Result<std::string> looked_up_address(const LoadAsk& ask);

// A question of about so many tokens; the same numbers give the same words. No two users share the
// beginning of one, so that no cache answers.
std::string load_prompt(std::uint64_t seed, int user, int nth, int tokens);

}  // namespace sx
