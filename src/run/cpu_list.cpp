// One loop over the comma-separated parts.
#include "run/cpu_list.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace sx {
namespace {

constexpr int kMost = 4096;

bool read_number(std::string_view text, int& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && number >= 0 &&
         number < kMost;
}

}  // namespace

std::vector<int> cpu_numbers(std::string_view list) {
  std::vector<int> numbers;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view part = list.substr(0, end);
    const std::size_t dash = part.find('-');
    int first = 0;
    int last = 0;
    if (!read_number(part.substr(0, dash), first)) return {};
    last = first;
    if (dash != std::string_view::npos && !read_number(part.substr(dash + 1), last)) return {};
    for (int number = first; number <= last; ++number) numbers.push_back(number);
    if (numbers.size() > static_cast<std::size_t>(kMost)) return {};
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return numbers;
}

}  // namespace sx
