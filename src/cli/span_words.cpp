// The next unit begins at two of it, so that no number is both small and rounded.
#include "cli/span_words.h"

#include <algorithm>

namespace sx {
namespace {

constexpr Text kSeconds{"{n} s", "{n} 秒"};
constexpr Text kMinutes{"{n} min", "{n} 分钟"};
constexpr Text kHours{"{n} h", "{n} 小时"};
constexpr Text kDays{"{n} days", "{n} 天"};

constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr std::int64_t kSecond = 1000;  // milliseconds

std::string said(const Text& text, std::int64_t n, Language language) {
  return rendered({text, {{"n", n}}}, language);
}

}  // namespace

std::string span_of(std::int64_t ms, Language language) {
  const std::int64_t rounded = std::max<std::int64_t>(0, ms) / kSecond +
                               (std::max<std::int64_t>(0, ms) % kSecond >= kSecond / 2 ? 1 : 0);
  if (rounded < 2 * kMinute) return said(kSeconds, rounded, language);
  if (rounded < 2 * kHour) return said(kMinutes, rounded / kMinute, language);
  if (rounded < 2 * kDay) return said(kHours, rounded / kHour, language);
  return said(kDays, rounded / kDay, language);
}

std::string age_of(std::int64_t ms, Language language) {
  const std::int64_t tenths = std::max<std::int64_t>(0, ms) / (kSecond / 10);
  if (tenths >= 2 * kMinute * 10) return span_of(ms, language);
  const std::string number = std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
  return rendered({kSeconds, {{"n", number}}}, language);
}

}  // namespace sx
