// What was read of one run: the lines that mean something, how far its processes came, and what was
// counted without being kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/signatures.h"
#include "logs/pattern.h"
#include "read/log_line.h"

namespace sx {

// How far a start has come; the order is that of an engine's life.
enum class Phase {
  Unknown,
  Start,
  Dist,
  Load,
  Compile,
  Profile,
  Kv,
  Capture,
  Sampler,
  Ready,
  Serve,
  Shutdown
};
std::string_view word(Phase phase);
Phase phase_of(std::string_view word);  // Unknown for a word that is none

struct LogPlace {
  int file = 0;
  std::uint64_t line = 0;  // 1-based, counted by \n
  std::size_t column = 1;  // 1-based, in code points
  std::size_t begin = 0;   // bytes of `text` that say it
  std::size_t end = 0;
  std::string text;     // the line without colours, cut to a bounded length
  std::string process;  // empty: the line does not say
  int rank = -1;
  LogLevel level = LogLevel::Unknown;
  std::string stamp;    // as it is written
  double seconds = -1;  // comparable within one file; -1: no time
};

struct LogEvent {
  const SignatureRow* row = nullptr;
  LogPlace place;
  Captures captures;
  Phase phase = Phase::Unknown;        // of its process when it was said
  int start = 0;                       // which start of the engine in this log, 0-based
  bool chained = false;                // in a traceback that another one led to
  std::vector<std::string_view> near;  // marks in the same traceback
  std::string before;                  // the line above it

  std::string_view capture(std::string_view name) const;
};

struct StageEvent {
  LogPlace place;
  std::string_view event;  // id of its row
  Phase phase = Phase::Unknown;
};

struct LogFile {
  std::string name;
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  std::uint64_t cut_lines = 0;  // longer than we read
  bool damaged = false;         // packed bytes that could not be unpacked to the end
  LogPlace last;                // its last words
};

struct RunLog {
  std::vector<LogFile> files;
  std::vector<LogEvent> events;       // roots, symptoms and requests, as they were read
  std::vector<LogEvent> marks;        // the first of each
  std::vector<LogEvent> noise;        // the first of each
  std::vector<StageEvent> stages;     // the first of each process and stage
  std::vector<std::uint64_t> counts;  // lines of each signature
  std::uint64_t error_lines = 0;      // lines that a root, a symptom or a wrapper stands in
  bool wrapped = false;               // a line says that the engine failed, and not of what
  std::string engine, version;        // as the log tells; empty: it does not
  bool engine_given = false;          // whoever gave the log said which engine's it is
  std::string arguments;              // what the engine says it was started with
  LogPlace arguments_place;
  int starts = 1;                // how often an engine began in it
  int last_ready = -1;           // the last start that came to serve; -1: none
  Phase phase = Phase::Unknown;  // the farthest of the last start
  bool ended_well = false;       // it was stopped and said so to the end
  // Processes of it that the kernel ended for lack of memory, where somebody counted them.
  std::optional<int> oom_kills;

  const LogEvent* mark(std::string_view name) const;
};

}  // namespace sx
