// Reads the logs of one run, in pieces of any size, and keeps what a diagnosis needs. Memory stays
// bounded whatever comes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "logs/run_log.h"
#include "logs/signature_set.h"
#include "read/log_blocks.h"
#include "read/log_decoder.h"
#include "read/log_line.h"

namespace sx {

// A line that holds a literal of those beside the signatures.
struct BesideLine {
  const LogLine& line;
  std::string_view before;  // the line above, where this one is the first of those handed over
  int file = 0;
  std::uint64_t number = 1;
};

class RunReader {
 public:
  // True: the next line is wanted too.
  using TakeBeside = std::function<bool(const BesideLine& line)>;
  explicit RunReader(SignatureSet& signatures, TakeBeside beside = {});

  // Said by who gives the log; otherwise the log tells. Words of other engines mean nothing then.
  void assume_engine(std::string engine) {
    run_.engine = std::move(engine);
    run_.engine_given = true;
  }
  void begin_file(std::string name);
  void feed(std::string_view bytes);
  void end_file();
  RunLog take();
  const RunLog& so_far() const { return run_; }

 private:
  // What is known of one process of one file.
  struct Process {
    Phase phase = Phase::Unknown;
    std::vector<std::string_view> near;
    std::uint64_t traceback = 0;  // its line
    bool chain_comes = false;
    bool chained = false;
  };

  void block(std::string_view text);
  const char* hit(std::string_view text, const char* at, int signature);
  void open_line(std::string_view text, const char* at);
  void hand_over(std::string_view text, const char* from, std::uint64_t number,
                 std::string_view above);
  void keep(int signature, const Found& found);
  void mark(const SignatureRow& row, const Found& found, Process& process);
  void stage(const SignatureRow& row, const Found& found, Process& process);
  void note_engine(const SignatureRow& row, const Found& found);
  Process& process_of_line();
  LogPlace place(const Found& found) const;
  LogEvent event(const SignatureRow& row, const Found& found, const Process& process) const;

  SignatureSet& signatures_;
  LogBlocks blocks_;
  LogDecoder decoder_;
  LogLineReader lines_;
  RunLog run_;
  std::vector<int> kept_;  // events of each signature
  std::map<std::string, Process, std::less<>> processes_;
  Phase file_phase_ = Phase::Unknown;
  int arguments_start_ = 0;  // the start that the arguments are of, counted from 1

  // The line that the last hit was in.
  const char* line_begin_ = nullptr;
  const char* line_end_ = nullptr;
  bool line_overlong_ = false;
  LogLine line_;
  std::vector<const char*> seen_;  // for each signature, the line where it was tried last
  const char* counted_ = nullptr;  // line ends before it are counted
  std::uint64_t line_number_ = 1;
  std::uint64_t error_line_ = 0;  // the last that was counted as one
  std::string_view
      before_line_;  // the line above; of the first line of a block: kept from the last
  std::string last_of_block_;

  // Lines handed to those beside.
  TakeBeside beside_;
  LogLineReader beside_lines_;
  bool beside_wants_ = false;
  const char* handed_to_ = nullptr;  // of this block
};

}  // namespace sx
