// Lines are short and change rarely: vectors kept in order.
#include "gateway/waiting.h"

#include <algorithm>

namespace sx {
namespace {

constexpr double kNewest = 0.3;  // weight of the newest wait in the mean: some ten of them count
constexpr std::size_t kMostLines = 1024;  // models that nobody waits for any more are forgotten

bool before(const Waiting* a, const Waiting* b) {
  return a->priority != b->priority ? a->priority > b->priority : a->order < b->order;
}

}  // namespace

bool WaitingRoom::enter(Waiting& one, GatewayClock::time_point now) {
  if (size_ >= most) return false;
  if (lines_.size() >= kMostLines)
    std::erase_if(lines_, [](const auto& line) { return line.second.waiting.empty(); });
  Line& line = lines_[one.model];
  if (line.waiting.empty()) line.last = now;  // whoever came before did not have to wait
  if (one.order == 0) one.order = ++entered_;
  one.since = now;
  one.called = false;
  line.waiting.insert(std::ranges::upper_bound(line.waiting, &one, before), &one);
  ++size_;
  one.place_at_first = place_of(one);
  one.estimate = time_for(one.model, one.place_at_first);
  return true;
}

void WaitingRoom::leave(Waiting& one, bool served, GatewayClock::time_point now) {
  const auto found = lines_.find(one.model);
  if (found == lines_.end() || std::erase(found->second.waiting, &one) == 0) return;
  --size_;
  if (!served) return;
  Line& line = found->second;
  const auto took =
      std::chrono::duration<double, std::milli>(now - line.last.value_or(now)).count();
  line.between_ms =
      line.between_ms <= 0 ? took : line.between_ms + kNewest * (took - line.between_ms);
  line.last = now;
}

std::size_t WaitingRoom::place_of(const Waiting& one) const {
  const auto found = lines_.find(one.model);
  if (found == lines_.end()) return 0;
  const auto& line = found->second.waiting;
  const auto at = std::ranges::find(line, &one);
  return at == line.end() ? 0 : static_cast<std::size_t>(at - line.begin()) + 1;
}

std::size_t WaitingRoom::waiting_for(std::string_view model) const {
  const auto found = lines_.find(model);
  return found == lines_.end() ? 0 : found->second.waiting.size();
}

bool WaitingRoom::goes_first(std::string_view model, int priority) const {
  if (size_ == 0) return false;
  const auto found = lines_.find(model);
  return found != lines_.end() && !found->second.waiting.empty() &&
         found->second.waiting.front()->priority >= priority;
}

std::optional<std::chrono::milliseconds> WaitingRoom::time_for(std::string_view model,
                                                               std::size_t place) const {
  const auto found = lines_.find(model);
  if (found == lines_.end() || found->second.between_ms <= 0) return std::nullopt;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(found->second.between_ms * static_cast<double>(place)));
}

void WaitingRoom::call_next(std::string_view model) {
  if (size_ == 0) return;
  const auto found = lines_.find(model);
  if (found == lines_.end()) return;
  for (Waiting* one : found->second.waiting) {
    if (one->called) continue;
    one->called = true;
    return one->wake();
  }
}

void WaitingRoom::call_next_of_all() {
  if (size_ == 0) return;
  for (auto& [model, line] : lines_) call_next(model);
}

void WaitingRoom::call_all() {
  if (size_ == 0) return;
  for (auto& [model, line] : lines_) {
    for (Waiting* one : line.waiting) {
      one->called = true;
      one->wake();
    }
  }
}

}  // namespace sx
