// Each form has its own small reader over a cursor; a form that does not fit leaves the line as it
// was.
#include "read/log_fronts.h"

#include <array>
#include <charconv>
#include <optional>

namespace sx {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::string_view rest() const { return text_.substr(at_); }
  std::size_t at() const { return at_; }
  bool done() const { return at_ == text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }

  bool skip(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool skip(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool blanks() {
    const std::size_t before = at_;
    while (peek() == ' ' || peek() == '\t') ++at_;
    return at_ > before;
  }
  // Exactly `most` digits, or with `least` at least so many.
  std::optional<int> number(std::size_t least, std::size_t most) {
    std::size_t n = 0;
    int value = 0;
    while (n < most && at_ + n < text_.size() && digit(text_[at_ + n])) {
      value = value * 10 + (text_[at_ + n] - '0');
      ++n;
    }
    if (n < least) return {};
    at_ += n;
    return value;
  }
  template <class Test>
  std::string_view word(Test test, std::size_t most) {
    const std::size_t begin = at_;
    while (!done() && at_ - begin < most && test(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void to(std::size_t at) { at_ = at; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::array<int, 12> kDaysBefore{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

double seconds_of(int month, int day, int hour, int minute, double second) {
  if (month < 1 || month > 12) return -1;
  const int days = kDaysBefore.at(static_cast<std::size_t>(month - 1)) + day;
  return ((days * 24.0 + hour) * 60 + minute) * 60 + second;
}

// 19:46:48, 19:46:48.123
std::optional<double> clock_time(Cursor& cursor) {
  const auto hour = cursor.number(2, 2);
  if (!hour || !cursor.skip(':')) return {};
  const auto minute = cursor.number(2, 2);
  if (!minute || !cursor.skip(':')) return {};
  const auto second = cursor.number(2, 2);
  if (!second) return {};
  double value = (*hour * 60.0 + *minute) * 60 + *second;
  if (cursor.peek() == '.' || cursor.peek() == ',') {
    const std::size_t before = cursor.at();
    cursor.skip(cursor.peek());
    double part = 0;
    double scale = 1;
    const auto digits = cursor.word(digit, 9);
    for (const char c : digits) {
      part = part * 10 + (c - '0');
      scale *= 10;
    }
    if (digits.empty()) cursor.to(before);
    value += part / scale;
  }
  return value;
}

void note_time(LogLine& line, std::string_view stamp, double seconds) {
  line.stamp = stamp;
  line.seconds = seconds;
}

// 2025-04-09T07:11:12.123Z, 2025-04-09 07:11:03,123 and 12-21 19:46:48; the cursor stands behind
// it.
bool date_and_time(Cursor& cursor, LogLine& line) {
  const std::size_t begin = cursor.at();
  const auto whole = cursor.rest();
  auto month = cursor.number(4, 4);
  if (month) {
    if (!cursor.skip('-') && !cursor.skip('/')) return false;
    month = cursor.number(2, 2);
  } else {
    month = cursor.number(2, 2);
  }
  if (!month || (!cursor.skip('-') && !cursor.skip('/'))) return false;
  const auto day = cursor.number(2, 2);
  if (!day || (!cursor.skip('T') && !cursor.skip(' '))) return false;
  const auto time = clock_time(cursor);
  if (!time) return false;
  if (!cursor.skip('Z') && (cursor.peek() == '+' || cursor.peek() == '-')) {
    const std::size_t before = cursor.at();
    cursor.skip(cursor.peek());
    if (!cursor.number(2, 2)) cursor.to(before);
    cursor.skip(':');
    cursor.number(2, 2);
  }
  note_time(line, whole.substr(0, cursor.at() - begin), seconds_of(*month, *day, 0, 0, *time));
  return true;
}

bool take(LogLine& line, const Cursor& cursor) {
  line.text = cursor.rest();
  return true;
}

// Name and separator of `docker compose logs`, and `[pod/x/y] ` of kubectl.
bool container(LogLine& line) {
  Cursor cursor(line.text);
  if (cursor.skip("[pod/")) {
    const auto name = cursor.word([](char c) { return c != ']'; }, 200);
    if (name.empty() || !cursor.skip("] ")) return false;
    return take(line, cursor);
  }
  const auto name = cursor.word(
      [](char c) { return letter(c) || digit(c) || c == '-' || c == '_' || c == '.'; }, 80);
  if (name.empty() || !cursor.blanks() || !cursor.skip("| ")) return false;
  return take(line, cursor);
}

// A date in front of the line, as docker, Kubernetes and Python's logging write it.
bool dated(LogLine& line) {
  Cursor cursor(line.text);
  LogLine told;
  if (!date_and_time(cursor, told) || !cursor.blanks()) return false;
  for (const std::string_view stream : {"stdout F ", "stderr F ", "stdout P ", "stderr P "}) {
    if (cursor.skip(stream)) break;
  }
  cursor.skip("- ");
  if (line.stamp.empty() || line.seconds < 0) note_time(line, told.stamp, told.seconds);
  return take(line, cursor);
}

// Apr 09 07:11:12 host unit[123]:
bool journal(LogLine& line) {
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (line.text.size() < 16) return false;
  for (std::size_t m = 0; m < kMonths.size(); ++m) {
    Cursor cursor(line.text);
    if (!cursor.skip(kMonths.at(m)) || !cursor.blanks()) continue;
    const auto day = cursor.number(1, 2);
    if (!day || !cursor.skip(' ')) return false;
    const auto time = clock_time(cursor);
    if (!time || !cursor.skip(' ')) return false;
    const std::string_view stamp = line.text.substr(0, cursor.at() - 1);
    const auto host = cursor.word([](char c) { return c != ' ' && c != ':'; }, 120);
    if (host.empty() || !cursor.skip(' ')) return false;
    const auto unit = cursor.word([](char c) { return c != ' ' && c != ':'; }, 120);
    if (unit.empty() || !cursor.skip(": ")) return false;
    note_time(line, stamp, seconds_of(static_cast<int>(m) + 1, *day, 0, 0, *time));
    return take(line, cursor);
  }
  return false;
}

// [12345.678901] of the kernel.
bool kernel(LogLine& line) {
  Cursor cursor(line.text);
  if (!cursor.skip('[')) return false;
  cursor.blanks();
  const std::size_t begin = cursor.at();
  const auto whole = cursor.word(digit, 12);
  if (whole.empty() || !cursor.skip('.')) return false;
  const auto part = cursor.word(digit, 9);
  if (part.size() < 3) return false;
  const std::string_view stamp = line.text.substr(begin, cursor.at() - begin);
  if (!cursor.skip(']')) return false;
  cursor.blanks();
  double seconds = -1;
  std::from_chars(stamp.data(), stamp.data() + stamp.size(), seconds);
  note_time(line, stamp, seconds);
  return take(line, cursor);
}

int rank_in(std::string_view tags) {
  for (const std::string_view name : {"TP", "rank", "DP"}) {
    const std::size_t at = tags.find(name);
    if (at == std::string_view::npos) continue;
    Cursor cursor(tags.substr(at + name.size()));
    cursor.skip('=');
    if (const auto number = cursor.number(1, 6)) return *number;
  }
  return -1;
}

// [2025-04-09 07:11:03 DP0 TP0]
bool sglang(LogLine& line) {
  Cursor cursor(line.text);
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
  return take(line, cursor);
}

// (EngineCore_DP0 pid=123), (VllmWorker rank=0 pid=5), (RayWorkerWrapper pid=9, ip=10.0.0.3)
bool process(LogLine& line) {
  Cursor cursor(line.text);
  if (!cursor.skip('(')) return false;
  const std::size_t begin = cursor.at();
  const auto name = cursor.word([](char c) { return c != ' ' && c != ')'; }, 80);
  if (name.empty() || !letter(name.front())) return false;
  const auto rest = cursor.word([](char c) { return c != ')'; }, 80);
  if (!rest.contains("pid=") || !cursor.skip(')')) return false;
  line.process = line.text.substr(begin, name.size() + rest.size());
  if (const std::size_t pid = line.process.find(" pid="); pid != std::string_view::npos)
    line.process = line.process.substr(0, pid);
  if (const int rank = rank_in(line.process); rank >= 0) line.rank = rank;
  if (line.process.ends_with(' ')) line.process.remove_suffix(1);
  cursor.skip(' ');  // one: what follows may be indented
  return take(line, cursor);
}

// [rank0]: of torch; [default0]: of torchrun; [rank0]:[W1221 19:46:48.1 ProcessGroupNCCL.cpp:1496]
bool torch_rank(LogLine& line) {
  Cursor cursor(line.text);
  const bool stamped = cursor.skip("[W") || cursor.skip("[E") || cursor.skip("[I");
  if (stamped) {
    const char level = line.text[1];
    const auto inside = cursor.word([](char c) { return c != ']'; }, 160);
    if (inside.size() < 8 || !digit(inside.front()) || !cursor.skip(']')) return false;
    line.level = level == 'E' ? LogLevel::Error : level == 'W' ? LogLevel::Warning : LogLevel::Info;
    cursor.blanks();
    return take(line, cursor);
  }
  if (!cursor.skip("[rank") && !cursor.skip("[Rank") && !cursor.skip("[default")) return false;
  cursor.blanks();
  const auto rank = cursor.number(1, 6);
  const std::size_t end = cursor.at();
  if (!rank || !cursor.skip("]:")) return false;
  line.rank = *rank;
  if (line.process.empty()) line.process = line.text.substr(1, end - 1);
  cursor.blanks();
  return take(line, cursor);
}

std::optional<LogLevel> level_word(Cursor& cursor) {
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
  Cursor cursor(line.text);
  const auto found = level_word(cursor);
  if (!found) return false;
  if (cursor.skip(':')) {
    if (!cursor.blanks()) return false;
    line.level = *found;
    return take(line, cursor);
  }
  if (!cursor.blanks()) return false;
  LogLine told;
  const std::size_t before = cursor.at();
  if (!date_and_time(cursor, told)) {
    cursor.to(before);
    line.level = *found;
    return take(line, cursor);
  }
  note_time(line, told.stamp, told.seconds);
  line.level = *found;
  cursor.skip(' ');
  const std::size_t name = cursor.at();
  const bool bracket = cursor.skip('[');
  const auto place = cursor.word(
      [](char c) {
        return letter(c) || digit(c) || c == '_' || c == '.' || c == '/' || c == ':' || c == '-';
      },
      160);
  if (place.contains(':') && cursor.skip(']')) {
    line.place = place;
    cursor.skip(' ');  // one: what follows may be indented
  } else {
    cursor.to(name);
  }
  static_cast<void>(bracket);
  return take(line, cursor);
}

// E0409 07:11:03.123456 1234 torch/distributed/…/api.py:882] words
bool glog(LogLine& line) {
  if (line.text.size() < 12) return false;
  const char c = line.text.front();
  if (c != 'E' && c != 'W' && c != 'I' && c != 'F') return false;
  Cursor cursor(line.text.substr(1));
  const auto month = cursor.number(2, 2);
  const auto day = month ? cursor.number(2, 2) : std::nullopt;
  if (!day || !cursor.skip(' ')) return false;
  const auto time = clock_time(cursor);
  if (!time) return false;
  const std::size_t end = line.text.find("] ");
  if (end == std::string_view::npos || end > 160) return false;
  note_time(line, line.text.substr(1, cursor.at()), seconds_of(*month, *day, 0, 0, *time));
  line.level = c == 'W' ? LogLevel::Warning : c == 'I' ? LogLevel::Info : LogLevel::Error;
  line.text.remove_prefix(end + 2);
  return true;
}

// 0.00.123.456 E words, or E words, of llama.cpp
bool llama(LogLine& line) {
  Cursor cursor(line.text);
  const auto minutes = cursor.word(digit, 6);
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
  return take(line, cursor);
}

// gpu-7:5274:5585 [0] NCCL WARN words
bool nccl(LogLine& line) {
  const std::size_t at = line.text.substr(0, 200).find(" NCCL ");
  if (at == std::string_view::npos || at < 4 || line.text[at - 1] != ']') return false;
  const std::string_view front = line.text.substr(0, at);
  const std::size_t bracket = front.rfind('[');
  if (bracket == std::string_view::npos || bracket < 2) return false;
  Cursor cursor(front.substr(bracket + 1));
  if (const auto device = cursor.number(1, 4)) line.rank = *device;
  if (line.process.empty()) {
    line.process = front.substr(0, bracket - 1);
    const std::size_t last = line.process.rfind(':');
    if (last != std::string_view::npos && line.process.substr(0, last).contains(':'))
      line.process = line.process.substr(0, last);
  }
  line.text.remove_prefix(at + 1);
  if (line.text.starts_with("NCCL WARN")) line.level = LogLevel::Warning;
  return true;
}

}  // namespace

bool take_log_front(LogLine& line) {
  constexpr std::array kForms{container, dated, journal, kernel,     sglang, process,
                              level,     glog,  llama,   torch_rank, nccl};
  if (line.text.empty()) return false;
  for (const auto form : kForms) {
    if (form(line)) return true;
  }
  return false;
}

}  // namespace sx
