// The three shapes that people paste: `ps aux`, `ps -ef`, and a process number before the command.
#include "gather/process_columns.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::size_t kAuxColumns = 10;  // USER PID %CPU %MEM VSZ RSS TTY STAT START TIME
constexpr std::size_t kFullColumns = 7;  // UID PID PPID C STIME TTY TIME
constexpr std::string_view kDigits = "0123456789";

// The first words of a line; those that it does not have are empty.
using FirstWords = std::array<std::string_view, kAuxColumns + 1>;

FirstWords first_words(std::string_view line) {
  FirstWords words;
  for (auto& word : words) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    word = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(word.size());
  }
  return words;
}

bool all_of(std::string_view word, std::string_view these) {
  return !word.empty() && word.find_first_not_of(these) == std::string_view::npos;
}
bool is_count(std::string_view word) { return all_of(word, kDigits); }
bool is_share(std::string_view word) { return all_of(word, "0123456789."); }
// 1:23, 00:01:00, 1-02:03:04
bool is_time(std::string_view word) { return all_of(word, "0123456789:-") && word.contains(':'); }

}  // namespace

// USER PID %CPU … COMMAND, UID PID PPID … CMD, or the columns asked for.
bool is_process_header(std::string_view line) {
  line = trimmed(line);
  const bool command = line.ends_with("COMMAND") || line.ends_with("CMD") || line.ends_with("ARGS");
  if (!command) return false;
  return line.size() <= 8 ||
         line.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
}

std::size_t columns_before_command(std::string_view line) {
  const FirstWords words = first_words(line);
  const bool aux = is_count(words[1]) && is_share(words[2]) && is_share(words[3]) &&
                   is_count(words[4]) && is_count(words[5]) && is_time(words[9]);
  if (aux && !words[kAuxColumns].empty()) return kAuxColumns;
  const bool full =
      is_count(words[1]) && is_count(words[2]) && is_count(words[3]) && is_time(words[6]);
  if (full && !words[kFullColumns].empty()) return kFullColumns;
  // A quote tells of a shell's history, which is read as shell text.
  const bool numbered = is_count(words[0]) && !words[1].empty() && !line.contains('\'');
  return numbered && !all_of(words[1].substr(0, 1), kDigits) ? 1 : 0;
}

}  // namespace sx
