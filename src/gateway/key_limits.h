// What one key uses: requests at a time, tokens within the last minute. Pure: the time is handed
// in.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gateway/key_file.h"

namespace sx {

// Tokens within the last 60 s, a second at a time. Seconds never go back.
class TokenWindow {
 public:
  void add(std::int64_t second, std::uint64_t tokens);
  // What was added at `then` turned out to be so many more or fewer. Too late for a second that has
  // left the window: more counts now, fewer does not count.
  void correct(std::int64_t then, std::int64_t now, std::int64_t by);
  std::uint64_t used(std::int64_t second);
  // Seconds until less than `limit` is used, 1 to 60; 0: it is so now.
  int wait(std::int64_t second, std::uint64_t limit);

 private:
  static constexpr std::int64_t kSeconds = 60;
  void go_to(std::int64_t second);
  std::uint64_t& at(std::int64_t second) {
    return each_[static_cast<std::size_t>(second % kSeconds)];
  }

  std::array<std::uint64_t, kSeconds> each_{};
  std::uint64_t sum_ = 0;
  std::int64_t second_ = 0;  // the newest
};

// Stays while requests of the key are in flight, also when the file has lost its row.
struct KeyUse {
  std::string name;
  KeyLimits limits;
  std::uint64_t in_flight = 0;
  std::uint64_t requests = 0, tokens = 0;               // ever
  std::uint64_t over_concurrency = 0, over_tokens = 0;  // refused
  TokenWindow window;
};

// What stands in the way of one more request.
struct LimitHit {
  enum class Which { AtATime, PerMinute } which = Which::AtATime;
  std::int64_t limit = 0;
  int retry_after = 1;  // seconds
};
std::optional<LimitHit> limit_hit(KeyUse& use, std::int64_t second);

// One request of a key, from its admission to its end.
class KeyHold {
 public:
  KeyHold() = default;
  KeyHold(std::shared_ptr<KeyUse> use, std::int64_t second);
  KeyHold(KeyHold&& other) noexcept;
  KeyHold& operator=(KeyHold&& other) noexcept;
  KeyHold(const KeyHold&) = delete;
  KeyHold& operator=(const KeyHold&) = delete;
  ~KeyHold() { end(); }

  const KeyUse* use() const { return use_.get(); }  // null: no key
  // Tokens that it may cost, before it is known what it does cost.
  void guess(std::uint64_t tokens);
  // What it has cost, said once.
  void settle(std::int64_t second, std::uint64_t tokens);

 private:
  void end();
  std::shared_ptr<KeyUse> use_;  // shared: see KeyUse
  std::int64_t second_ = 0;
  std::uint64_t guessed_ = 0;
};

// Tokens of a prompt by the length of its body. No tokenizer: of text and JSON about four bytes are
// one. It stands until the answer says what it was.
std::uint64_t guessed_prompt(std::uint64_t body_bytes);
// Tokens of an answer that did not say so: one for each event of a stream, or by its length.
std::uint64_t guessed_answer(std::uint64_t events, std::uint64_t bytes);

}  // namespace sx
