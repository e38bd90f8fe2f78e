// Which layouts of a deployment are not worth another try, by what the journal knows of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/both.h"
#include "run/deployment.h"
#include "run/journal.h"

namespace sx {

struct LayoutMemory {
  std::vector<bool> left_out;  // of each layout; none when all of them would be
  std::size_t first = 0;       // the layout to begin with
  bool proven = false;         // that one worked here before, in just this form
  std::vector<Both> notes;     // for people: what is left out and why, or tried all the same
};

// What the journal knows of one model in a layout.
struct KnownPart {
  std::string model, key;
  std::optional<LayoutRecord> record;
};
using KnownLayouts = std::vector<std::vector<KnownPart>>;  // as the layouts of the deployment
KnownLayouts known_layouts(const Deployment& deployment, const Journal& journal,
                           const std::string& machine);

// A layout is left out for a part of it that is known not to work, but for a model of which nothing
// else would be left.
LayoutMemory remembered_layouts(const KnownLayouts& known, std::int64_t now_unix_ms);

// What a cause is called; one that has no title of its own, by its name.
Both cause_words(const std::string& cause);

// "2026-11-30": the day of a moment, in the time of the machine's clock (UTC).
std::string day_of(std::int64_t unix_ms);

}  // namespace sx
