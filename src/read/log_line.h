// One line of a log in its parts: when, who, how loud, what. Reads the forms of vLLM (all its
// versions), SGLang, llama.cpp, NCCL, torch, uvicorn, the kernel, and what docker, Kubernetes and
// journald put in front of them. Of a form that is not known, all is text.
#pragma once

#include <string>
#include <string_view>

namespace sx {

enum class LogLevel { Unknown, Debug, Info, Warning, Error };

struct LogLine {
  std::string_view whole;    // without colours, out of its JSON record
  std::string_view text;     // what is said; a part of `whole`
  std::string_view stamp;    // the time as it is written; empty: none
  double seconds = -1;       // since the year began or the process began; -1: no time
  std::string_view process;  // "EngineCore_DP0", "Worker_TP1", "DP0 TP0", "gpu-7:5274"; empty: none
  int rank = -1;             // -1: not told
  LogLevel level = LogLevel::Unknown;
  std::string_view place;  // "core.py:1510"
};

// Views point into the line or into its scratch; they die with the next call.
class LogLineReader {
 public:
  LogLine read(std::string_view line);

 private:
  std::string plain_;
  std::string message_;
};

}  // namespace sx
