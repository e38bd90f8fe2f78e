// The file of keys as text: names, digests, limits. A key itself never stands in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/file_hash.h"

namespace sx {

// 0: no such limit.
struct KeyLimits {
  std::int64_t concurrency = 0;  // requests at a time
  std::int64_t tokens_per_minute = 0;
  std::int64_t body_bytes = 0;  // of one request; the gateway's own limit holds besides
  int priority = 0;             // 0 to kMostPriority; a higher one leaves a queue first
  bool operator==(const KeyLimits&) const = default;
};

inline constexpr int kMostPriority = 9;
inline constexpr std::int64_t kMostAtATime = 1'000'000;
inline constexpr std::int64_t kMostTokensPerMinute = 1'000'000'000;
inline constexpr std::int64_t kMostBodyBytes = std::int64_t{1} << 40U;

// One key. Its digest needs no salt: a key is 256 random bits, which no table of digests holds and
// no dictionary guesses.
struct KeyRow {
  std::string name;  // as those of deployments: letters, digits, '-', '_', '.', at most 64
  Sha256 digest{};
  KeyLimits limits;
  std::string created;  // "2026-11-30T08:00:00Z"
  std::string revoked;  // empty: it is good
  bool operator==(const KeyRow&) const = default;
};

// JSON, schema sextant.keys/1, one key a line. At most 10 000 keys, each name and digest once.
// Damaged: says which field.
Result<std::vector<KeyRow>> read_key_file(std::string_view text);
std::string key_file_text(const std::vector<KeyRow>& rows);

bool is_key_name(std::string_view name);

// "sk-sextant-" and 43 letters of these 32 bytes. The front lets programs that look for secrets in
// texts know one.
std::string key_of(const Sha256& random);

}  // namespace sx
