// What `ps` prints: words without their quotes, one process a line, the command in the last column.
#include <algorithm>
#include <cstddef>

#include "base/strings.h"
#include "gather/command_text.h"
#include "read/command_front.h"

namespace sx {
namespace {

constexpr std::size_t kMostLines = 20'000;
constexpr std::size_t kMostWordsALine = 4096;
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

// How far JSON is open at the end of a text: braces and brackets outside of quotes.
int open_brackets(std::string_view text) {
  int open = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (text[i] == '{' || text[i] == '[')) {
      ++open;
    } else if (!quoted && (text[i] == '}' || text[i] == ']')) {
      --open;
    }
  }
  return open;
}

// {"a": 1, "b": 2} was one word: joined again as far as its brackets tell.
std::vector<Word> with_json_joined(std::vector<Word> words, std::string_view text) {
  std::vector<Word> joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto equals = words[i].text.find('=');
    const std::string_view value =
        std::string_view(words[i].text).substr(equals == std::string::npos ? 0 : equals + 1);
    const bool opens = value.starts_with('{') || value.starts_with('[');
    std::size_t last = i;
    if (opens) {
      while (last + 1 < words.size() &&
             open_brackets(text.substr(words[i].span.begin,
                                       words[last].span.end - words[i].span.begin)) > 0) {
        ++last;
      }
      const Span whole{words[i].span.source, words[i].span.begin, words[last].span.end};
      const auto bytes = text.substr(whole.begin, whole.end - whole.begin);
      if (last > i && open_brackets(bytes) == 0) {
        words[i].text = bytes;
        words[i].span = whole;
      } else {
        last = i;
      }
    }
    joined.push_back(std::move(words[i]));
    i = last;
  }
  return joined;
}

// Words of the tree that `ps f` draws in front of children.
bool is_branch(const Word& word) {
  return word.text.find_first_not_of("|\\_-`+") == std::string::npos;
}

}  // namespace

Result<ReadCommands> read_process_list(const Sources& sources, int source) {
  const std::string_view text = sources.at(source).text;
  ReadCommands read;
  std::size_t columns = 0;  // in front of the command
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size() && lines < kMostLines; ++lines) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    auto words = words_of(text.substr(at, end - at), at, source);
    if (lines == 0 || columns == 0) {
      const bool header =
          !words.empty() && (words.back().text == "COMMAND" || words.back().text == "CMD" ||
                             words.back().text == "ARGS");
      if (header) columns = words.size();
    } else if (words.size() >= columns) {
      std::size_t first = columns - 1;
      while (first < words.size() && is_branch(words[first])) ++first;
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(first));
      // The shell that started it stands on a line of its own, with the same words.
      if (!words.empty() && !is_shell(words[0].text)) {
        Command command{.words = with_json_joined(std::move(words), text), .source = source};
        command.span = {source, command.words.front().span.begin, command.words.back().span.end};
        command.line = place_of(sources.at(source), command.span.begin).line;
        command.written = Command::Text::Derived;
        command.environment_at = command.span.begin;
        take_front(command, LeadingAssignments::Taken);
        for (auto& placed : placed_commands(sources, std::move(command), read.notes)) {
          placed.around.remarks.push_back({kQuotesLost, {{"place", in_both(kList)}}});
          read.commands.push_back(std::move(placed));
        }
      }
    }
    at = end + 1;
  }
  return read;
}

}  // namespace sx
