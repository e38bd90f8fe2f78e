// The logs of one run on their way to an answer: fed file by file, asked at the end or between.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/diagnose_answer.h"
#include "logs/beside.h"
#include "logs/flight_files.h"
#include "logs/run_reader.h"
#include "logs/signature_set.h"

namespace sx {

// All that are looked for in the logs of a run.
SignatureSet diagnose_signatures();

class DiagnoseRun {
 public:
  // `engine`: whose log it is, where that was said.
  explicit DiagnoseRun(const std::optional<std::string>& engine = {});
  // With signatures that outlive it: who reads many runs makes them once.
  explicit DiagnoseRun(SignatureSet& signatures);
  // So many of its processes were ended by the kernel for lack of memory.
  void note_oom_kills(int count) { oom_kills_ = count; }
  void begin_file(const std::string& name);
  void feed(std::string_view bytes) {
    flights_.feed(bytes);
    reader_.feed(bytes);
  }
  void end_file() {
    flights_.end_file();
    reader_.end_file();
  }

  // Of all that was fed. `host` gives GPUs their numbers and links.
  DiagnoseAnswer answer(std::optional<HostSpec> host) const;

 private:
  std::unique_ptr<SignatureSet> own_;  // null where they are somebody else's
  BesideReader beside_;
  FlightFiles flights_;
  RunReader reader_;
  std::optional<int> oom_kills_;
};

}  // namespace sx
