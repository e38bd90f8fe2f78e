// Fronts are taken off one after another until none is known any more: container, time, process,
// level, in any order that occurs.
#include "read/log_line.h"

#include "read/log_fronts.h"
#include "read/log_text.h"

namespace sx {
namespace {

constexpr int kMostFronts = 8;  // docker, pod, time, process, level, rank; more is a hostile line

}  // namespace

LogLine LogLineReader::read(std::string_view line) {
  LogLine out;
  out.whole = message_of_record(without_escapes(line, plain_), message_);
  out.text = out.whole;
  for (int i = 0; i < kMostFronts; ++i) {
    if (!take_log_front(out)) break;
  }
  return out;
}

}  // namespace sx
