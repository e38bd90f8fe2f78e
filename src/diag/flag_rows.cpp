// Splits at blanks outside of quotes; nothing is interpreted, so a broken quote costs nothing but
// looks.
#include "diag/flag_rows.h"

namespace sx {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::size_t word_end(std::string_view text, std::size_t at) {
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quote != '\'') {
      ++at;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (kBlank.find(c) != std::string_view::npos) {
      return at;
    }
  }
  return text.size();
}

// `-1` is a value, `-tp` a flag.
bool is_flag(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9');
}

}  // namespace

std::vector<Range> flag_rows(std::string_view command) {
  std::vector<Range> rows;
  for (std::size_t at = 0;;) {
    at = command.find_first_not_of(kBlank, at);
    if (at == std::string_view::npos) break;
    const std::size_t end = word_end(command, at);
    const std::string_view word = command.substr(at, end - at);
    const bool continuation = word == "\\" && end == command.size();
    const bool flag = is_flag(word);
    if (rows.empty() || flag) {
      rows.push_back({at, end});
    } else if (!continuation) {
      rows.back().end = end;
    }
    at = end;
  }
  return rows;
}

}  // namespace sx
