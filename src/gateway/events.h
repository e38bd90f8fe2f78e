// Where the events of a stream end. A client is given whole events alone: half a one cannot be
// taken back when the replica is lost in the middle of it.
#pragma once

#include <cstddef>
#include <string_view>

namespace sx {

// Behind the last blank line; 0: no event has ended. `seen` bytes at the front hold no end of an
// event and are not looked at again.
std::size_t last_event_end(std::string_view bytes, std::size_t seen = 0);

// Whether whole events end with the one that says that nothing follows.
bool says_done(std::string_view events);

}  // namespace sx
