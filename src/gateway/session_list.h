// All sessions of a relay, each with the moment at which it has to be looked at again: where
// nothing is due, a thousand streams cost one pass over some KiB of memory, not a look into each of
// them, for which the events of all would wait.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "gateway/choice.h"

namespace sx {

class ClientSession;

class SessionList {
 public:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  void add(ClientSession& session);     // due at once
  bool remove(ClientSession& session);  // false: it was not in there
  void due_now(const ClientSession& session);
  void all_due_now();

  // Those that are due. A session may leave meanwhile, this one or another; one that comes has its
  // turn the next time.
  void look(GatewayClock::time_point now);
  // Every one, under the same terms.
  template <typename Visit>
  void each(Visit visit) {
    for (std::size_t at = entries_.size(); at-- > 0;) {
      if (at < entries_.size()) visit(*entries_[at].session);
    }
  }

 private:
  struct Entry {
    GatewayClock::time_point due;  // not later than the next thing that has to happen
    ClientSession* session;
  };
  std::vector<Entry> entries_;
};

}  // namespace sx
