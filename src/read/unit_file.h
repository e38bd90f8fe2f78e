// A systemd unit as entries in order: section, key, value with the place of each byte. Says nothing
// of what a key means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "read/placed_text.h"

namespace sx {

struct UnitEntry {
  std::string section;  // "Service"
  std::string key;      // "ExecStart"
  Span key_span;
  PlacedText value;  // continuation lines joined by a space, blanks at both ends taken off
};

// Limits: 4 MiB, 20 000 entries. Lines that are neither a section, a comment nor KEY=VALUE are
// passed over, as systemd does with a warning.
Result<std::vector<UnitEntry>> parse_unit(const Sources& sources, int source);

}  // namespace sx
