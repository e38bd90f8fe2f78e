// Each session knows its place here; who leaves is replaced by the last one. Walks go from the end
// to the beginning, so that nobody is passed over when that happens within one.
#include "gateway/session_list.h"

#include <utility>

#include "gateway/session.h"

namespace sx {

void SessionList::add(ClientSession& session) {
  session.listed_at = entries_.size();
  entries_.push_back({GatewayClock::time_point::min(), &session});
}

bool SessionList::remove(ClientSession& session) {
  const std::size_t place = std::exchange(session.listed_at, kNowhere);
  if (place >= entries_.size()) return false;
  entries_[place] = entries_.back();
  entries_[place].session->listed_at = place;
  entries_.pop_back();
  session.listed_at = kNowhere;
  return true;
}

void SessionList::due_now(const ClientSession& session) {
  if (session.listed_at < entries_.size())
    entries_[session.listed_at].due = GatewayClock::time_point::min();
}

void SessionList::all_due_now() {
  for (Entry& entry : entries_) entry.due = GatewayClock::time_point::min();
}

void SessionList::look(GatewayClock::time_point now) {
  for (std::size_t at = entries_.size(); at-- > 0;) {
    if (at >= entries_.size() || entries_[at].due > now) continue;
    ClientSession& session = *entries_[at].session;
    const auto next = session.look_at_time(now);
    if (session.listed_at < entries_.size()) entries_[session.listed_at].due = next;
  }
}

}  // namespace sx
