// The process that wrote a line of an engine's log, as far as the front of the line tells.
#pragma once

#include <string>
#include <string_view>

namespace sx {

// Which process said it, as far as its prefix tells; -1: it does not.
struct LogProcess {
  std::string name;  // "Worker_PP1_TP0 pid=812"; empty: the line has no prefix
  int data = -1, pipeline = -1, tensor = -1;
  int rank = -1;  // where it is said outright
  bool operator==(const LogProcess&) const = default;
};

// "(Worker_PP1_TP0 pid=812) INFO …" of vLLM, "[2025-11-30 10:00:00 DP0 TP1] …" of SGLang.
LogProcess process_of_line(std::string_view line);

}  // namespace sx
