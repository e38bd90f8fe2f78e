// Only options of every command move: those of one command mean something behind it alone.
#include "cli/word_order.h"

#include <algorithm>

#include "cli/arguments.h"

namespace sx {
namespace {

using Words = std::vector<std::string>;

// How many words the option at `at` takes with its value; 0: it is none of every command's.
std::size_t words_of_option(const Words& words, std::size_t at) {
  const std::string_view word = words[at];
  const std::string_view name = word.substr(0, word.find('='));
  const auto& flags = common_flags();
  const auto flag = std::ranges::find_if(flags, [&](const FlagSpec& one) {
    return name == one.name || (!one.short_name.empty() && name == one.short_name);
  });
  if (flag == flags.end()) return 0;
  const bool value_follows =
      !flag->value.empty() && name.size() == word.size() && at + 1 < words.size();
  return value_follows ? 2 : 1;
}

void take_leading_options(Words& words) {
  std::size_t at = 0;
  while (at < words.size()) {
    const std::size_t taken = words_of_option(words, at);
    if (taken == 0) break;
    at += taken;
  }
  if (at >= words.size() || words[at].starts_with('-')) return;
  const auto command = words.begin() + static_cast<std::ptrdiff_t>(at);
  std::rotate(words.begin(), command, command + 1);
}

// Whatever else stands behind the command would be read by it, and mistyped words with it.
void take_help_word(Words& words) {
  if (words.empty() || words.front() != "help") return;
  words.erase(words.begin());
  take_leading_options(words);
  Words kept;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t taken = words_of_option(words, at);
    if (at == 0 && taken == 0) kept.push_back(words[at]);
    for (std::size_t i = 0; i < taken; ++i) kept.push_back(words[at + i]);
    at += std::max<std::size_t>(taken, 1);
  }
  kept.emplace_back("--help");
  words = std::move(kept);
}

}  // namespace

void put_in_order(Words& words) {
  take_leading_options(words);
  take_help_word(words);
}

}  // namespace sx
