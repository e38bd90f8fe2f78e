// Words → text that a POSIX shell reads back as the same words.
#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "read/command_front.h"
#include "read/shell_words.h"

namespace sx {
namespace {

// Bytes that mean nothing to a shell inside a word. Letters of other scripts stay as they are.
bool plain(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return static_cast<unsigned char>(c) >= 0x80U || std::string_view("_-./:=,@%+").contains(c);
}

// The first letter can be shown as it is: a terminal would not obey it, and it is no damaged UTF-8.
bool may_be_shown(const CodePoint& point) {
  return point.valid && !is_control(point.value) && !rearranges(point.value);
}

bool may_be_shown(std::string_view word) {
  while (!word.empty()) {
    const CodePoint point = decode_utf8(word);
    if (!may_be_shown(point)) return false;
    word.remove_prefix(point.length);
  }
  return true;
}

void add_bytes(std::string& out, std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : bytes) {
    const auto value = static_cast<unsigned char>(c);
    out += "\\x";
    out += kHex[value >> 4U];
    out += kHex[value & 15U];
  }
}

// $'…': the one form that keeps line ends and control characters on one line.
std::string quoted_with_escapes(std::string_view word) {
  std::string out = "$'";
  while (!word.empty()) {
    const CodePoint point = decode_utf8(word);
    const std::string_view letter = word.substr(0, point.length);
    if (letter == "\n") {
      out += "\\n";
    } else if (letter == "\t") {
      out += "\\t";
    } else if (letter == "\r") {
      out += "\\r";
    } else if (!may_be_shown(point)) {
      add_bytes(out, letter);
    } else {
      if (letter == "'" || letter == "\\") out += '\\';
      out += letter;
    }
    word.remove_prefix(point.length);
  }
  return out + '\'';
}

// Kubernetes and docker take names that no shell assigns to, "my.name"; `env` does.
bool is_shell_name(const std::string& name) {
  return assigned_name_length(name + '=') == name.size();
}

// NAME=value keeps its name outside of the quotes, or it would be no assignment.
std::string quoted_assignment(const std::string& name, std::string_view value) {
  if (!is_shell_name(name)) return shell_quoted(name + '=' + std::string(value));
  std::string out(name);
  out += '=';
  if (!value.empty()) out += shell_quoted(value);
  return out;
}

// What cannot be known here is left to the shell that runs it: "$TP" keeps its meaning in double
// quotes.
std::string for_the_shell(std::string_view text) {
  // A line break inside, or bytes that are no text: one line and readable goes before meaning.
  if (!may_be_shown(text)) return quoted_with_escapes(text);
  const bool needs_quotes = text.find_first_of(" \t\n;&|<>()'\"*?[]#") != std::string_view::npos;
  if (!needs_quotes) return std::string(text);
  const bool runs_something = text.contains("$(") || text.contains('`');  // has quotes of its own
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' && !runs_something) out += '\\';
    out += c;
  }
  return out + '"';
}

std::string shown(const Word& word) {
  if (!word.complete) return for_the_shell(word.text);
  if (!word.tilde) return shell_quoted(word.text);
  const auto slash = std::min(word.text.find('/'), word.text.size());
  // No user has a name that cannot be shown: such a tilde stands for itself.
  if (!may_be_shown(std::string_view(word.text).substr(0, slash))) return shell_quoted(word.text);
  const std::string_view rest = std::string_view(word.text).substr(slash);
  return word.text.substr(0, slash) + (rest.empty() ? std::string() : shell_quoted(rest));
}

void add(std::string& line, std::string_view word) {
  if (!line.empty()) line += ' ';
  line += word;
}

// HF_TOKEN=x in front of `docker run` has to stay an assignment.
std::string shown_in_front(const Word& word) {
  const auto name = assigned_name_length(word.text);
  if (!name || !word.complete) return shown(word);
  return quoted_assignment(word.text.substr(0, *name),
                           std::string_view(word.text).substr(*name + 1));
}

// Wrappers and assignments in their order: "A=1 numactl --membind=0", "sudo A=1".
class InFront {
 public:
  InFront(const Command& command, Wrappers with) : command_(command) {
    const bool contained = !command.front.empty();
    // What starts the container takes no assignments behind it, a shell does.
    needs_env_ = contained && !command.one_word;
    // Inside a container's line the words of `front` have the wrappers already.
    end_ = contained || with == Wrappers::LeftOut ? 0 : command.before.size();
    begin_ = std::min(command.outside, end_);
    place_ = std::clamp(command.assign_at, begin_, end_);
  }

  std::string text() {
    wrappers(begin_, place_);
    assignments();
    wrappers(place_, end_);
    return std::move(line_);
  }

 private:
  // Pasted into a terminal, `exec` would take the terminal's own shell away; `env` with nothing but
  // assignments behind it says what assignments say.
  bool is_dropped(std::size_t at) const {
    const bool options = at + 1 < end_ && command_.before[at + 1].starts_with('-');
    if (at != begin_ || options) return false;
    return command_.before[at] == "exec" || (command_.before[at] == "env" && at + 1 == place_);
  }

  void wrappers(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (is_dropped(i)) continue;
      const std::string& word = command_.before[i];
      add(line_, word.contains('$') ? for_the_shell(word) : shell_quoted(word));
    }
  }

  void assignments() {
    bool any = false;
    bool needs_env = needs_env_, dashes = false;
    for (const auto& setting : command_.environment) {
      if (!setting.prefix || setting.front) continue;
      needs_env = needs_env || !is_shell_name(setting.name);
      dashes = dashes || setting.name.starts_with('-');
    }
    for (const auto& setting : command_.environment) {
      if (!setting.prefix || setting.front) continue;
      if (needs_env && !std::exchange(any, true)) add(line_, dashes ? "env --" : "env");
      const bool plain_name = is_shell_name(setting.name);
      add(line_, setting.complete || !plain_name
                     ? quoted_assignment(setting.name, setting.value)
                     : setting.name + '=' + for_the_shell(setting.value));
    }
  }

  const Command& command_;
  bool needs_env_ = false;
  std::size_t begin_ = 0, place_ = 0, end_ = 0;  // of `before`
  std::string line_;
};

void add_word(Command& command, std::string& text, const std::string& word) {
  const bool first = text.empty();
  if (!first) text += ' ';
  const std::size_t begin = text.size();
  const auto name = assigned_name_length(word);
  text +=
      name ? quoted_assignment(word.substr(0, *name), word.substr(*name + 1)) : shell_quoted(word);
  command.words.push_back({.text = word,
                           .span = {command.source, begin, text.size()},
                           .blank = first ? std::size_t{0} : std::size_t{1}});
}

// `-- "vllm serve m --tp 2"`: one word that is a command line of its own.
bool is_whole_line(const std::vector<std::string>& argv) {
  return argv.size() == 1 && argv[0].find_first_of(" \t\r\n") != std::string::npos;
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  if (word.empty()) return "''";
  if (!may_be_shown(word)) return quoted_with_escapes(word);
  if (std::ranges::all_of(word, plain)) return std::string(word);
  if (!word.contains('\'')) {
    std::string out = "'";
    out += word;
    return out + '\'';
  }
  if (word.find_first_of("\"$`\\!") == std::string_view::npos) {
    std::string out = "\"";
    out += word;
    return out + '"';
  }
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + '\'';
}

std::string one_line(const Command& command, Wrappers with) {
  std::string front;
  for (const auto& word : command.front) add(front, shown_in_front(word));
  const bool contained = !command.front.empty();
  std::string line = InFront(command, with).text();
  bool known = true;
  for (std::size_t i = contained ? command.implied : 0; i < command.words.size(); ++i) {
    known = known && command.words[i].complete;
    add(line, shown(command.words[i]));
  }
  if (!contained) return line;
  if (command.one_word) line = command.text_before + line + command.text_after;
  if (command.one_word) line = known ? shell_quoted(line) : for_the_shell(line);
  if (!line.empty()) add(front, line);
  return front;
}

Command command_from_argv(Sources& sources, const std::vector<std::string>& argv, SourceKind kind) {
  if (kind == SourceKind::CommandLine && is_whole_line(argv)) {
    const int source = sources.add({.kind = SourceKind::CommandLine, .text = argv[0]});
    const auto shell = parse_shell(sources, source);
    if (shell && !shell->commands.empty()) return shell->commands.front();
    Command command{.source = source, .span = {source, 0, argv[0].size()}};
    command.words.push_back({.text = argv[0], .span = command.span});
    return command;
  }
  Command command{.source = static_cast<int>(sources.all().size())};
  std::string text;
  for (const auto& word : argv) add_word(command, text, word);
  command.span = {command.source, 0, text.size()};
  sources.add({.kind = kind, .text = std::move(text)});
  take_front(command, LeadingAssignments::Taken);
  return command;
}

}  // namespace sx
