// SHA-256: of bytes, and of whole files read in pieces, because checkpoints are larger than memory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sx {

// What others see of a file while it is read, and how they end it.
struct HashWatch {
  std::atomic<std::int64_t>* bytes_read = nullptr;  // added to; null: nobody looks
  const std::atomic<bool>* stop = nullptr;          // true: Error::Kind::Interrupted
};

// 64 lower-case hexadecimal digits. What is no regular file is refused without waiting for it; a
// file that becomes shorter or longer while it is read is Damaged, by name.
Result<std::string> sha256_of_file(const std::string& path, const HashWatch& watch = {});

std::string sha256_of(std::string_view bytes);

using Sha256 = std::array<unsigned char, 32>;
Sha256 sha256_digest(std::string_view bytes);

}  // namespace sx
