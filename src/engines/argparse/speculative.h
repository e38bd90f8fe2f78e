// Speculation that is asked for by flags of its own, told as one JSON object as if it had been
// asked for by one flag.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engines/argparse/reading.h"

namespace sx::argparse {

struct SpeculativeFlag {
  enum class Kind { Method, Text, Number };
  std::string_view flag;
  std::string_view key;  // of the object, with the names that vLLM's JSON has
  Kind kind = Kind::Text;
};

// Unknown without a reason where none of the flags is used, unknown with one where a value cannot
// be read. The place is that of the method, else of the first flag in the list. Methods are told
// in lower case.
Fact<std::string> speculative_of(const Reading& read, std::span<const SpeculativeFlag> flags);

}  // namespace sx::argparse
