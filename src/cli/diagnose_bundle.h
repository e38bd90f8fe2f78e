// `diagnose --bundle FILE`: a plain text to attach to an issue: the answer, versions, the machine,
// the last lines of each log; without keys and tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/diagnose_answer.h"
#include "gather/outside.h"
#include "read/log_decoder.h"

namespace sx {

// The last lines of each log, in the text that was read.
class LogTails {
 public:
  explicit LogTails(bool wanted) : wanted_(wanted), decoder_([](std::string_view) {}) {}
  LogTails(const LogTails&) = delete;
  LogTails& operator=(const LogTails&) = delete;

  void begin(std::string name);
  void feed(std::string_view bytes);
  void end();

  struct Tail {
    std::string name;
    std::string text;
    bool whole = true;  // nothing was left out in front
  };
  const std::vector<Tail>& all() const { return tails_; }

 private:
  void take(std::string_view text);
  bool wanted_;
  LogDecoder decoder_;
  std::vector<Tail> tails_;
};

Result<void> save_bundle(const DiagnoseAnswer& answer, const LogTails& tails,
                         const Arguments& arguments, const Outside& outside, Language language);

}  // namespace sx
