// Whether the kernel ended processes for lack of memory while an engine ran: by the count of its
// control group or, where none holds it, by that of the groups above or of the whole machine.
#pragma once

#include <optional>
#include <string>

#include "sys/control_group.h"
#include "sys/files.h"

namespace sx {

struct OomKills {
  std::optional<int> count;  // empty: nobody counts
  bool of_others = false;    // other processes than the engine's may be among them
  bool operator==(const OomKills&) const = default;
};

class OomWatch {
 public:
  // From now on. `group`: that is to hold the engine; empty: none.
  explicit OomWatch(std::string group, const Files& files = real_files());
  // `held`: the group held it all the time.
  OomKills since(bool held) const;

 private:
  std::string group_;
  const Files* files_;
  std::optional<GroupOomKills> group_before_;
  std::optional<long> machine_before_;
};

}  // namespace sx
