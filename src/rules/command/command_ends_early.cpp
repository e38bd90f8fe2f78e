// SX1133. The long explanation and the scenes are in command_ends_early.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "read/shell_words.h"
#include "rules/command/script_text.h"

namespace sx::rules {
namespace {

constexpr Text kComment{"a comment in the middle ends the command; {flag} does not reach it",
                        "中间的注释使命令提前结束，{flag} 没有传进去"};
constexpr Text kMissing{"the command ends before {flag}, which does not reach it",
                        "命令在 {flag} 之前就结束了，它没有传进去"};
constexpr Text kCaret{"{sign} at the end of a line continues no command in this shell",
                      "在这种 shell 里，行尾的 {sign} 不能续行"};
constexpr Text kBacktick{"the backtick at the end of a line opens a command of its own",
                         "行尾的反引号会开始另一条命令"};
constexpr Text kHere{"the command ends here", "命令到此结束"};
constexpr Text kLoose{"a command of its own", "成了另一条命令"};
constexpr Text kBecauseComment{
    "a comment reaches to the end of its line, and a backslash in it continues nothing",
    "注释一直到行尾，其中的反斜杠不起续行作用"};
constexpr Text kBecauseMissing{"a line that is to go on ends with a backslash, with nothing behind",
                               "要续行的行必须以反斜杠结尾，后面不能有任何字符"};
constexpr Text kBecauseCaret{"^ continues lines in cmd.exe, ` in PowerShell, and \\ in a shell",
                             "cmd.exe 用 ^ 续行，PowerShell 用 `，shell 用 \\"};
constexpr Text kOtherwise{
    "it runs without these flags; the next line is a command of its own: \"command not found\"",
    "照常运行，但没有这些参数；下一行成了另一条命令：“command not found”"};
constexpr Text kRefused{
    "the word is one too many, and the launch is refused; the next line is a command of its own",
    "多出一个词，启动被拒绝；下一行成了另一条命令"};
constexpr Text kSyntax{
    "the shell finds no second backtick: \"unexpected EOF while looking for matching\"",
    "shell 找不到另一个反引号：“unexpected EOF while looking for matching”"};
constexpr Text kWhole{"the whole command, with the lines below", "把下面几行接上的完整命令"};
constexpr Text kBackslash{"end each line but the last with a backslash",
                          "除最后一行外，每行都以反斜杠结尾"};

// Comments and blank lines between a command and its rest.
constexpr int kMostLines = 40;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Reads on behind a command, line by line.
class Behind {
 public:
  explicit Behind(const ScriptText& script) : text_(script.text), at_(script.end) {}

  // To the end of the line in which the command ends.
  void finish_line() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (is_blank(text_[at_]) || text_[at_] == '\r') {
        ++at_;
      } else if (text_[at_] == '#') {
        comment_ = continued_ || comment_;
        to_line_end();
      } else if (continues()) {
        at_ = text_.find('\n', at_) + 1;
        continued_ = true;
      } else {
        plain_ = false;
        to_line_end();
      }
    }
    if (at_ < text_.size()) ++at_;
  }

  // The next line that is not empty and no comment; nothing at the end.
  std::optional<std::size_t> next_line() {
    for (int lines = 0; lines < kMostLines && at_ < text_.size(); ++lines) {
      const auto first = text_.find_first_not_of(" \t\r", at_);
      if (first == std::string_view::npos) return {};
      if (text_[first] != '\n' && text_[first] != '#') return first;
      comment_ = comment_ || text_[first] == '#';
      at_ = text_.find('\n', first);
      if (at_ == std::string_view::npos) return {};
      ++at_;
    }
    return {};
  }

  bool comment() const { return comment_; }
  bool plain() const { return plain_; }  // nothing but blanks and comments behind the command

 private:
  void to_line_end() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  bool continues() const {
    return text_[at_] == '\\' &&
           (text_.substr(at_ + 1).starts_with('\n') || text_.substr(at_ + 1).starts_with("\r\n"));
  }

  std::string_view text_;
  std::size_t at_;
  bool comment_ = false, continued_ = false, plain_ = true;
};

// A sign of another shell at the end of the command's last line.
std::optional<std::size_t> foreign_sign(const Case& c) {
  const auto& words = c.command.words;
  if (words.empty()) return {};
  const std::size_t last = words.size() - 1;
  if (words[last].text == "^") return last;
  for (std::size_t i = c.command.implied; i < words.size(); ++i) {
    if (words[i].complete || words[i].span.source < 0) continue;
    const std::string_view raw = c.sources->text(words[i].span);
    if (!raw.starts_with('`')) continue;
    const auto next = raw.find_first_not_of(" \t\r", 1);
    if (next != std::string_view::npos && raw[next] == '\n') return i;
  }
  return {};
}

Complaint backtick(const Case& c, std::size_t word) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  complaint.severity = Severity::Error;
  const Span& span = c.command.words[word].span;
  d.title = kBacktick;
  mark(d, {span.source, span.begin, span.begin + 1}, kHere);
  d.because = kBecauseCaret;
  d.otherwise = kSyntax;
  d.subject = "`";
  d.no_fix = kBackslash;
  return complaint;
}

// Of the lines from the one with `sign` on: each sign of another shell at a line's end becomes a
// backslash.
std::vector<Edit> signs_replaced(const ScriptText& script, const Span& sign) {
  std::vector<Edit> edits;
  std::size_t at = sign.begin;
  for (int lines = 0; lines < kMostLines; ++lines) {
    edits.push_back({script.span(at, at + 1), "\\"});
    const auto line = script.text.find('\n', at);
    if (line == std::string_view::npos) break;
    const auto end = std::min(script.text.find('\n', line + 1), script.text.size());
    const auto last = script.text.find_last_not_of(" \t\r\n", end - 1);
    if (last == std::string_view::npos || last <= line || script.text[last] != '^') break;
    at = last;
  }
  return edits;
}

// The text needs a backslash, where the rest follows on the very next line and is one command.
std::vector<Edit> backslash_added(const Case& c, const ScriptText& script, std::size_t rest) {
  const std::size_t end = c.command.words.back().span.end;
  const std::string_view between = script.text.substr(end, rest - std::min(end, rest));
  if (end > rest || between.find_first_not_of(" \t\n") != std::string_view::npos) return {};
  if (std::ranges::count(between, '\n') != 1) return {};
  auto line = std::min(script.text.find('\n', rest), script.text.size());
  while (line > rest && line < script.text.size() && script.text[line - 1] == '\\')
    line = std::min(script.text.find('\n', line + 1), script.text.size());
  const auto next = script.text.find_first_not_of(" \t\r\n", line);
  if (next != std::string_view::npos && begins_flag(script.text.substr(next))) return {};
  return {{script.span(end, end), " \\"}};
}

void join(Complaint& complaint, const Case& c, const std::vector<std::string>& loose, bool caret,
          std::vector<Edit> edits) {
  const std::size_t last = c.command.words.size() - (caret ? 2 : 1);
  Proposal whole{.title = kWhole, .safety = Safety::Safe};
  for (auto word = loose.rbegin(); word != loose.rend(); ++word)
    whole.changes.push_back(insert_word(last, *word));
  if (caret) whole.changes.push_back(remove_word(last + 1));
  whole.edits = std::move(edits);
  if (!loose.empty()) complaint.proposals.push_back(std::move(whole));
}

std::vector<Complaint> check(const Case& c) {
  const auto script = script_text(c);
  const auto& words = c.command.words;
  if (!script || words.size() < 2 || trimmed(words.back().text).empty()) return {};
  const auto sign = foreign_sign(c);
  if (sign && words[*sign].text != "^") return {backtick(c, *sign)};
  Behind behind(*script);
  behind.finish_line();
  const auto line = behind.next_line();
  if (!line || !begins_flag(script->text.substr(*line))) return {};
  const std::vector<std::string> loose = loose_words(*script, *line);
  const auto end = script->text.find_first_of(" \t\r\n=", *line);
  const std::size_t flag_end = std::min(end, script->text.size());
  const std::string flag(script->text.substr(*line, flag_end - *line));
  // Asked again with the rest joined to it.
  const bool joined = std::ranges::any_of(
      words, [&](const Word& word) { return word.text.substr(0, word.text.find('=')) == flag; });
  if (c.asked_again && joined) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const bool caret = sign.has_value();
  if (caret) {
    complaint.severity = Severity::Error;
    d.title = {kCaret, {{"sign", "^"}}};
    mark(d, words.back().span, kHere);
    d.because = kBecauseCaret;
    d.otherwise = kRefused;
    d.subject = words.back().text;
  } else {
    d.title = {behind.comment() ? kComment : kMissing, {{"flag", flag}}};
    mark(d, script->span(*line, flag_end), kLoose);
    d.labels.push_back({words.back().span, {kHere}, false});
    d.because = behind.comment() ? kBecauseComment : kBecauseMissing;
    d.otherwise = kOtherwise;
    d.subject = "line end";
  }
  d.no_fix = kBackslash;
  if (behind.plain()) {
    join(complaint, c, loose, caret,
         caret ? signs_replaced(*script, words.back().span) : backslash_added(c, *script, *line));
  }
  return {complaint};
}

constexpr std::string_view kCovers[] = {"SX1106"};  // ^ as a word too many

}  // namespace

extern const Rule command_ends_early{
    .code = "SX1133",
    .name = "command-ends-early",
    .severity = Severity::Warning,
    .covers = kCovers,
    .check = check,
};

}  // namespace sx::rules
