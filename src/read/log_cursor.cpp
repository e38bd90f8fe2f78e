// Times as logs write them.
#include "read/log_cursor.h"

#include <array>

namespace sx {
namespace {

constexpr std::array<int, 12> kDaysBefore{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

}  // namespace

double seconds_of(int month, int day, double seconds_of_day) {
  if (month < 1 || month > 12) return -1;
  const int days = kDaysBefore.at(static_cast<std::size_t>(month - 1)) + day;
  constexpr double kDay = 24.0 * 60 * 60;
  return days * kDay + seconds_of_day;
}

// 19:46:48, 19:46:48.123
std::optional<double> clock_time(LogCursor& cursor) {
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
    const auto digits = cursor.word(is_digit, 9);
    for (const char c : digits) {
      part = part * 10 + (c - '0');
      scale *= 10;
    }
    if (digits.empty()) cursor.to(before);
    value += part / scale;
  }
  return value;
}

// 2025-04-09T07:11:12.123Z, 2025-04-09 07:11:03,123 and 12-21 19:46:48; the cursor stands behind
// it.
bool date_and_time(LogCursor& cursor, LogLine& line) {
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
  note_time(line, whole.substr(0, cursor.at() - begin), seconds_of(*month, *day, *time));
  return true;
}

}  // namespace sx
