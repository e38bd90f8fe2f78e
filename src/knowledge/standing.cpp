// What the versions that were read tell of one that may lie between them.
#include <algorithm>

#include "base/check.h"
#include "knowledge/flags.h"

namespace sx {
namespace {

// The newest version read before `border`; the border itself when there is none.
Version read_before(const std::vector<Version>& read, const Version& border) {
  const auto at = std::ranges::lower_bound(read, border);
  return at == read.begin() ? border : *std::prev(at);
}

enum class Side { Before, Between, From };

// A change was seen at `border`; it came somewhere after the version read before that.
Side side_of(const std::vector<Version>& read, const Version& border, const Version& version) {
  if (version >= border) return Side::From;
  return version > read_before(read, border) ? Side::Between : Side::Before;
}

}  // namespace

Standing standing_of(const std::optional<Version>& first_seen,
                     const std::optional<Version>& removed, const std::optional<Version>& returned,
                     const std::vector<Version>& read, const Version& version) {
  SX_ASSERT(!read.empty());
  if (version < read.front()) return Standing::NotRead;
  if (first_seen) {
    const Side side = side_of(read, *first_seen, version);
    if (side == Side::Before) return Standing::NotYet;
    if (side == Side::Between) return Standing::Possible;
  }
  if (!removed) return Standing::Known;
  const Side side = side_of(read, *removed, version);
  if (side == Side::Before) return Standing::Known;
  if (side == Side::Between) return Standing::Possible;
  if (!returned) return Standing::Removed;
  const Side again = side_of(read, *returned, version);
  if (again == Side::From) return Standing::Known;
  return again == Side::Between ? Standing::Possible : Standing::Removed;
}

}  // namespace sx
