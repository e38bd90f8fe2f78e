// A count that did not rise is exact whoever else is counted with it.
#include "run/oom_watch.h"

#include <algorithm>
#include <utility>

#include "sys/procfs.h"

namespace sx {
namespace {

constexpr Bytes kMostText = mib(1);
constexpr long kMostKills = 1'000'000;  // shown; more are as many

std::optional<long> of_machine(const Files& files) {
  const auto text = files.read("/proc/vmstat", kMostText);
  return text ? oom_kills_in(*text) : std::nullopt;
}

OomKills between(long before, long now, bool own) {
  if (now < before) return {};  // another counter than before
  const auto count = static_cast<int>(std::min(now - before, kMostKills));
  return {.count = count, .of_others = count > 0 && !own};
}

}  // namespace

OomWatch::OomWatch(std::string group, const Files& files)
    : group_(std::move(group)),
      files_(&files),
      group_before_(group_oom_kills(group_)),
      machine_before_(of_machine(files)) {}

OomKills OomWatch::since(bool held) const {
  const auto now = held ? group_oom_kills(group_) : std::nullopt;
  if (now && group_before_ && now->own == group_before_->own)
    return between(group_before_->count, now->count, now->own);
  const auto machine = of_machine(*files_);
  if (!machine || !machine_before_) return {};
  return between(*machine_before_, *machine, false);
}

}  // namespace sx
