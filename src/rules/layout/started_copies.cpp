// "-n 4", "-n4", "--ntasks=4", "--ntasks 4".
#include "rules/layout/started_copies.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "read/command_front.h"

namespace sx::rules {
namespace {

constexpr int kMost = 4096;  // more is a typing mistake that other rules see

std::optional<int> count_in(std::string_view text) {
  const auto value = to_integer(text);
  if (!value || *value < 1 || *value > kMost) return {};
  return static_cast<int>(*value);
}

std::optional<int> count_of(const Launcher& launcher, const std::vector<std::string>& words,
                            std::size_t at) {
  for (const std::string_view option : launcher.counts) {
    const std::string_view word = words[at];
    if (!word.starts_with(option)) continue;
    const std::string_view rest = word.substr(option.size());
    if (rest.empty()) return at + 1 < words.size() ? count_in(words[at + 1]) : std::nullopt;
    if (rest.front() == '=') return count_in(rest.substr(1));
    if (!option.starts_with("--")) {
      if (const auto count = count_in(rest)) return count;
    }
  }
  return {};
}

}  // namespace

std::optional<StartedCopies> started_copies(const std::vector<std::string>& before) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Launcher* launcher = find_launcher(program_name(before[i]));
    if (launcher == nullptr) continue;
    for (std::size_t at = i + 1; at < before.size(); ++at) {
      const bool machines = std::ranges::any_of(launcher->machines, [&](std::string_view option) {
        return before[at].starts_with(option);
      });
      if (machines) return {};
      if (const auto count = count_of(*launcher, before, at))
        return StartedCopies{launcher, *count};
    }
  }
  return {};
}

}  // namespace sx::rules
