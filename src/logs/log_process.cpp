// vLLM names a worker in round brackets, SGLang its ranks behind the time in square ones.
#include "logs/log_process.h"

#include "base/strings.h"

namespace sx {
namespace {

// "TP3" → 3 for "TP"; -1: the tag is not there.
int tagged_number(std::string_view text, std::string_view tag) {
  for (auto at = text.find(tag); at != std::string_view::npos; at = text.find(tag, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == '_' || text[at - 1] == ' ';
    std::size_t end = at + tag.size();
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const auto number = to_integer(text.substr(at + tag.size(), end - at - tag.size()));
    constexpr long long kMost = 100'000;
    if (begins && number && *number >= 0 && *number < kMost) return static_cast<int>(*number);
  }
  return -1;
}

}  // namespace

LogProcess process_of_line(std::string_view line) {
  LogProcess process;
  const bool round = line.starts_with('(');
  if (!round && !line.starts_with('[')) return process;
  constexpr std::size_t kLongestPrefix = 120;
  const auto close = line.substr(0, kLongestPrefix).find(round ? ')' : ']');
  if (close == std::string_view::npos) return process;
  const std::string_view prefix = line.substr(1, close - 1);
  process.data = tagged_number(prefix, "DP");
  process.pipeline = tagged_number(prefix, "PP");
  process.tensor = tagged_number(prefix, "TP");
  process.rank = tagged_number(prefix, "rank=");
  // The time of SGLang's prefix is no part of a name.
  const bool named = round || process.data >= 0 || process.pipeline >= 0 || process.tensor >= 0;
  if (round) process.name = prefix;
  if (!round && named) {
    for (const std::string_view word : split(prefix, ' ')) {
      if (word.size() > 2 && (word.starts_with("DP") || word.starts_with("PP") ||
                              word.starts_with("TP") || word.starts_with("EP")))
        process.name += (process.name.empty() ? "" : " ") + std::string(word);
    }
  }
  return process;
}

}  // namespace sx
