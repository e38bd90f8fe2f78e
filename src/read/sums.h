// Lists of SHA-256 sums as sha256sum and its BSD namesake write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sx {

struct Sum {
  std::string name;    // as written, escapes resolved
  std::string sha256;  // 64 lower-case hexadecimal digits
  int line = 0;        // 1-based
};

struct SumsFile {
  std::vector<Sum> sums;
  std::size_t other_lines = 0;    // neither a sum nor empty nor a comment
  int first_other = 0;            // the line of the first of them
  std::size_t other_digests = 0;  // sums of another kind: MD5, SHA-1, SHA-512
};

// At most 100 000 sums: more is TooLarge. A file without any sum is Damaged, saying what was found
// instead.
Result<SumsFile> parse_sums(std::string_view text);

// "…" of 64 hexadecimal digits in either case, as lower case; empty: it is none.
std::string sha256_digits(std::string_view text);

}  // namespace sx
