// Lines of "name{labels} value"; everything else of the page is passed over.
#include "run/pulse.h"

#include <algorithm>

#include "base/strings.h"

namespace sx {
namespace {

// The value of a line when its name is one of those wanted.
std::optional<double> value_in(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  if (line.starts_with('{')) {
    const std::size_t end = line.rfind('}');
    if (end == std::string_view::npos) return std::nullopt;
    line.remove_prefix(end + 1);
  }
  if (!line.starts_with(' ') && !line.starts_with('\t')) return std::nullopt;
  line = trimmed(line);
  return to_number(line.substr(0, line.find_first_of(" \t")));  // a time may follow
}

void add(std::optional<double>& sum, const std::optional<double>& value) {
  if (value) sum = sum.value_or(0) + *value;
}

}  // namespace

Pulse read_pulse(std::string_view page, const EngineLife& life) {
  Pulse pulse;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    if (line.empty() || line.front() == '#') continue;
    for (const std::string_view name : life.heartbeat) add(pulse.beats, value_in(line, name));
    add(pulse.busy, value_in(line, life.running));
    add(pulse.busy, value_in(line, life.waiting));
    add(pulse.waiting, value_in(line, life.waiting));
  }
  return pulse;
}

std::optional<std::chrono::seconds> PulseWatch::look(const Pulse& pulse, Moment now) {
  const bool has_requests = pulse.busy.value_or(0) > 0 || awaiting_ > 0;
  const bool works = !pulse.beats || !has_requests || pulse.beats != beats_;
  beats_ = pulse.beats;
  if (works || !still_since_) {
    still_since_ = now;
    return std::nullopt;
  }
  return std::chrono::duration_cast<std::chrono::seconds>(now - *still_since_);
}

}  // namespace sx
