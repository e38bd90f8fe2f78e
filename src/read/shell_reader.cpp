// One pass over the text, one step a word or an operator; blocks are a stack of their own, not of
// calls.
#include "read/shell_reader.h"

#include <algorithm>
#include <utility>

#include "read/command_front.h"

namespace sx {
namespace {

constexpr std::size_t kMostWords = 65536;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

}  // namespace

void ShellReader::read() {
  while (!context_.too_many && step()) {
  }
  finish();
  while (!blocks_.empty()) close(blocks_.back());
}

bool ShellReader::step() {
  const auto before = cursor_.at();
  cursor_.skip_blanks();
  // Blanks of a text that stands nowhere are in front of nothing.
  blank_ = part_.fixed ? 0 : cursor_.at() - before;
  if (pending_.command.environment.size() > 0 && pending_.command.words.empty() &&
      pending_.command.environment.back().blank == 0) {
    pending_.command.environment.back().blank = blank_;
  }
  if (cursor_.done()) return false;
  if (cursor_.peek() == '#') {
    cursor_.skip_to_line_end();
    return true;
  }
  if (expects_pattern_ && !cursor_.at_line_end()) {
    take_case_pattern();
    return true;
  }
  if (step_operator()) return true;
  if (at_assignment()) {
    take_assignment();
  } else {
    step_word();
  }
  return true;
}

void ShellReader::separate(Joint next, std::string_view sign) {
  if (!pending_.begun && sign == "\n") return;  // a line may end behind | && ||
  if (sign == "&") pending_.command.after.emplace_back("&");
  finish();
  if (next != Joint::Pipe) in_pipeline_ = false;
  joint_ = next;
}

bool ShellReader::step_operator() {
  const char c = cursor_.peek();
  if (cursor_.at_line_end()) {
    cursor_.take_line_end();
    separate(Joint::None, "\n");
    take_here_documents();
    return true;
  }
  if (c == ';') {
    const bool ends_pattern = cursor_.starts_with(";;") || cursor_.starts_with(";&");
    cursor_.advance(cursor_.starts_with(";;&") ? 3 : ends_pattern ? 2 : 1);
    separate(Joint::None, ";");
    if (ends_pattern && !blocks_.empty() && blocks_.back() == Block::Case) {
      context_.variables.next_branch();
      expects_pattern_ = true;
    }
    return true;
  }
  if (take_redirection()) return true;
  if (c == '&') {
    const bool both = cursor_.peek(1) == '&';
    cursor_.advance(both ? 2 : 1);
    separate(both ? Joint::And : Joint::None, both ? "&&" : "&");
    return true;
  }
  if (c == '|') {
    const bool both = cursor_.peek(1) == '|';
    cursor_.advance(both || cursor_.peek(1) == '&' ? 2 : 1);
    separate(both ? Joint::Or : Joint::Pipe, "|");
    return true;
  }
  return take_bracket();
}

bool ShellReader::take_bracket() {
  const char c = cursor_.peek();
  if (c == ')') {
    cursor_.advance();
    separate(Joint::None, ")");
    if (!blocks_.empty() && blocks_.back() == Block::Subshell) close(Block::Subshell);
    return true;
  }
  if (c != '(') return false;
  const auto begin = cursor_.at();
  cursor_.advance();
  if (pending_.discarded || (!pending_.begun && cursor_.peek() == '(')) {
    if (!cursor_.skip_nested(')'))
      context_.note(ShellNote::Kind::UnclosedQuote, part_.span(begin, cursor_.at()));
    return true;
  }
  if (!pending_.begun) {
    open(Block::Subshell);
    return true;
  }
  cursor_.skip_blanks();
  const bool defines = cursor_.peek() == ')' && pending_.command.words.size() == 1;
  if (defines) {
    cursor_.advance();
    pending_ = {};  // name() { … }: the body's commands are found where they stand
    forget_positional(context_.variables);
  }
  return true;
}

// A word that begins a command: NAME=, NAME+=, NAME[…]=; behind export and its like too.
bool ShellReader::at_assignment() const {
  if (pending_.discarded) return false;
  if (!pending_.command.words.empty() && !declares()) return false;
  const std::string_view rest = cursor_.rest();
  std::size_t length = 0;
  if (rest.empty() || is_digit(rest[0])) return false;
  while (length < rest.size() && is_name(rest[length])) ++length;
  if (length == 0) return false;
  const auto behind = rest.substr(length, 2);
  return behind.starts_with('=') || behind == "+=";
}

void ShellReader::take_assignment() {
  const auto begin = cursor_.at();
  while (is_name(cursor_.peek())) cursor_.advance();
  PendingCommand::Assignment assignment{.name = std::string(cursor_.since(begin))};
  assignment.append = cursor_.peek() == '+';
  cursor_.advance(assignment.append ? 2 : 1);
  ShellVariable& variable = assignment.variable;
  if (cursor_.peek() == '(') {
    cursor_.advance();
    variable.array = true;
    variable.elements = words_.array().elements;
  } else {
    auto value = words_.value();
    variable.literal =
        value.literal && !assignment.append && part_.written != Command::Text::Derived;
    variable.elements = {std::move(value.value)};
  }
  variable.span = part_.span(begin, cursor_.at());
  begin_at(begin);
  end_at(cursor_.at());
  if (pending_.command.words.empty()) {
    const ShellValue value = variable.array ? ShellValue{} : variable.elements[0];
    pending_.command.environment.push_back({.name = assignment.name,
                                            .value = text_of(value),
                                            .span = variable.span,
                                            .literal = variable.literal,
                                            .complete = is_complete(value)});
  }
  // A command that follows has it in its environment; alone it is set for what comes after. A=1
  // B=$A sees A at once.
  if (pending_.command.words.empty()) {
    if (!std::exchange(pending_.sees_assignments, true))
      context_.variables.open(ShellVariables::Scope::Subshell);
    if (!assignment.append) context_.variables.set(assignment.name, variable);
  }
  if (pending_.assignments.size() == kMostWords) {
    context_.too_many = true;
    context_.too_many_what = {"a command has more than 65536 assignments",
                              "一条命令的赋值超过 65536 个"};
    return;
  }
  pending_.assignments.push_back(std::move(assignment));
}

void ShellReader::stop_seeing_assignments() {
  if (std::exchange(pending_.sees_assignments, false)) context_.variables.close();
}

void ShellReader::begin_at(std::size_t at) {
  if (pending_.begun) return;
  pending_.begun = true;
  pending_.command.source = part_.source;
  pending_.command.written = part_.written;
  pending_.command.span = part_.span(at, at);
  pending_.command.environment_at = pending_.command.span.begin;
  pending_.command.line = line_of(pending_.command.span.begin);
}

void ShellReader::end_at(std::size_t at) { pending_.command.span.end = part_.span(at, at).end; }

void ShellReader::step_word() {
  if (!pending_.begun && cursor_.starts_with("[[") && ends_shell_word(cursor_.peek(2)))
    return skip_test();
  const auto begin = cursor_.at();
  stop_seeing_assignments();
  auto read = words_.word();
  if (read.bare && read.words.size() == 1 && take_keyword(read.words[0].text)) return;
  begin_at(begin);
  end_at(cursor_.at());
  auto& words = pending_.command.words;
  for (auto& word : read.words) {
    if (words.size() == kMostWords) {
      context_.too_many = true;
      context_.too_many_what = {"a command has more than 65536 words", "一条命令的词超过 65536 个"};
      return;
    }
    word.blank = blank_;
    words.push_back(std::move(word));
    pending_.bare.push_back(read.bare);
  }
}

// Inside [[ … ]] the signs < > && || ( ) are no operators.
void ShellReader::skip_test() {
  const auto begin = cursor_.at();
  const std::string_view rest = cursor_.rest();
  const auto line = std::min(rest.find_first_of("\r\n"), rest.size());
  auto end = rest.substr(0, line).find(" ]]");
  end = end == std::string_view::npos ? line : end + 3;
  cursor_.advance(end);
  remember_test(cursor_.since(begin));
  pending_.begun = pending_.discarded = pending_.is_test = true;
}

// [ -z "$X" ] && X=1 is how defaults are written. Only a test of one variable is taken for that.
void ShellReader::remember_test(std::string_view test) {
  tested_empty_.clear();
  tested_filled_.clear();
  for (const bool filled : {false, true}) {
    const auto at = test.find(filled ? " -n " : " -z ");
    if (at == std::string_view::npos) continue;
    const auto name = test.find_first_not_of(" \"${", at + 3);
    std::size_t length = 0;
    while (name != std::string_view::npos && name + length < test.size() &&
           is_name(test[name + length]))
      ++length;
    if (length > 0)
      (filled ? tested_filled_ : tested_empty_).emplace_back(test.substr(name, length));
  }
}

void ShellReader::open(Block block) {
  blocks_.push_back(block);
  context_.variables.open(block == Block::Subshell ? ShellVariables::Scope::Subshell
                                                   : ShellVariables::Scope::Branch);
}

void ShellReader::close(Block block) {
  if (blocks_.empty() || blocks_.back() != block) return;
  blocks_.pop_back();
  context_.variables.close();
}

// Words that are part of the grammar where a command may begin. False: an ordinary word.
bool ShellReader::take_keyword(const std::string& word) {
  if (pending_.discarded && word == "in" && !blocks_.empty() && blocks_.back() == Block::Case) {
    pending_ = {};
    expects_pattern_ = true;
    return true;
  }
  if (pending_.begun) return false;
  if (word == "if" || word == "while" || word == "until") {
    open(Block::Branch);
  } else if (word == "for" || word == "select") {
    open(Block::Branch);
    cursor_.skip_blanks();
    if (is_name(cursor_.peek())) {
      const auto name = words_.word();
      if (!name.words.empty()) context_.variables.set(name.words[0].text, {.unknown = true});
    }
    pending_.begun = pending_.discarded = true;
  } else if (word == "case") {
    open(Block::Case);
    pending_.begun = pending_.discarded = true;
  } else if (word == "then") {
    for (auto& name : tested_empty_) context_.variables.branch_if_empty(std::move(name));
    tested_empty_.clear();
  } else if (word == "else" || word == "elif") {
    if (!blocks_.empty() && blocks_.back() == Block::Branch) context_.variables.next_branch();
  } else if (word == "fi" || word == "done" || word == "esac") {
    close(word == "esac" ? Block::Case : Block::Branch);
    pending_.begun = pending_.discarded = true;  // what follows is a redirection or nothing
  } else if (word == "function") {
    cursor_.skip_blanks();
    words_.word();
    cursor_.skip_blanks();
    if (cursor_.starts_with("()")) cursor_.advance(2);
    forget_positional(context_.variables);
  } else {
    if (word == "{") ++braces_;
    if (word == "}" && braces_ > 0) --braces_;
    return word == "do" || word == "{" || word == "!" || word == "coproc" || word == "}";
  }
  return true;
}

void ShellReader::take_case_pattern() {
  expects_pattern_ = false;
  if (cursor_.peek() == '(') cursor_.advance();
  const auto begin = cursor_.at();
  while (!cursor_.done() && cursor_.peek() != ')') {
    if (!ends_shell_word(cursor_.peek())) {
      const auto word = words_.word();
      const bool ends = cursor_.since(begin) == "esac" && word.bare;
      if (!ends) continue;
      close(Block::Case);
      pending_.begun = pending_.discarded = true;
      return;
    }
    if (cursor_.at_line_end()) return;  // no pattern spans lines: back to commands
    cursor_.advance();
  }
  cursor_.advance();
}

}  // namespace sx
