// SX1134. The long explanation and the scenes are in printed_characters.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/secret_names.h"
#include "knowledge/flags.h"
#include "rules/command/flag_words.h"
#include "rules/command/printed_text.h"
#include "rules/command/variable_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{sign} is no ASCII character, and {word} does not read as it looks",
                      "{sign} 不是 ASCII 字符，{word} 的实际含义与看上去不同"};
constexpr Text kBlankTitle{"a blank in {word} separates no words: it is no ASCII blank",
                           "{word} 里的空格不是 ASCII 空格，不能分隔词"};
constexpr Text kLabel{"typed or pasted from elsewhere", "来自输入法或粘贴的文字"};
constexpr Text kBecause{
    "shells and engines know ASCII quotes, hyphens, commas and blanks; documents, chat programs "
    "and input methods put others in their place",
    "shell 和引擎只认 ASCII 的引号、连字符、逗号和空格；文档、聊天软件和输入法会换成别的字符"};
constexpr Text kRefused{
    "the launch is refused within seconds: the word is unknown or cannot be read",
    "启动在几秒内被拒绝：这个词无法识别"};
constexpr Text kTaken{"the characters become a part of the value, and it is taken so",
                      "这些字符成为取值的一部分，并照此使用"};
constexpr Text kWrite{"write {word}", "改写为 {word}"};
constexpr Text kByHand{"type the quotes, hyphens and blanks of that word anew",
                       "重新输入这个词里的引号、连字符和空格"};

// Words that may stand between an opening curly quote and its end.
constexpr std::size_t kMostQuoted = 8;

// Quotes at both ends were meant for the shell, which would have taken them away.
std::string without_quotes(std::string text) {
  const bool quoted = text.size() > 1 && text.front() == text.back() &&
                      (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

struct Printed {
  std::size_t first_word = 0, last_word = 0;
  std::string sign;
  std::vector<std::string> meant;  // the words that were meant
};

// A curly quote that opens in one word and closes in a later one.
std::size_t closing_word(const std::vector<Word>& words, std::size_t first, char quote) {
  for (std::size_t i = first + 1; i < words.size() && i <= first + kMostQuoted; ++i) {
    const auto text = as_ascii(words[i].text);
    if (text && text->ends_with(quote)) return i;
  }
  return first;
}

std::optional<Printed> printed_at(const std::vector<Word>& words, std::size_t i) {
  const auto clean = cleaned(words[i]);
  if (!clean) return {};
  Printed found{.first_word = i, .last_word = i, .sign = {}, .meant = {}};
  as_ascii(words[i].text, &found.sign);
  const char quote = clean->empty() ? '\0' : clean->front();
  const bool opens =
      (quote == '"' || quote == '\'') && (clean->size() == 1 || clean->back() != quote);
  if (opens) found.last_word = closing_word(words, i, quote);
  std::string text = *clean;
  for (std::size_t at = i + 1; at <= found.last_word; ++at)
    text += ' ' + as_ascii(words[at].text).value_or(words[at].text);
  text = without_quotes(std::string(trimmed(text)));
  if (text.starts_with('-') && text.contains(' ')) {
    // A flag and its value, with a blank between them that is none.
    const auto blank = text.find(' ');
    found.meant = {text.substr(0, blank), std::string(trimmed(text.substr(blank)))};
  } else if (!text.empty()) {
    found.meant = {text};
  }
  return found;
}

// The reading of the command line or the model already failed over these words.
bool stops_launch(const Case& c, const Printed& printed) {
  if (c.serve.model_word >= printed.first_word && c.serve.model_word <= printed.last_word &&
      c.serve.model_word > 0)
    return true;
  return std::ranges::any_of(c.serve.problems, [&](const FlagProblem& problem) {
    const std::size_t end = problem.first_word + std::max<std::size_t>(problem.word_count, 1);
    return problem.first_word <= printed.last_word && printed.first_word < end;
  });
}

Message title_of(const std::string& sign, const std::string& word) {
  const auto ascii = as_ascii(sign);
  const bool blank = ascii && trimmed(*ascii).empty();
  if (blank) return {kBlankTitle, {{"word", word}}};
  return {kTitle, {{"sign", sign}, {"word", word}}};
}

Complaint start(Message title, const Span& span, bool stops) {
  Complaint complaint;
  complaint.severity = stops ? Severity::Error : Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.title = std::move(title);
  mark(d, span, kLabel);
  d.because = kBecause;
  d.otherwise = stops ? kRefused : kTaken;
  d.no_fix = kByHand;
  return complaint;
}

Complaint about_words(const Case& c, const Printed& printed) {
  const auto& words = c.command.words;
  Span span = words[printed.first_word].span;
  const Span& end = words[printed.last_word].span;
  if (end.source == span.source && end.end > span.begin) span.end = end.end;
  Complaint complaint = start(title_of(printed.sign, shown({}, words[printed.first_word].text)),
                              span, stops_launch(c, printed));
  complaint.diagnostic.subject = words[printed.first_word].text;
  Proposal write{.title = {kWrite, {{"word", shown({}, join(printed.meant, " "))}}},
                 .safety = Safety::Safe};
  auto& changes = write.changes;
  if (printed.meant.empty()) {
    changes.push_back(remove_word(printed.first_word));
  } else {
    changes.push_back(replace_word(printed.first_word, printed.meant[0]));
    if (printed.meant.size() > 1)
      changes.push_back(insert_word(printed.first_word, printed.meant[1]));
  }
  for (std::size_t i = printed.first_word + 1; i <= printed.last_word; ++i)
    changes.push_back(remove_word(i));
  complaint.proposals.push_back(std::move(write));
  return complaint;
}

// Lists of numbers and switches: 0，1.
void about_settings(const Case& c, std::vector<Complaint>& complaints) {
  for (const Setting* setting : own_settings(c)) {
    std::string sign;
    if (!setting->complete || !somebody_reads(c, setting->name)) continue;
    const auto clean = as_ascii(setting->value, &sign);
    if (!clean) continue;
    const std::string better = without_quotes(std::string(trimmed(*clean)));
    Complaint complaint = start(title_of(sign, shown_setting(*setting)), setting->span, false);
    complaint.diagnostic.subject = setting->name;
    complaint.proposals.push_back(
        {.title = {kWrite,
                   {{"word", setting->name + '=' +
                                 (names_secret(setting->name) ? std::string("…") : better)}}},
         .changes = {set_environment(setting->name, better)},
         .safety = Safety::Safe});
    complaints.push_back(std::move(complaint));
  }
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  const auto& words = c.command.words;
  for (std::size_t i = c.command.implied; i < words.size(); ++i) {
    const auto printed = printed_at(words, i);
    if (!printed) continue;
    complaints.push_back(about_words(c, *printed));
    i = printed->last_word;
  }
  about_settings(c, complaints);
  return complaints;
}

constexpr std::string_view kCovers[] = {"SX4105"};
constexpr Need kDoubts[] = {Need::VisibleDevices};

}  // namespace

extern const Rule printed_characters{
    .code = "SX1134",
    .name = "printed-characters",
    .severity = Severity::Error,
    .doubts = kDoubts,
    .covers = kCovers,
    .check = check,
};

}  // namespace sx::rules
