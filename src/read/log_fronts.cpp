// Each form has its own small reader over a cursor; a form that does not fit leaves the line as it
// was.
#include "read/log_fronts.h"

#include <array>
#include <charconv>
#include <optional>

#include "read/log_cursor.h"

namespace sx {
namespace {

int rank_in(std::string_view tags) {
  for (const std::string_view name : {"TP", "rank", "DP"}) {
    const std::size_t at = tags.find(name);
    if (at == std::string_view::npos) continue;
    LogCursor cursor(tags.substr(at + name.size()));
    cursor.skip('=');
    if (const auto number = cursor.number(1, 6)) return *number;
  }
  return -1;
}

// [2025-04-09 07:11:03 DP0 TP0]
bool sglang(LogLine& line) {
  LogCursor cursor(line.text);
  LogLine told;
  if (!cursor.skip('[') || !date_and_time(cursor, told)) return false;
  std::string_view tags;
  if (cursor.skip(' ')) tags = cursor.word([](char c) { return c != ']'; }, 80);
  if (!cursor.skip(']')) return false;
  cursor.blanks();
  note_time(line, told.stamp, told.seconds);
  if (!tags.empty()) {
    line.process = tags;
    line.rank = rank_in(tags);
  }
  return take_rest(line, cursor);
}

// (EngineCore_DP0 pid=123), (VllmWorker rank=0 pid=5), (RayWorkerWrapper pid=9, ip=10.0.0.3)
bool process(LogLine& line) {
  LogCursor cursor(line.text);
  if (!cursor.skip('(')) return false;
  const std::size_t begin = cursor.at();
  const auto name = cursor.word([](char c) { return c != ' ' && c != ')'; }, 80);
  if (name.empty() || !is_letter(name.front())) return false;
  const auto rest = cursor.word([](char c) { return c != ')'; }, 80);
  if (!rest.contains("pid=") || !cursor.skip(')')) return false;
  line.process = line.text.substr(begin, name.size() + rest.size());
  if (const std::size_t pid = line.process.find(" pid="); pid != std::string_view::npos)
    line.process = line.process.substr(0, pid);
  if (const int rank = rank_in(line.process); rank >= 0) line.rank = rank;
  if (line.process.ends_with(' ')) line.process.remove_suffix(1);
  cursor.skip(' ');  // one: what follows may be indented
  return take_rest(line, cursor);
}

// [rank0]: of torch; [default0]: of torchrun; [rank0]:[W1221 19:46:48.1 ProcessGroupNCCL.cpp:1496]
bool torch_rank(LogLine& line) {
  LogCursor cursor(line.text);
  const bool stamped = cursor.skip("[W") || cursor.skip("[E") || cursor.skip("[I");
  if (stamped) {
    const char level = line.text[1];
    const auto inside = cursor.word([](char c) { return c != ']'; }, 160);
    if (inside.size() < 8 || !is_digit(inside.front()) || !cursor.skip(']')) return false;
    line.level = level == 'E' ? LogLevel::Error : level == 'W' ? LogLevel::Warning : LogLevel::Info;
    cursor.blanks();
    return take_rest(line, cursor);
  }
  if (!cursor.skip("[rank") && !cursor.skip("[Rank") && !cursor.skip("[default")) return false;
  cursor.blanks();
  const auto rank = cursor.number(1, 6);
  const std::size_t end = cursor.at();
  if (!rank || !cursor.skip("]:")) return false;
  line.rank = *rank;
  if (line.process.empty()) line.process = line.text.substr(1, end - 1);
  cursor.blanks();
  return take_rest(line, cursor);
}

std::optional<LogLevel> level_word(LogCursor& cursor) {
  struct Named {
    std::string_view word;
    LogLevel level;
  };
  constexpr std::array<Named, 7> kLevels{{{"DEBUG", LogLevel::Debug},
                                          {"INFO", LogLevel::Info},
                                          {"WARNING", LogLevel::Warning},
                                          {"WARN", LogLevel::Warning},
                                          {"ERROR", LogLevel::Error},
                                          {"CRITICAL", LogLevel::Error},
                                          {"FATAL", LogLevel::Error}}};
  for (const Named& one : kLevels) {
    if (cursor.skip(one.word)) return one.level;
  }
  return {};
}

// INFO 12-21 19:46:48 [core.py:123] words; INFO:     words; ERROR words
bool level(LogLine& line) {
  LogCursor cursor(line.text);
  const auto found = level_word(cursor);
  if (!found) return false;
  if (cursor.skip(':')) {
    if (!cursor.blanks()) return false;
    line.level = *found;
    return take_rest(line, cursor);
  }
  if (!cursor.blanks()) return false;
  LogLine told;
  const std::size_t before = cursor.at();
  if (!date_and_time(cursor, told)) {
    cursor.to(before);
    line.level = *found;
    return take_rest(line, cursor);
  }
  note_time(line, told.stamp, told.seconds);
  line.level = *found;
  cursor.skip(' ');
  const std::size_t name = cursor.at();
  const bool bracket = cursor.skip('[');
  const auto place = cursor.word(
      [](char c) {
        return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '/' || c == ':' ||
               c == '-';
      },
      160);
  if (place.contains(':') && cursor.skip(']')) {
    line.place = place;
    cursor.skip(' ');  // one: what follows may be indented
  } else {
    cursor.to(name);
  }
  static_cast<void>(bracket);
  return take_rest(line, cursor);
}

// E0409 07:11:03.123456 1234 torch/distributed/…/api.py:882] words
bool glog(LogLine& line) {
  if (line.text.size() < 12) return false;
  const char c = line.text.front();
  if (c != 'E' && c != 'W' && c != 'I' && c != 'F') return false;
  LogCursor cursor(line.text.substr(1));
  const auto month = cursor.number(2, 2);
  const auto day = month ? cursor.number(2, 2) : std::nullopt;
  if (!day || !cursor.skip(' ')) return false;
  const auto time = clock_time(cursor);
  if (!time) return false;
  const std::size_t end = line.text.find("] ");
  if (end == std::string_view::npos || end > 160) return false;
  note_time(line, line.text.substr(1, cursor.at()), seconds_of(*month, *day, *time));
  line.level = c == 'W' ? LogLevel::Warning : c == 'I' ? LogLevel::Info : LogLevel::Error;
  line.text.remove_prefix(end + 2);
  return true;
}

// 0.00.123.456 E words, or E words, of llama.cpp
bool llama(LogLine& line) {
  LogCursor cursor(line.text);
  const auto minutes = cursor.word(is_digit, 6);
  if (minutes.empty() || !cursor.skip('.')) return false;
  const auto seconds = cursor.number(2, 2);
  if (!seconds || !cursor.skip('.') || !cursor.number(3, 3) || !cursor.skip('.') ||
      !cursor.number(3, 3))
    return false;
  const std::string_view stamp = line.text.substr(0, cursor.at());
  if (!cursor.skip(' ')) return false;
  const char level = cursor.peek();
  if (level != 'I' && level != 'W' && level != 'E' && level != 'D') return false;
  cursor.skip(level);
  if (!cursor.skip(' ')) return false;
  int whole = 0;
  std::from_chars(minutes.data(), minutes.data() + minutes.size(), whole);
  note_time(line, stamp, whole * 60.0 + *seconds);
  line.level = level == 'E' ? LogLevel::Error : level == 'W' ? LogLevel::Warning : LogLevel::Info;
  return take_rest(line, cursor);
}

// gpu-7:5274:5585 [0] NCCL INFO words; a warning has its source in front of the name, and that
// stays: gpu-7:5274:5585 [0] init.cc:966 NCCL WARN words
bool nccl(LogLine& line) {
  const std::size_t name = line.text.substr(0, 300).find(" NCCL ");
  if (name == std::string_view::npos) return false;
  const std::string_view front = line.text.substr(0, name + 1);
  const std::size_t bracket = front.find(" [");
  if (bracket == std::string_view::npos || bracket < 2 || front.find(' ') != bracket) return false;
  LogCursor cursor(front.substr(bracket + 2));
  const auto device = cursor.number(1, 4);
  if (!cursor.skip("] ")) return false;
  const std::string_view level = line.text.substr(name + 1);
  const bool warns = level.starts_with("NCCL WARN ");
  const std::size_t end = bracket + 2 + cursor.at();
  if (end <= name && !warns) return false;
  if (device) line.rank = *device;
  if (line.process.empty()) {
    line.process = front.substr(0, bracket);
    const std::size_t last = line.process.rfind(':');
    if (last != std::string_view::npos && line.process.substr(0, last).contains(':'))
      line.process = line.process.substr(0, last);
  }
  line.text.remove_prefix(end);
  if (warns) line.level = LogLevel::Warning;
  if (level.starts_with("NCCL INFO ")) line.level = LogLevel::Info;
  return true;
}

}  // namespace

bool take_writer_front(LogLine& line) {
  constexpr std::array kForms{sglang, process, level, glog, llama, torch_rank, nccl};
  for (const auto form : kForms) {
    if (form(line)) return true;
  }
  return false;
}

bool take_log_front(LogLine& line) {
  return !line.text.empty() && (take_collector_front(line) || take_writer_front(line));
}

}  // namespace sx
