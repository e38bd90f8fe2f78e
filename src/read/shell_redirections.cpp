// Redirections and here-documents: they stand beside a command's words and are none.
#include <algorithm>
#include <utility>

#include "read/shell_reader.h"

namespace sx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

// <(cmd) and >(cmd) as a word of the command: what it stands for is a name that the shell makes up.
bool ShellReader::take_process_substitution() {
  if (!cursor_.starts_with("<(") && !cursor_.starts_with(">(")) return false;
  const auto begin = cursor_.at();
  cursor_.advance(2);
  const bool closed = cursor_.skip_nested(')');
  const Span span = part_.span(begin, cursor_.at());
  context_.note(closed ? ShellNote::Kind::Substitution : ShellNote::Kind::UnclosedQuote, span);
  begin_at(begin);
  end_at(cursor_.at());
  pending_.command.words.push_back({.text = std::string(cursor_.since(begin)),
                                    .span = span,
                                    .literal = false,
                                    .complete = false,
                                    .blank = blank_});
  pending_.bare.push_back(false);
  return true;
}

// "2>&", "<<-": empty when there is no redirection here.
std::string ShellReader::redirection_sign() const {
  const std::string_view rest = cursor_.rest();
  constexpr std::string_view kSigns[] = {"&>>", "&>", "<<<", "<<-", "<<", "<>",
                                         "<&",  ">>", ">&",  ">|",  "<",  ">"};
  std::size_t digits = 0;
  while (digits < rest.size() && is_digit(rest[digits])) ++digits;
  for (const auto sign : kSigns) {
    const bool here = rest.substr(digits).starts_with(sign);
    if (here && (digits == 0 || sign[0] != '&'))
      return std::string(rest.substr(0, digits + sign.size()));
  }
  return {};
}

// 2>&1, > x, &> x, >> x, < x, << EOF, <<< word; the target is no word of the command.
bool ShellReader::take_redirection() {
  if (take_process_substitution()) return true;
  std::string sign = redirection_sign();
  if (sign.empty()) return false;
  begin_at(cursor_.at());
  cursor_.advance(sign.size());
  cursor_.skip_blanks();
  take_target(std::move(sign));
  return true;
}

void ShellReader::take_target(std::string sign) {
  const std::string_view kind =
      std::string_view(sign).substr(std::min(sign.find_first_not_of("0123456789"), sign.size()));
  auto& after = pending_.command.after;
  const auto begin = cursor_.at();
  if (kind == "<<" || kind == "<<-") {
    if (cursor_.done() || ends_shell_word(cursor_.peek())) return;
    words_.word();
    std::string delimiter(cursor_.since(begin));
    std::erase_if(delimiter, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
    after.push_back(sign + delimiter);
    here_documents_.emplace_back(std::move(delimiter), kind == "<<-");
    return;
  }
  std::string target;
  if (cursor_.starts_with(">(") || cursor_.starts_with("<(")) {
    cursor_.advance(2);
    if (!cursor_.skip_nested(')'))
      context_.note(ShellNote::Kind::UnclosedQuote, part_.span(begin, cursor_.at()));
    target = cursor_.since(begin);
  } else if (!cursor_.done() && !ends_shell_word(cursor_.peek())) {
    const auto word = words_.word();
    for (const auto& part : word.words) target += part.text;
  }
  if (kind.ends_with('&')) {
    after.push_back(sign + target);
    return;
  }
  after.push_back(std::move(sign));
  if (!target.empty()) after.push_back(std::move(target));
}

// The lines up to each delimiter belong to no command.
void ShellReader::take_here_documents() {
  for (const auto& [delimiter, strips_tabs] : here_documents_) {
    const auto begin = cursor_.at();
    bool closed = false;
    while (!cursor_.done() && !closed) {
      std::string_view line = cursor_.take_line();
      while (strips_tabs && line.starts_with('\t')) line.remove_prefix(1);
      closed = line == delimiter;
    }
    if (!closed) context_.note(ShellNote::Kind::UnclosedQuote, part_.span(begin, cursor_.at()));
  }
  here_documents_.clear();
}

}  // namespace sx
