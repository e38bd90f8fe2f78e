// Fronts are taken off one after another until none is known any more: container, time, process,
// level, in any order that occurs.
#include "read/log_line.h"

#include <algorithm>

#include "read/log_fronts.h"
#include "read/log_text.h"

namespace sx {
namespace {

constexpr int kMostFronts = 8;  // docker, pod, time, process, level, rank; more is a hostile line
constexpr std::size_t kLongestPath = 400;  // of a Python file in front of a warning

// /opt/venv/lib/python3.12/site-packages/torch/cuda/__init__.py:287: UserWarning: words
// Only told as a level: signatures know these lines by the words from the path on.
bool is_python_warning(std::string_view text) {
  constexpr std::string_view kFile = ".py:", kWarning = "Warning";
  const auto file = text.substr(0, kLongestPath).find(kFile);
  if (file == std::string_view::npos) return false;
  text.remove_prefix(file + kFile.size());
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number = std::ranges::find_if_not(text, digit) - text.begin();
  if (number == 0) return false;
  text.remove_prefix(static_cast<std::size_t>(number));
  if (!text.starts_with(": ")) return false;
  text.remove_prefix(2);
  return text.substr(0, text.find_first_of(": ")).ends_with(kWarning);
}

}  // namespace

LogLine LogLineReader::read(std::string_view line) {
  LogLine out;
  out.whole = message_of_record(without_escapes(line, plain_), message_);
  out.text = out.whole;
  for (int i = 0; i < kMostFronts; ++i) {
    if (!take_log_front(out)) break;
  }
  if (out.level == LogLevel::Unknown && is_python_warning(out.text)) out.level = LogLevel::Warning;
  return out;
}

}  // namespace sx
