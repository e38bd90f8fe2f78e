// SX1106. The long explanation and the scenes are in extra_word.md.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "base/utf8.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/secret_names.h"
#include "knowledge/flags.h"
#include "rules/command/flag_words.h"
#include "rules/command/json_corrections.h"
#include "rules/command/script_text.h"

namespace sx::rules {
namespace {

constexpr Text kExtra{"the word {word} belongs to no flag", "{word} 不属于任何参数"};
constexpr Text kAfterSwitch{"{flag} is a switch, and {word} behind it belongs to nothing",
                            "{flag} 是开关，后面的 {word} 没有归属"};
constexpr Text kAfterValue{"{flag} takes one value, and {word} is a second one",
                           "{flag} 只取一个值，{word} 是第二个"};
constexpr Text kSecondModel{"{word} would be a second model, besides {model}",
                            "{word} 会成为第二个模型，而模型已是 {model}"};
constexpr Text kNeedsModelFlag{"{word} stands alone, where the model has to follow {flag}",
                               "{word} 单独出现，而这里的模型要写在 {flag} 后面"};
constexpr Text kLongDash{"{word} begins with a long dash, not with two hyphens",
                         "{word} 以长破折号开头，而不是两个连字符"};
constexpr Text kBlank{"a blank behind a backslash ends the command in the middle",
                      "反斜杠后面多了空格，命令在中途结束"};
constexpr Text kSplit{"the value of {flag} has fallen apart into several words",
                      "{flag} 的值散成了多个词"};
constexpr Text kSwallowed{"{word} became a value of {flag}, and the command names no model",
                          "{word} 成了 {flag} 的值，命令因此没有模型"};

constexpr Text kOneTooMany{"one word too many", "多出的词"};
constexpr Text kTextProgram{"a text program made it out of --", "文字处理软件把 -- 换成了它"};
constexpr Text kEscapes{"the backslash escapes the blank, not the line break",
                        "反斜杠转义的是空格，不是换行"};
constexpr Text kQuotesGone{"the shell took the quotes away and split it at its blanks",
                           "shell 去掉了引号，并按空格把它拆开了"};
constexpr Text kTakesAll{"takes every word up to the next flag", "会取走下一个参数之前的所有词"};

constexpr Text kBecause{"besides flags and their values the command takes one word, the model",
                        "除参数及其值以外，命令只接受一个词：模型"};
constexpr Text kBecauseModule{
    "this entry point takes flags alone; `vllm serve` would take the model as a word",
    "这个入口只接受参数；`vllm serve` 才能直接写模型"};
constexpr Text kBecauseFlagsAlone{"this entry point takes flags alone, the model included",
                                  "这个入口只接受参数，模型也要用参数写"};
constexpr OfEngine kBecauseOf[] = {{"llamacpp", kBecauseFlagsAlone}};
constexpr OfEngine kBecauseModuleOf[] = {{"sglang", kBecauseFlagsAlone},
                                         {"llamacpp", kBecauseFlagsAlone}};
constexpr Text kBecauseList{"a flag that takes a list does not know where the list ends",
                            "取列表的参数不知道列表在哪里结束"};
constexpr Text kBecauseBlank{"a backslash takes effect on the one character behind it",
                             "反斜杠只对紧跟其后的一个字符起作用"};
constexpr Text kNextLine{
    "it exits with status 2 after some seconds; the next line runs by itself: \"command not "
    "found\"",
    "几秒后以状态码 2 退出，下一行则被当成另一条命令：“command not found”"};
constexpr Text kOtherwise{
    "after some seconds of imports it exits with status 2: \"unrecognized arguments: {word}\"",
    "导入几秒后以状态码 2 退出：“unrecognized arguments: {word}”"};
// From about 0.10 on the parser of the module takes the word, but only `vllm serve` reads it.
constexpr Text kPassedOver{
    "the word is refused after some seconds of imports (\"unrecognized arguments\"), or passed "
    "over, "
    "as newer versions do, and the engine's default model is served",
    "导入几秒后因“unrecognized arguments”退出；较新的版本则会忽略这个词，改为运行引擎默认的模型"};
constexpr OfEngine kNextLineOf[] = {
    {"llamacpp",
     {"it exits at once with status 1; the next line runs by itself: \"command not found\"",
      "立即以状态码 1 退出，下一行则被当成另一条命令：“command not found”"}}};
constexpr OfEngine kOtherwiseOf[] = {
    {"llamacpp",
     {"it exits at once with status 1: \"error: invalid argument: {word}\"",
      "立即以状态码 1 退出：“error: invalid argument: {word}”"}}};
constexpr OfEngine kOtherModelOf[] = {
    {"sglang", {"the launch is refused: it names no model", "启动被拒绝：没有指定模型"}}};
constexpr Text kOtherModel{
    "the launch is refused, or {model}, the engine's default model, is fetched and served",
    "启动被拒绝，或者改为下载并运行引擎默认的 {model}"};

constexpr Text kLeaveOut{"leave {word} out", "去掉 {word}"};
constexpr Text kServeIt{"serve {word} instead", "改为运行 {word}"};
constexpr Text kWrite{"write {word}", "改写为 {word}"};
constexpr Text kQuote{"put quotes around \"{word}\"", "给“{word}”加上引号"};
constexpr Text kModelFlag{"put {flag} in front of {word}", "在 {word} 前面加上 {flag}"};
constexpr Text kModelFirst{"put {word} directly behind serve", "把 {word} 移到 serve 后面"};
constexpr Text kEndOfLine{
    "remove the blanks behind the backslash; the lines below belong to the command again",
    "删掉反斜杠后面的空格，下面几行才会接上"};

constexpr int kMostLines = 100;  // of one command

constexpr Need kNeeds[] = {Need::Flags};

bool is_dash(char32_t c) {
  return c == U'-' || (c >= 0x2010 && c <= 0x2015) || c == 0x2212 || c == 0xFF0D || c == 0xFE63;
}

// "–max-model-len" as "--max-model-len"; nothing when that names no flag.
std::optional<std::string> with_hyphens(const EngineFlags& flags, std::string_view word) {
  if (word.empty() || decode_utf8(word).value < 0x80) return {};
  while (!word.empty() && is_dash(decode_utf8(word).value))
    word.remove_prefix(decode_utf8(word).length);
  const std::string name = "--" + replaced(word.substr(0, word.find('=')), "_", "-");
  if (flags.find(name) == nullptr) return {};
  return "--" + std::string(word);
}

bool serves(const Case& c) {
  return std::ranges::any_of(c.command.words,
                             [](const Word& word) { return word.text == "serve"; });
}

// The use that ends directly in front of a word.
const FlagUse* use_before(const Case& c, std::size_t word) {
  const auto found = std::ranges::find_if(c.serve.flags, [word](const FlagUse& use) {
    return use.word_count > 0 && use.first_word + use.word_count == word;
  });
  return found == c.serve.flags.end() ? nullptr : &*found;
}

// The JSON flag whose value was split at its blanks, this word being one of its pieces.
const FlagUse* split_around(const Case& c, const EngineFlags& flags, std::size_t word) {
  for (const FlagUse& use : c.serve.flags) {
    const FlagRow* row = flags.find(use.name);
    if (row == nullptr || row->kind != FlagKind::Json || use.first_word > word) continue;
    const auto unquoted = unquoted_json(c, use);
    if (unquoted && unquoted->first_word < word && word <= unquoted->last_word) return &use;
  }
  return nullptr;
}

class Words {
 public:
  Words(const Case& c, const EngineFlags& flags) : c_(c), flags_(flags) {}

  std::vector<Complaint> all() {
    for (const FlagProblem& problem : c_.serve.problems) {
      if (problem.kind != FlagProblem::Kind::ExtraWord) continue;
      if (!said_elsewhere(c_, problem)) extra(problem);
    }
    swallowed_model();
    return std::move(complaints_);
  }

 private:
  Complaint& add(const FlagProblem& problem, Message title, Message label) {
    Complaint& complaint = complaints_.emplace_back();
    Diagnostic& d = complaint.diagnostic;
    d.title = std::move(title);
    mark(d, problem.span, std::move(label));
    d.because = of_engine(c_.serve, kBecauseOf, kBecause);
    d.otherwise = {of_engine(c_.serve, kOtherwiseOf, kOtherwise),
                   {{"word", shown({}, problem.typed)}}};
    d.subject = problem.typed;
    return complaint;
  }

  void extra(const FlagProblem& problem) {
    const std::size_t at = problem.first_word;
    if (problem.word_count == 0) {
      add(problem, {kExtra, {{"word", shown({}, problem.typed)}}}, kOneTooMany).diagnostic.no_fix =
          mend_in_file(c_, problem.span);
      return;
    }
    if (after_dash_ == at) return;  // the value of the flag with the long dash
    if (trimmed(problem.typed).empty()) return blank(problem);
    if (const auto flag = with_hyphens(flags_, problem.typed)) return long_dash(problem, *flag);
    if (const FlagUse* use = split_around(c_, flags_, at)) return split_json(problem, *use);
    if (!serves(c_) && !c_.serve.use_of("--model")) return module_model(problem);
    const FlagUse* use = use_before(c_, at);
    if (use != nullptr && flags_.find(use->name) != nullptr) return behind(problem, *use);
    second_model(problem);
  }

  void blank(const FlagProblem& problem) {
    Complaint& complaint = add(problem, kBlank, kEscapes);
    Diagnostic& d = complaint.diagnostic;
    d.because = kBecauseBlank;
    d.otherwise = of_engine(c_.serve, kNextLineOf, kNextLine);
    d.subject = "backslash";
    d.no_fix = kEndOfLine;
    join_lines(complaint, problem);
  }

  // The command with the lines below it; in the text only the blanks go.
  void join_lines(Complaint& complaint, const FlagProblem& problem) const {
    const auto script = script_text(c_);
    const std::size_t at = problem.first_word;
    if (!script || at == 0 || at + 1 != c_.command.words.size()) return;
    const std::string_view text = script->text;
    const auto end = text.find_first_not_of(" \t\r", problem.span.end);
    if (end == std::string_view::npos || text[end] != '\n') return;
    const auto next = text.find_first_not_of(" \t", end + 1);
    Proposal whole{.title = kEndOfLine, .changes = {remove_word(at)}, .safety = Safety::Safe};
    if (next != std::string_view::npos && begins_flag(text.substr(next))) {
      const auto loose = loose_words(*script, next);
      if (loose.empty()) return;
      for (auto word = loose.rbegin(); word != loose.rend(); ++word)
        whole.changes.push_back(insert_word(at - 1, *word));
    }
    whole.edits = blanks_gone(*script, problem.span.begin);
    complaint.proposals.push_back(std::move(whole));
  }

  // Of this line and of those that follow it: what stands between a backslash and the line's end.
  static std::vector<Edit> blanks_gone(const ScriptText& script, std::size_t backslash) {
    std::vector<Edit> edits;
    for (int lines = 0; lines < kMostLines && backslash < script.text.size(); ++lines) {
      const std::size_t line_end = std::min(script.text.find('\n', backslash), script.text.size());
      if (backslash + 1 < line_end)
        edits.push_back({script.span(backslash + 1, line_end), std::string()});
      const std::size_t next_end = std::min(
          script.text.find('\n', std::min(line_end + 1, script.text.size())), script.text.size());
      const auto last = script.text.find_last_not_of(" \t\r\n", next_end - 1);
      if (last == std::string_view::npos || last <= line_end || script.text[last] != '\\') break;
      backslash = last;
    }
    return edits;
  }

  void long_dash(const FlagProblem& problem, const std::string& flag) {
    if (flag.find('=') == std::string::npos) after_dash_ = problem.first_word + 1;
    Complaint& complaint = add(problem, {kLongDash, {{"word", problem.typed}}}, kTextProgram);
    complaint.proposals.push_back({.title = {kWrite, {{"word", flag}}},
                                   .changes = {replace_word(problem.first_word, flag)},
                                   .safety = Safety::Safe});
  }

  // Once a flag, and only where the value alone does not already sound wrong.
  void split_json(const FlagProblem& problem, const FlagUse& use) {
    const bool said = std::ranges::any_of(c_.serve.problems, [&use](const FlagProblem& other) {
      return other.kind == FlagProblem::Kind::BadJson && other.first_word == use.first_word;
    });
    if (said || !split_.insert(use.first_word).second) return;
    Complaint& complaint = add(problem, {kSplit, {{"flag", use.typed}}}, {});
    complaint.diagnostic.labels.clear();
    mark(complaint.diagnostic, use.span, kQuotesGone);
    complaint.diagnostic.subject = use.name;
    if (auto quoted = in_quotes(c_, use)) complaint.proposals.push_back(*std::move(quoted));
  }

  void module_model(const FlagProblem& problem) {
    const std::string name = own_flag(c_.serve, "--model");
    const std::vector<Argument> words{{"word", shown({}, problem.typed)}, {"flag", name}};
    Complaint& complaint = add(problem, {kNeedsModelFlag, words}, kOneTooMany);
    complaint.diagnostic.because = of_engine(c_.serve, kBecauseModuleOf, kBecauseModule);
    if (c_.serve.engine == "vllm") complaint.diagnostic.otherwise = kPassedOver;
    complaint.proposals.push_back({.title = {kModelFlag, words},
                                   .changes = {replace_word(problem.first_word, name),
                                               insert_word(problem.first_word, problem.typed)},
                                   .safety = Safety::Safe});
  }

  void behind(const FlagProblem& problem, const FlagUse& use) {
    const Argument word("word", shown(use.name, problem.typed));
    const bool alone = use.values.empty();
    Complaint& complaint = add(
        problem, {alone ? kAfterSwitch : kAfterValue, {word, {"flag", use.typed}}}, kOneTooMany);
    complaint.diagnostic.otherwise = {of_engine(c_.serve, kOtherwiseOf, kOtherwise), {word}};
    if (!alone) {
      // "my template.jinja" and "32 768" were one word to the person who typed them.
      const std::string& before = c_.command.words[problem.first_word - 1].text;
      const bool digits =
          to_integer(before) && to_integer(problem.typed) && problem.typed.size() == 3;
      const std::string joined = before + (digits ? "" : " ") + problem.typed;
      const bool whole = use.word_count > 1 && !names_secret(use.name) &&
                         (digits || before.find('/') != std::string::npos);
      if (whole) {
        complaint.proposals.push_back(
            {.title = {digits ? kWrite : kQuote, {{"word", shown(use.name, joined)}}},
             .changes = {replace_word(problem.first_word - 1, joined),
                         remove_word(problem.first_word)}});
      }
    }
    leave_out(complaint, problem);
    serve_instead(complaint, problem);
  }

  void second_model(const FlagProblem& problem) {
    const Argument word("word", shown({}, problem.typed));
    const bool known = c_.serve.model.known();
    Complaint& complaint =
        add(problem,
            known ? Message{kSecondModel, {word, {"model", shown({}, c_.serve.model.value())}}}
                  : Message{kExtra, {word}},
            kOneTooMany);
    mark(complaint.diagnostic, c_.serve.model, {});
    leave_out(complaint, problem);
    serve_instead(complaint, problem);
  }

  static void leave_out(Complaint& complaint, const FlagProblem& problem) {
    complaint.proposals.push_back({.title = {kLeaveOut, {{"word", shown({}, problem.typed)}}},
                                   .changes = {remove_word(problem.first_word)}});
  }

  void serve_instead(Complaint& complaint, const FlagProblem& problem) const {
    const bool like_a_model = problem.typed.find('/') != std::string::npos;
    if (!like_a_model || c_.serve.model_word == 0 || c_.serve.model_word == problem.first_word)
      return;
    complaint.proposals.push_back(
        {.title = {kServeIt, {{"word", shown({}, problem.typed)}}},
         .changes = {set_model(problem.typed), remove_word(problem.first_word)}});
  }

  // --served-model-name foo Qwen/Qwen2.5-7B-Instruct: the list takes the model along.
  void swallowed_model() {
    const FlagUse* use = list_with_model(c_);
    if (use == nullptr || !serves(c_) || !complaints_.empty()) return;
    const std::string& word = use->values.back();
    Complaint& complaint = complaints_.emplace_back();
    Diagnostic& d = complaint.diagnostic;
    d.title = {kSwallowed, {{"word", shown({}, word)}, {"flag", use->typed}}};
    mark(d, use->span, kTakesAll);
    d.because = kBecauseList;
    d.otherwise = {of_engine(c_.serve, kOtherModelOf, kOtherModel),
                   {{"model", c_.serve.model.value_or("…")}}};
    d.subject = use->name;
    complaint.proposals.push_back(
        {.title = {kModelFirst, {{"word", shown({}, word)}}},
         .changes = {remove_word(use->first_word + use->word_count - 1), set_model(word)},
         .safety = Safety::Safe});
    d.no_fix = {kModelFirst, {{"word", shown({}, word)}}};
  }

  const Case& c_;
  const EngineFlags& flags_;
  std::vector<Complaint> complaints_;
  std::set<std::size_t> split_;
  std::size_t after_dash_ = 0;
};

std::vector<Complaint> check(const Case& c) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  return flags == nullptr ? std::vector<Complaint>{} : Words(c, *flags).all();
}

}  // namespace

extern const Rule extra_word{
    .code = "SX1106",
    .name = "extra-word",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
