// From the back: the usual piece ends with an event.
#include "gateway/events.h"

namespace sx {

std::size_t last_event_end(std::string_view bytes, std::size_t seen) {
  // An end may begin in what was seen: up to three of its four bytes.
  const std::size_t least = seen > 3 ? seen - 3 : 0;
  for (std::size_t at = bytes.size(); at > least + 1; --at) {
    const char last = bytes[at - 1];
    if (last != '\n' && last != '\r') continue;
    const char before = bytes[at - 2];
    // A \r\r at the very end may be the front of \r\r\n; the \n then begins the next piece, where
    // it is one more blank line and harms nobody.
    if (before == last) return at;
    if (last == '\n' && before == '\r' && at >= 3 &&
        (bytes[at - 3] == '\n' || bytes[at - 3] == '\r'))
      return at;
  }
  return 0;
}

bool says_done(std::string_view events) {
  constexpr std::string_view kDone = "data: [DONE]";
  while (!events.empty() && (events.back() == '\n' || events.back() == '\r'))
    events.remove_suffix(1);
  return events.ends_with(kDone);
}

}  // namespace sx
