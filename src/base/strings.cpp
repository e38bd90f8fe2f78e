// Small text work that every layer needs.
#include "base/strings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace sx {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto at = text.find_first_of("\r\n");
    lines.push_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
    const bool pair = text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    text.remove_prefix(at + (pair ? 2 : 1));
  }
  return lines;
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const auto& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

std::string join(const std::vector<int>& numbers, std::string_view between) {
  constexpr std::size_t kMostLetters = std::numeric_limits<int>::digits10 + 2;  // with a sign
  std::string out;
  std::array<char, kMostLetters> letters;
  for (const int number : numbers) {
    if (!out.empty()) out += between;
    const auto end = std::to_chars(letters.data(), letters.data() + letters.size(), number).ptr;
    out.append(letters.data(), end);
  }
  return out;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  while (true) {
    const auto at = from.empty() ? std::string_view::npos : text.find(from);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += to;
    text.remove_prefix(at + from.size());
  }
}

std::optional<long long> to_integer(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

namespace {

// "12" and "0.92" as most tables write them, much sooner than the library reads any number: both
// the digits and the power of ten are whole doubles, so their quotient is the nearest double, as
// the library's is. Nothing: it is not of that form.
std::optional<double> short_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 15;  // that a double holds whole
  constexpr std::array<double, kMostDigits> kTens{1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
  if (text.empty() || text.size() > kMostDigits) return {};
  std::int64_t digits = 0;
  std::size_t point = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '.' && point == text.size() && i > 0 && i + 1 < text.size()) {
      point = i;
    } else if (letter >= '0' && letter <= '9') {
      digits = digits * 10 + (letter - '0');
    } else {
      return {};
    }
  }
  const std::size_t behind = point == text.size() ? 0 : text.size() - point - 1;
  return static_cast<double>(digits) / kTens[behind];
}

}  // namespace

std::optional<double> to_number(std::string_view text) {
  if (const auto number = short_number(text)) return number;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

int edit_distance(std::string_view a, std::string_view b, int limit) {
  constexpr std::size_t kLongest = 128;  // names, not texts: keeps hostile input cheap
  if (a.size() > kLongest || b.size() > kLongest) return limit;
  const std::size_t apart = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  if (apart >= static_cast<std::size_t>(std::max(limit, 0)))
    return limit;  // each of these has to be inserted
  const int columns = static_cast<int>(b.size()) + 1;
  std::vector<int> before(static_cast<std::size_t>(columns)), row(before), next(before);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < row.size(); ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : 1;
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    if (*std::ranges::min_element(next) >= limit) return limit;
    std::swap(before, row);
    std::swap(row, next);
  }
  return std::min(row.back(), limit);
}

std::vector<std::string> closest(std::string_view word,
                                 const std::vector<std::string_view>& candidates,
                                 std::size_t most) {
  // Two of three letters wrong is another word.
  const int least = word.size() < 4 ? 1 : 2;
  const int limit =
      std::max(least, static_cast<int>(std::min<std::size_t>(word.size(), 60) / 3)) + 1;
  const std::string wanted = lower(word);
  std::vector<std::pair<int, std::size_t>> found;  // distance, then the order given
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const int distance = edit_distance(wanted, lower(candidates[i]), limit);
    if (distance < limit) found.emplace_back(distance, i);
  }
  std::ranges::sort(found);
  std::vector<std::string> names;
  for (const auto& [distance, i] : found) {
    const std::string_view name = candidates[i];
    // Beside a slip of one letter nobody meant the name that is five away.
    if (names.size() == most || distance > 2 * std::max(1, found.front().first)) break;
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

}  // namespace sx
