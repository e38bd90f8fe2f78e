// What processes were doing: the texts of `py-spy dump`, of gdb's `thread apply all bt` and of
// Python's faulthandler, of many processes after one another or mixed into a log.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/log_place.h"

namespace sx {

struct StackFrame {
  std::string name;   // "all_reduce", "cudaStreamSynchronize"
  std::string where;  // "pynccl.py:113", "libcuda.so.1"; empty: not told
  std::string text;   // the line, cut to a bounded length
  LineAt at;
  // Whole numbers and shapes among its arguments and locals, as far as they are told; of other
  // values nothing is kept.
  std::vector<std::pair<std::string, std::string>> values;
};

struct StackThread {
  std::string name;   // "MainThread"; empty: not told
  std::string state;  // "idle", "active"; empty: not told
  bool main = false;  // of the process, or the one that faulthandler was called in
  LineAt at;
  std::vector<StackFrame> frames;  // the innermost first
};

struct StackProcess {
  long long pid = 0;    // 0: not told
  std::string command;  // "VLLM::Worker_TP1"; empty: not told
  std::string process;  // of the log that it stands in: "Worker_TP1"
  int rank = -1;        // as far as names tell
  LineAt at;
  std::vector<StackThread> threads;
};

struct StackLog {
  std::vector<StackProcess> processes;
  bool cut = false;  // more than is kept
};

// The rank that a name tells: "VLLM::Worker_TP1", "sglang::scheduler_TP3", "rank 2", "--rank=2".
int rank_in_name(std::string_view name);

class StackReader {
 public:
  // One line without what a logger puts in front of it. True: the next line may belong to it.
  // `before` is the line above, `process` and `rank` what the front tells.
  bool take(std::string_view line, std::string_view before, std::string_view process, int rank,
            std::string_view file_name, LineAt at);
  const StackLog& log() const { return log_; }

 private:
  enum class Form { None, PySpy, Gdb, FaultHandler };
  bool header(std::string_view line, std::string_view before, std::string_view process, int rank,
              std::string_view file_name, LineAt at);
  bool frame(std::string_view line, LineAt at);
  void begin_process(StackProcess process, std::string_view file_name);
  bool begin_thread(StackThread thread);
  void value(std::string_view line);

  StackLog log_;
  Form form_ = Form::None;
  int file_ = -1;
  long long last_thread_ = 0;  // gdb counts down
  bool open_ = false;          // frames of a thread may come
  std::size_t frames_ = 0;     // kept, of all threads
  std::size_t values_ = 0;     // the same
};

}  // namespace sx
