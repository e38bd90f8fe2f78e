// Words for phases, and look-ups by name.
#include "logs/run_log.h"

#include <algorithm>
#include <array>

namespace sx {
namespace {

constexpr std::array<std::string_view, 12> kWords{"unknown", "start",   "dist",  "load",
                                                  "compile", "profile", "kv",    "capture",
                                                  "sampler", "ready",   "serve", "shutdown"};

}  // namespace

std::string_view word(Phase phase) { return kWords.at(static_cast<std::size_t>(phase)); }

Phase phase_of(std::string_view word) {
  const auto found = std::ranges::find(kWords, word);
  return found == kWords.end() ? Phase::Unknown : static_cast<Phase>(found - kWords.begin());
}

std::string_view LogEvent::capture(std::string_view name) const {
  for (const auto& [key, value] : captures) {
    if (key == name) return value;
  }
  return {};
}

const LogEvent* RunLog::mark(std::string_view name) const {
  const auto found =
      std::ranges::find_if(marks, [&](const LogEvent& mark) { return mark.row->cause == name; });
  return found == marks.end() ? nullptr : &*found;
}

}  // namespace sx
