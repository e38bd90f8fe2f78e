// What `ps` prints: words without their quotes, one process a line, the command in the last column.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "gather/command_text.h"
#include "gather/process_columns.h"
#include "read/command_front.h"

namespace sx {
namespace {

constexpr int kMostLines = 20'000;
constexpr std::size_t kMostWordsALine = 4096;
constexpr int kMostUnclosed =
    8;  // brackets of a line that nothing closes; each is a look at all of it
constexpr Text kTooManyLines{
    "the list of processes has more than {most} lines; give the lines of the launch",
    "进程列表超过 {most} 行；只需给出启动命令所在的行"};
constexpr Text kQuotesLost{
    "{place} shows words without their quotes: a value with blanks is read as several words",
    "{place}里的词没有引号：含空格的值会被读成几个词"};
constexpr Text kList{"a list of processes", "进程列表"};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::vector<Word> words_of(std::string_view line, std::size_t at, int source) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < line.size() && words.size() < kMostWordsALine;) {
    const std::size_t begin = i;
    while (i < line.size() && is_blank(line[i])) ++i;
    const std::size_t word = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    if (i == word) break;
    words.push_back({.text = std::string(line.substr(word, i - word)),
                     .span = {source, at + word, at + i},
                     .literal = false,
                     .blank = word - begin});
  }
  return words;
}

// How far JSON is open behind the bytes that were taken: braces and brackets outside of quotes.
class OpenBrackets {
 public:
  int behind(std::string_view bytes) {
    for (const char c : bytes) {
      if (std::exchange(escaped_, false)) continue;
      if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        quoted_ = !quoted_;
      } else if (!quoted_ && (c == '{' || c == '[')) {
        ++open_;
      } else if (!quoted_ && (c == '}' || c == ']')) {
        --open_;
      }
    }
    return open_;
  }

 private:
  int open_ = 0;
  bool quoted_ = false, escaped_ = false;
};

// The last word of JSON that begins in word `first`; empty when it does not end on the line.
std::optional<std::size_t> last_of_json(const std::vector<Word>& words, std::size_t first,
                                        std::string_view text) {
  OpenBrackets brackets;
  std::size_t from = words[first].span.begin;
  for (std::size_t last = first; last < words.size(); ++last) {
    const std::size_t end = words[last].span.end;
    const int open = brackets.behind(text.substr(from, end - from));
    if (open <= 0) return open == 0 ? std::optional(last) : std::nullopt;
    from = end;
  }
  return {};
}

// {"a": 1, "b": 2} was one word: joined again as far as its brackets tell.
std::vector<Word> with_json_joined(std::vector<Word> words, std::string_view text) {
  std::vector<Word> joined;
  int unclosed = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto equals = words[i].text.find('=');
    const std::string_view value =
        std::string_view(words[i].text).substr(equals == std::string::npos ? 0 : equals + 1);
    const bool opens = value.starts_with('{') || value.starts_with('[');
    std::optional<std::size_t> last;
    if (opens && unclosed < kMostUnclosed) {
      last = last_of_json(words, i, text);
      if (!last) ++unclosed;
    }
    const std::size_t end = last.value_or(i);
    if (end > i) {
      words[i].span.end = words[end].span.end;
      words[i].text = text.substr(words[i].span.begin, words[i].span.end - words[i].span.begin);
    }
    joined.push_back(std::move(words[i]));
    i = end;
  }
  return joined;
}

// Words of the tree that `ps f` draws in front of children.
bool is_branch(const Word& word) {
  return word.text.find_first_not_of("|\\_-`+") == std::string::npos;
}

bool names_the_command(const std::vector<Word>& words) {
  if (words.empty()) return false;
  const std::string_view last = words.back().text;
  return last == "COMMAND" || last == "CMD" || last == "ARGS";
}

}  // namespace

Result<ReadCommands> read_process_list(const Sources& sources, int source) {
  const std::string_view text = sources.at(source).text;
  ReadCommands read;
  std::size_t columns = 0;  // the command's own is the last of them
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (line > kMostLines)
      return fail(Error::Kind::TooLarge, in_both({kTooManyLines, {{"most", kMostLines}}}));
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    auto words = words_of(text.substr(at, end - at), at, source);
    const bool header = columns == 0 && names_the_command(words);
    if (header) {
      columns = words.size();
      words.clear();
    } else if (columns == 0) {
      const std::size_t before = columns_before_command(text.substr(at, end - at));
      if (before > 0) columns = before + 1;
    }
    if (columns != 0 && words.size() >= columns) {
      std::size_t first = columns - 1;
      while (first < words.size() && is_branch(words[first])) ++first;
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(first));
      // The shell that started it stands on a line of its own, with the same words.
      if (!words.empty() && !is_shell(words[0].text)) {
        Command command{.words = with_json_joined(std::move(words), text), .source = source};
        command.span = {source, command.words.front().span.begin, command.words.back().span.end};
        command.line = line;
        command.written = Command::Text::Derived;
        command.environment_at = command.span.begin;
        take_front(command, LeadingAssignments::Taken);
        for (auto& placed : placed_commands(sources, std::move(command), read.notes)) {
          placed.around.remarks.push_back({kQuotesLost, {{"place", in_both(kList)}}});
          read.commands.push_back(std::move(placed));
        }
      }
    }
    // \r\n ends one line.
    const bool pair = text.substr(end).starts_with("\r\n");
    at = end + (pair ? 2 : 1);
    ++line;
  }
  return read;
}

}  // namespace sx
