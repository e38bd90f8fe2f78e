// What a start-up log tells of the engine's memory: its own numbers, by process and device, and the
// launch that it echoes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "logs/log_process.h"
#include "read/python_values.h"

namespace sx {

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

// Reads the texts of one run, in order and piece by piece: of a log of any length only what it
// tells is kept. Pieces end anywhere.
class MemoryLogReader {
 public:
  // `engine` empty: the one whose lines are there.
  explicit MemoryLogReader(std::string_view engine = {});
  MemoryLogReader(MemoryLogReader&&) noexcept;
  MemoryLogReader& operator=(MemoryLogReader&&) noexcept;
  ~MemoryLogReader();

  void feed(std::string_view text);
  void end_file();  // what comes next is another log
  MemoryLog log() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same for texts that are at hand.
MemoryLog read_memory_log(const std::vector<std::string_view>& texts, std::string_view engine = {});

// The last reading of that name by the process (or by any, when null); null: none.
const MemoryReading* find_reading(const MemoryLog& log, std::string_view name,
                                  const LogProcess* process = nullptr);

}  // namespace sx
