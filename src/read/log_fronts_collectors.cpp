// Docker, Kubernetes, journald and the kernel put a name and a time in front of each line.
#include <array>
#include <charconv>

#include "read/log_cursor.h"

namespace sx {
namespace {

// Name and separator of `docker compose logs`, and `[pod/x/y] ` of kubectl.
bool container(LogLine& line) {
  LogCursor cursor(line.text);
  if (cursor.skip("[pod/")) {
    const auto name = cursor.word([](char c) { return c != ']'; }, 200);
    if (name.empty() || !cursor.skip("] ")) return false;
    return take_rest(line, cursor);
  }
  const auto name = cursor.word(
      [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.'; }, 80);
  if (name.empty() || !cursor.blanks() || !cursor.skip("| ")) return false;
  return take_rest(line, cursor);
}

// A date in front of the line, as docker, Kubernetes and Python's logging write it.
bool dated(LogLine& line) {
  LogCursor cursor(line.text);
  LogLine told;
  if (!date_and_time(cursor, told) || !cursor.blanks()) return false;
  for (const std::string_view stream : {"stdout F ", "stderr F ", "stdout P ", "stderr P "}) {
    if (cursor.skip(stream)) break;
  }
  cursor.skip("- ");
  if (line.stamp.empty() || line.seconds < 0) note_time(line, told.stamp, told.seconds);
  return take_rest(line, cursor);
}

// Apr 09 07:11:12 host unit[123]:
bool journal(LogLine& line) {
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (line.text.size() < 16) return false;
  for (std::size_t m = 0; m < kMonths.size(); ++m) {
    LogCursor cursor(line.text);
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
    note_time(line, stamp, seconds_of(static_cast<int>(m) + 1, *day, *time));
    return take_rest(line, cursor);
  }
  return false;
}

// [12345.678901] of the kernel.
bool kernel(LogLine& line) {
  LogCursor cursor(line.text);
  if (!cursor.skip('[')) return false;
  cursor.blanks();
  const std::size_t begin = cursor.at();
  const auto whole = cursor.word(is_digit, 12);
  if (whole.empty() || !cursor.skip('.')) return false;
  const auto part = cursor.word(is_digit, 9);
  if (part.size() < 3) return false;
  const std::string_view stamp = line.text.substr(begin, cursor.at() - begin);
  if (!cursor.skip(']')) return false;
  cursor.blanks();
  double seconds = -1;
  std::from_chars(stamp.data(), stamp.data() + stamp.size(), seconds);
  note_time(line, stamp, seconds);
  return take_rest(line, cursor);
}

}  // namespace

bool take_collector_front(LogLine& line) {
  return container(line) || dated(line) || journal(line) || kernel(line);
}

}  // namespace sx
