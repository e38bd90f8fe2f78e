// Parameters and the operators on them that launch scripts use; others leave the word incomplete.
#include "read/shell_parameter.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace sx {
namespace {

constexpr int kDeepest = 16;  // of ${A:-${B:-…}}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// ##*/ and %/* and a literal end, the patterns that paths are cut with. Nothing for any other
// pattern.
std::optional<std::string> cut_text(std::string_view text, std::string_view sign,
                                    std::string_view pattern) {
  const bool front = sign[0] == '#';
  const bool longest = sign.size() == 2;
  const bool star = front ? pattern.starts_with('*') : pattern.ends_with('*');
  if (star) pattern = front ? pattern.substr(1) : pattern.substr(0, pattern.size() - 1);
  if (pattern.empty() || pattern.find_first_of("*?[\\\"'$`{") != std::string_view::npos) return {};
  if (!star) {
    if (front && text.starts_with(pattern)) text.remove_prefix(pattern.size());
    if (!front && text.ends_with(pattern)) text.remove_suffix(pattern.size());
    return std::string(text);
  }
  const bool from_front = front != longest;
  const auto at = from_front ? text.find(pattern) : text.rfind(pattern);
  if (at == std::string_view::npos) return std::string(text);
  return std::string(front ? text.substr(at + pattern.size()) : text.substr(0, at));
}

bool is_positional(std::string_view name) {
  return name.size() == 1 && std::string_view("@*123456789").contains(name[0]);
}

}  // namespace

void ShellParameterReader::read() {
  cursor_.advance();
  if (cursor_.peek() == '{') {
    cursor_.advance();
    return braces();
  }
  const auto begin = cursor_.at();
  if (is_name(cursor_.peek()) && !(cursor_.peek() >= '0' && cursor_.peek() <= '9')) {
    while (is_name(cursor_.peek())) cursor_.advance();
  } else {
    cursor_.advance();  // $1, $@, $?
  }
  name_ = cursor_.since(begin);
  if (look_up() == State::Known) return add_known();
  add_unknown();
}

void ShellParameterReader::take_name() {
  const auto begin = cursor_.at();
  while (is_name(cursor_.peek())) cursor_.advance();
  if (cursor_.at() == begin && std::string_view("@*#?$!-").contains(cursor_.peek()))
    cursor_.advance();
  name_ = cursor_.since(begin);
}

void ShellParameterReader::take_index() {
  if (cursor_.peek() != '[') return;
  const std::string_view rest = cursor_.rest();
  const auto close = rest.substr(0, 64).find(']');  // an index is short
  if (close == std::string_view::npos) {
    which_ = Which::Unreadable;
    return;
  }
  const std::string_view inside = rest.substr(1, close - 1);
  const auto number = to_integer(inside);
  which_ = inside == "@"   ? Which::All
           : inside == "*" ? Which::Joined
           : number        ? Which::Element
                           : Which::Unreadable;
  if (number) index_ = *number < 0 ? ~std::size_t{0} : static_cast<std::size_t>(*number);
  cursor_.advance(close + 1);
}

void ShellParameterReader::braces() {
  const bool count = cursor_.peek() == '#' && is_name(cursor_.peek(1));
  if (count) cursor_.advance();
  const bool indirect = cursor_.peek() == '!';
  if (indirect) cursor_.advance();
  take_name();
  take_index();
  if (indirect || name_.empty()) {
    close_brace();
    return add_unknown();
  }
  if (cursor_.peek() != '}') return count ? (close_brace(), add_unknown()) : operation();
  cursor_.advance();
  if (look_up() != State::Known) return add_unknown();
  return count ? add_count() : add_known();
}

ShellParameterReader::State ShellParameterReader::look_up() {
  values_.clear();
  if (is_positional(name_)) return look_up_positional();
  if (name_.empty() || !is_name(name_[0]) || (name_[0] >= '0' && name_[0] <= '9'))
    return State::Unknown;
  const ShellVariable* variable = context_.variables.find(name_);
  if (variable == nullptr) return State::Unset;
  if (variable->unknown || which_ == Which::Unreadable || context_.budget.spent())
    return State::Unknown;
  const auto& elements = variable->elements;
  if (which_ == Which::All || which_ == Which::Joined) {
    values_ = elements;
  } else if (index_ < elements.size()) {
    values_ = {elements[index_]};
  }
  for (const auto& value : values_) {
    for (const auto& piece : value) context_.budget.spend(piece.text.size() + sizeof(ShellPiece));
  }
  context_.budget.spend(sizeof(ShellPiece));
  return State::Known;
}

// Behind a word whose text is not known, "$@" of the script itself, the count is lost.
ShellParameterReader::State ShellParameterReader::look_up_positional() {
  const ShellVariable* variable = context_.variables.find(kPositional);
  if (variable == nullptr || variable->unknown || which_ != Which::Plain || context_.budget.spent())
    return State::Unknown;
  const auto& elements = variable->elements;
  if (name_ == "@" || name_ == "*") {
    which_ = name_ == "@" ? Which::All : Which::Joined;
    values_ = elements;
  } else {
    const auto index = static_cast<std::size_t>(name_[0] - '1');
    const auto before = std::min(index + 1, elements.size());
    const auto end = elements.begin() + static_cast<std::ptrdiff_t>(before);
    if (!std::all_of(elements.begin(), end, is_complete)) return State::Unknown;
    if (index < elements.size()) values_ = {elements[index]};
  }
  for (const auto& value : values_) {
    for (const auto& piece : value) context_.budget.spend(piece.text.size() + sizeof(ShellPiece));
  }
  return State::Known;
}

void ShellParameterReader::add_known() {
  const bool list = which_ == Which::All;
  if (values_.empty() && list && in_quotes_) word_.empty_list_ = !fields_.open();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (i > 0 && in_quotes_ && !list) fields_.add(" ");
    if (i > 0 && (list || !in_quotes_) && fields_.open()) fields_.next_field();
    if (in_quotes_) {
      fields_.touch();
      word_.too_long(fields_.add_value(values_[i]));
    } else {
      word_.too_long(fields_.add_split(values_[i]));
    }
  }
}

void ShellParameterReader::add_count() {
  const bool list = which_ == Which::All || which_ == Which::Joined;
  const std::size_t count = list              ? values_.size()
                            : values_.empty() ? 0
                                              : text_of(values_[0]).size();
  const bool complete = std::ranges::all_of(values_, is_complete);
  if (!complete) return add_unknown();
  fields_.add(std::to_string(count));
}

// As written, so that a message can show it.
void ShellParameterReader::add_unknown() {
  word_.too_long(fields_.add(cursor_.since(begin_), false));
  word_.note(ShellNote::Kind::UnknownVariable, begin_);
}

void ShellParameterReader::close_brace() {
  if (cursor_.skip_nested('}')) return;
  word_.note(ShellNote::Kind::UnclosedQuote, begin_);
}

void ShellParameterReader::operation() {
  constexpr std::array<std::string_view, 12> kOperations{":-", ":=", ":?", ":+", "##", "%%",
                                                         "-",  "=",  "?",  "+",  "#",  "%"};
  for (const auto operation : kOperations) {
    if (!cursor_.starts_with(operation)) continue;
    cursor_.advance(operation.size());
    if (operation[0] == '#' || operation[0] == '%') return cut(operation);
    return alternative(operation);
  }
  close_brace();
  add_unknown();
}

void ShellParameterReader::cut(std::string_view operation) {
  const auto begin = cursor_.at();
  close_brace();
  std::string_view pattern = cursor_.since(begin);
  if (pattern.ends_with('}')) pattern.remove_suffix(1);
  const bool one = which_ == Which::Plain || which_ == Which::Element;
  if (look_up() != State::Known || !one || values_.empty() || !is_complete(values_[0]))
    return add_unknown();
  auto text = cut_text(text_of(values_[0]), operation, pattern);
  if (!text) return add_unknown();
  values_[0] = {ShellPiece{*std::move(text)}};
  add_known();
}

void ShellParameterReader::alternative(std::string_view operation) {
  const char sign = operation.back();
  const bool empty_counts = operation.size() == 2;
  const State state = look_up();
  const bool all_known = std::ranges::all_of(values_, is_complete);
  const bool empty =
      std::ranges::all_of(values_, [](const ShellValue& value) { return text_of(value).empty(); });
  // An array that this text does not set is empty: arrays do not come from the environment.
  const bool surely_absent = (state == State::Known && all_known && empty && empty_counts) ||
                             (state == State::Known && values_.empty()) ||
                             (state == State::Unset && which_ != Which::Plain);
  const bool present = state == State::Known && !surely_absent && (!empty || !empty_counts);
  if (sign == '+' && present) return read_inner_word();
  if (sign == '+' && surely_absent) {
    if (in_quotes_) word_.empty_list_ = !fields_.open();
    return close_brace();
  }
  if (sign != '+' && present) {
    close_brace();
    return add_known();
  }
  // Not set in this text: the default holds, as the caller's environment is not asked.
  if (sign == '-' && state != State::Unknown) return read_inner_word();
  if (sign == '=' && state != State::Unknown) return assign_inner_word();
  if (sign == '-' && !name_.empty() && name_[0] >= '1' && name_[0] <= '9')
    return read_inner_word();  // ${1:-8}
  close_brace();
  add_unknown();
}

void ShellParameterReader::read_inner_word() {
  if (word_.depth_ >= kDeepest) {
    close_brace();
    word_.too_long(fields_.add(cursor_.since(begin_), false));
    return word_.note(ShellNote::Kind::TooDeep, begin_);
  }
  ++word_.depth_;
  if (in_quotes_) fields_.touch();
  word_.parts(fields_, ShellWordReader::Until::Brace);
  --word_.depth_;
  if (cursor_.done()) return word_.note(ShellNote::Kind::UnclosedQuote, begin_);
  cursor_.advance();
}

void ShellParameterReader::assign_inner_word() {
  ShellFields inner(ShellFields::Splitting::Off);
  ShellParameterReader reader(word_, inner, in_quotes_);
  reader.begin_ = begin_;
  reader.read_inner_word();
  ShellValue value = inner.finish_value();
  context_.variables.set(name_,
                         {.elements = {value}, .span = word_.part_.span(begin_, cursor_.at())});
  values_ = {std::move(value)};
  add_known();
}

}  // namespace sx
