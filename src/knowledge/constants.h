// Measured or read numbers that formulas need (data/constants.tsv,
// data/engines/<engine>/memory.tsv): each row has a name, the versions it holds for, a value, a
// band and a source.
#pragma once

#include <optional>
#include <string_view>

#include "base/version.h"

namespace sx {

struct Constant {
  double value = 0;
  double low = 0;  // eight of ten machines lie between
  double high = 0;
  std::string_view unit;
  std::string_view source;
  std::string_view origin;  // "measured", "formula", "default", "assumed"
};

// The row of that name in force at `version`: the one with the newest `since` that is not newer,
// unless it has ended. Engine "" reads data/constants.tsv; an engine's own table goes before it.
// Empty: no such row.
std::optional<Constant> constant(std::string_view engine, std::string_view name,
                                 const Version& version);
// The same row where it stands, for who asks thousands of times; null: no such row.
const Constant* find_constant(std::string_view engine, std::string_view name,
                              const Version& version);

}  // namespace sx
