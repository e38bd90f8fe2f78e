// A reader that descends by precedence; bounded in length, nodes and depth.
#include "knowledge/condition.h"

#include <array>
#include <utility>

#include "base/strings.h"

namespace sx {
namespace {

// A row of a table is a line that people read.
constexpr std::size_t kLongest = 2000;
constexpr std::size_t kMostNodes = 300;
constexpr int kDeepest = 40;

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

using Kind = Condition::Kind;
struct Operator {
  std::string_view sign;
  Kind kind;
};
// Longer signs first: "<=" is not "<".
constexpr std::array<Operator, 6> kComparisons{{{"!=", Kind::NotEqual},
                                                {"<=", Kind::AtMost},
                                                {">=", Kind::AtLeast},
                                                {"=", Kind::Equal},
                                                {"<", Kind::Less},
                                                {">", Kind::Greater}}};
constexpr std::array<Operator, 2> kSums{{{"+", Kind::Add}, {"-", Kind::Subtract}}};
constexpr std::array<Operator, 3> kProducts{
    {{"*", Kind::Multiply}, {"/", Kind::Divide}, {"%", Kind::Remainder}}};

}  // namespace

class ConditionReader {
 public:
  explicit ConditionReader(std::string_view text) : text_(text) {}

  std::optional<Condition> whole() {
    if (text_.size() > kLongest) return stop("too long");
    const auto root = any_of();
    if (!root) return {};
    blanks();
    if (at_ != text_.size()) return stop("something is left over");
    condition_.root_ = *root;
    return std::move(condition_);
  }

  const std::string& problem() const { return problem_; }

 private:
  using Index = std::optional<std::size_t>;

  std::nullopt_t stop(std::string_view why) {
    if (problem_.empty()) problem_ = std::string(why) + " at byte " + std::to_string(at_);
    return std::nullopt;
  }

  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool takes(std::string_view sign) {
    blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  Index add(Condition::Node node) {
    if (condition_.nodes_.size() == kMostNodes) return stop("too many parts");
    condition_.nodes_.push_back(std::move(node));
    return condition_.nodes_.size() - 1;
  }

  Index pair(Kind kind, std::size_t left, Index right) {
    if (!right) return {};
    return add({.kind = kind, .text = {}, .key = {}, .children = {left, *right}});
  }

  Index any_of() {
    if (++depth_ > kDeepest) return stop("too deep");
    auto left = all_of();
    while (left && takes("|")) left = pair(Kind::Or, *left, all_of());
    --depth_;
    return left;
  }

  Index all_of() {
    auto left = negation();
    while (left && takes("&")) left = pair(Kind::And, *left, negation());
    return left;
  }

  Index negation() {
    bool negated = false;
    while (!text_.substr(at_).starts_with("!=") && takes("!")) negated = !negated;
    auto inner = comparison();
    if (!inner || !negated) return inner;
    return add({.kind = Kind::Not, .text = {}, .key = {}, .children = {*inner}});
  }

  Index comparison() {
    auto left = sum();
    if (!left) return {};
    for (const auto& [sign, kind] : kComparisons) {
      if (takes(sign)) return pair(kind, *left, sum());
    }
    if (takes("in (")) return list(*left);
    return left;
  }

  // What stands in the brackets of `in`: numbers, 'texts' and bare words, which are texts here.
  Index list(std::size_t left) {
    Condition::Node node{.kind = Kind::In, .text = {}, .key = {}, .children = {left}};
    do {
      blanks();
      const std::size_t from = at_;
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')') ++at_;
      const auto word = trimmed(text_.substr(from, at_ - from));
      if (word.empty()) return stop("an empty place in a list");
      const auto number = to_number(word);
      const auto item = add({.kind = number ? Kind::Number : Kind::Text,
                             .number = number.value_or(0),
                             .text = word,
                             .key = {},
                             .children = {}});
      if (!item) return {};
      node.children.push_back(*item);
    } while (takes(","));
    if (!takes(")")) return stop("a list without its end");
    return add(std::move(node));
  }

  Index sum() {
    auto left = product();
    while (left) {
      const Operator* found = nullptr;
      for (const auto& one : kSums) {
        if (found == nullptr && takes(one.sign)) found = &one;
      }
      if (found == nullptr) return left;
      left = pair(found->kind, *left, product());
    }
    return left;
  }

  Index product() {
    auto left = otherwise();
    while (left) {
      const Operator* found = nullptr;
      for (const auto& one : kProducts) {
        if (found == nullptr && takes(one.sign)) found = &one;
      }
      if (found == nullptr) return left;
      left = pair(found->kind, *left, otherwise());
    }
    return left;
  }

  Index otherwise() {
    auto left = value();
    while (left && takes("??")) left = pair(Kind::Otherwise, *left, value());
    return left;
  }

  Index value() {
    blanks();
    if (at_ == text_.size()) return stop("something is missing");
    if (text_.substr(at_).starts_with("--")) return flag();
    const char c = text_[at_];
    if (c == '(') {
      ++at_;
      auto inner = any_of();
      if (inner && !takes(")")) return stop("a bracket without its end");
      return inner;
    }
    if (c == '\'') return quoted();
    if (c == '$') return variable();
    const bool negative = c == '-' && at_ + 1 < text_.size() && digit(text_[at_ + 1]);
    if (digit(c) || negative) return number(negative);
    if (letter(c)) return name();
    return stop("no value");
  }

  template <class Takes>
  std::string_view run(Takes is_part) {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }

  std::string_view key() {
    if (at_ == text_.size() || text_[at_] != '.') return {};
    ++at_;
    return run([](char c) { return letter(c) || digit(c) || c == '.'; });
  }

  Index flag() {
    const auto word = run([](char c) { return letter(c) || digit(c) || c == '-'; });
    return add({.kind = Kind::Flag, .text = word, .key = key(), .children = {}});
  }

  Index variable() {
    ++at_;
    const auto word = run([](char c) { return letter(c) || digit(c); });
    if (word.empty()) return stop("a variable without a name");
    return add({.kind = Kind::Variable, .text = word, .key = {}, .children = {}});
  }

  Index quoted() {
    ++at_;
    const auto word = run([](char c) { return c != '\''; });
    if (!takes("'")) return stop("a text without its end");
    return add({.kind = Kind::Text, .text = word, .key = {}, .children = {}});
  }

  Index number(bool negative) {
    const std::size_t from = at_;
    if (negative) ++at_;
    run([](char c) { return digit(c) || c == '.'; });
    const auto word = text_.substr(from, at_ - from);
    const auto read = to_number(word);
    if (!read) return stop("no number");
    return add({.kind = Kind::Number, .number = *read, .text = word, .key = {}, .children = {}});
  }

  Index name() {
    const auto word = run([](char c) { return letter(c) || digit(c); });
    if (at_ < text_.size() && text_[at_] == '(') return call(word);
    return add({.kind = Kind::Name, .text = word, .key = key(), .children = {}});
  }

  Index call(std::string_view function) {
    ++at_;
    Condition::Node node{.kind = Kind::Call, .text = function, .key = {}, .children = {}};
    do {
      const auto argument = any_of();
      if (!argument) return {};
      node.children.push_back(*argument);
    } while (takes(","));
    if (!takes(")")) return stop("a call without its end");
    return add(std::move(node));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Condition condition_;
  std::string problem_;
};

std::optional<Condition> Condition::read(std::string_view text, std::string* problem) {
  ConditionReader reader(text);
  auto condition = reader.whole();
  if (!condition && problem != nullptr) *problem = reader.problem();
  return condition;
}

}  // namespace sx
