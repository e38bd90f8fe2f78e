// SX1125. The long explanation and the scenes are in compose_backslash.md.
#include <algorithm>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"backslashes at line ends spoil the arguments behind them: {count}",
                      "行尾的反斜杠破坏了它后面的参数：{count} 个"};
constexpr Text kLine{"the argument begins with the line end", "这个参数以换行开头"};
constexpr Text kBlank{"the argument begins with a blank", "这个参数以空格开头"};
constexpr Text kBecause{
    "Compose splits a command without a shell: a backslash keeps the line end or the blank behind "
    "it",
    "Compose 不用 shell 拆分命令：反斜杠会保留它后面的换行或空格"};
constexpr Text kOtherwise{
    "the engine exits within seconds: \"unrecognized arguments\"; the flags behind a backslash are "
    "not seen as flags",
    "引擎几秒内退出：“unrecognized arguments”；反斜杠后面的参数不会被当作参数名"};
constexpr Text kWithout{"leave the backslashes out; `>` joins the lines by itself",
                        "去掉反斜杠；`>` 本来就会把各行连起来"};

constexpr Need kDoubts[] = {Need::Flags};

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Written with a backslash in front of the line end or blank that it begins with.
bool swallowed(const Case& c, const Word& word) {
  if (word.span.source < 0 || word.text.empty() || !is_blank(word.text[0])) return false;
  return c.sources->text(word.span).starts_with('\\');
}

std::vector<Complaint> check(const Case& c) {
  if (c.around.kind != Surroundings::Kind::Compose) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  Proposal without{.title = {kWithout}, .safety = Safety::Safe};
  int count = 0;
  for (std::size_t i = 0; i < c.command.words.size(); ++i) {
    const Word& word = c.command.words[i];
    if (!swallowed(c, word)) continue;
    ++count;
    const std::size_t begin = std::min(word.text.find_first_not_of(" \n\t\r"), word.text.size());
    without.changes.push_back(begin == word.text.size() ? remove_word(i)
                                                        : replace_word(i, word.text.substr(begin)));
    if (d.labels.size() < 3) {
      const bool line = word.text.find_first_of("\r\n") < begin;
      const Span mark_at{word.span.source, word.span.begin, word.span.begin + 1};
      d.labels.push_back({mark_at, {line ? kLine : kBlank}, d.labels.empty()});
    }
  }
  if (count == 0) return {};
  d.title = {kTitle, {{"count", count}}};
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "command";
  complaint.proposals.push_back(std::move(without));
  return {complaint};
}

}  // namespace

extern const Rule compose_backslash{
    .code = "SX1125",
    .name = "compose-backslash",
    .severity = Severity::Error,
    .doubts = kDoubts,
    .check = check,
};

}  // namespace sx::rules
