// What a start-up log tells of the engine's memory: its own numbers, by process and device, and the
// launch that it echoes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "read/python_values.h"

namespace sx {

// Which process said it, as far as its prefix tells; -1: it does not.
struct LogProcess {
  std::string name;  // "Worker_PP1_TP0 pid=812"; empty: the line has no prefix
  int data = -1, pipeline = -1, tensor = -1;
  int rank = -1;  // where it is said outright
  bool operator==(const LogProcess&) const = default;
};

struct MemoryReading {
  std::string_view name;  // "weights", "kv", "kv_tokens" … of the table
  double value = 0;       // bytes, or a count
  std::string device;     // of llama.cpp: "CUDA0"; else empty
  LogProcess process;
  int file = 0;          // index of the log
  std::size_t line = 0;  // 1-based
  std::string text;      // the line, cut to a bounded length
};

struct MemoryLog {
  std::string_view engine;  // empty: no engine's memory lines are there
  std::optional<Version> version;
  std::vector<MemoryReading> readings;  // in the order of the lines, combined
  PythonSettings launch;                // what the engine says it was started with; empty: nothing
  bool only_changes = false;            // `launch` holds no setting at its default
  std::size_t lines = 0;
  int starts = 0;    // starts of the engine in the logs; the last one counts
  bool cut = false;  // more readings than are kept
};

// Reads the texts of one run, in order. `engine` empty: the one whose lines are there.
MemoryLog read_memory_log(const std::vector<std::string_view>& texts, std::string_view engine = {});

// The last reading of that name by the process (or by any, when null); null: none.
const MemoryReading* find_reading(const MemoryLog& log, std::string_view name,
                                  const LogProcess* process = nullptr);

}  // namespace sx
