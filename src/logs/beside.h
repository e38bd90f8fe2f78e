// What stands beside an engine's own words in the logs of a run: NCCL's account of itself, torch's
// watchdog, the kernel's log, stacks of processes. Collected in the same pass.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "logs/flight_files.h"
#include "logs/run_reader.h"
#include "read/collective_log.h"
#include "read/machine_state.h"
#include "read/nccl_log.h"
#include "read/stacks.h"

namespace sx {

struct KernelNote {
  KernelEvent event;
  LineAt at;
};

struct Beside {
  NcclLog nccl;
  std::vector<CollectiveWait> collectives;
  std::vector<KernelNote> kernel;  // as they were logged
  StackLog stacks;
  std::vector<FlightDump> flights;
  std::vector<UnreadDump> unread;  // dumps of which nothing could be read
  bool any() const {
    return nccl.any() || !collectives.empty() || !kernel.empty() || !stacks.processes.empty() ||
           !flights.empty() || !unread.empty();
  }
};

class BesideReader {
 public:
  BesideReader();

  // Literals of its lines, for the set of signatures.
  static std::span<const std::string_view> literals();

  // Names of the files in the order in which they are read; a name may tell a rank.
  void begin_file(std::string name) { files_.push_back(std::move(name)); }
  bool take(const BesideLine& line);
  Beside so_far() const;

 private:
  void keep_kernel(std::string_view text, LineAt at);

  std::vector<std::string> files_;
  NcclLogReader nccl_;
  CollectiveLogReader collectives_;
  StackReader stacks_;
  std::string kernel_text_;  // one line each
  std::vector<LineAt> kernel_at_;
};

}  // namespace sx
