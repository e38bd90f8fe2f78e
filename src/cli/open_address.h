// Whether an address may be opened to other machines: with keys, or with a reason.
#pragma once

#include <string>

#include "base/result.h"

namespace sx {

struct OpenAddress {
  std::string host;
  std::string key_file;       // empty: nobody is asked for a key
  std::string reason;         // of --anyway; empty: none
  std::string_view keys_are;  // how a file of keys is named there: "--keys FILE"
  bool keys_given = false;    // `key_file` is made of keys that were given elsewhere
};
// Refused: anybody could use it, or the file of keys cannot be read.
Result<void> may_open(const OpenAddress& address);

}  // namespace sx
