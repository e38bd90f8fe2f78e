// Requests that wait for a replica: model by model, higher priority first, then in the order in
// which they came. Bounded in number; how long each waits is its session's business.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/choice.h"

namespace sx {

// One that waits. It lies with whoever waits and leaves the room before it goes.
struct Waiting {
  std::string model;
  int priority = 0;
  std::function<void()> wake;  // look again whether a replica can be had
  GatewayClock::time_point since;
  // From here on the room's; one that comes back brings its order along, and its place with it.
  std::uint64_t order = 0;
  std::size_t place_at_first = 0;  // 1: the next one
  std::optional<std::chrono::milliseconds> estimate;
  bool called = false;
};

class WaitingRoom {
 public:
  std::size_t most = 0;

  bool enter(Waiting& one, GatewayClock::time_point now);  // false: the room is full
  // `served`: a replica took it; the next ones will go as fast.
  void leave(Waiting& one, bool served, GatewayClock::time_point now);
  // Looked again in vain: stays where it is, and may be called anew.
  void stay(Waiting& one) { one.called = false; }

  std::size_t place_of(const Waiting& one) const;  // 0: it does not wait
  std::size_t size() const { return size_; }
  std::size_t waiting_for(std::string_view model) const;
  // Whether somebody waits who comes before a new one of that priority.
  bool goes_first(std::string_view model, int priority) const;
  // Until so many have gone, as fast as those before; empty: none has.
  std::optional<std::chrono::milliseconds> time_for(std::string_view model,
                                                    std::size_t place) const;

  void call_next(std::string_view model);  // one who has not been called
  void call_next_of_all();
  void call_all();

 private:
  struct Line {
    std::vector<Waiting*> waiting;  // in their order
    std::optional<GatewayClock::time_point> last;
    double between_ms = 0;  // two that left for a replica, lately; 0: not known
  };
  std::map<std::string, Line, std::less<>> lines_;
  std::size_t size_ = 0;
  std::uint64_t entered_ = 0;
};

}  // namespace sx
