// Values, and what is left of them behind a branch.
#include "read/shell_variables.h"

#include <algorithm>
#include <utility>

namespace sx {
namespace {

constexpr std::size_t kCostOfAPiece = 64;  // of copying what is not text

std::size_t cost(const ShellVariable& variable) {
  std::size_t bytes = kCostOfAPiece;
  for (const auto& element : variable.elements) {
    bytes += kCostOfAPiece;
    for (const auto& piece : element) bytes += piece.text.size() + kCostOfAPiece;
  }
  return bytes;
}

ShellVariable unknown_like(const ShellVariable& variable) {
  return {.array = variable.array,
          .unknown = true,
          .exported = variable.exported,
          .span = variable.span};
}

bool same_value(const ShellVariable& a, const ShellVariable& b) {
  return a.elements == b.elements && a.array == b.array && !a.unknown && !b.unknown;
}

bool is_empty(const ShellVariable& variable) {
  return std::ranges::all_of(variable.elements, [](const ShellValue& value) {
    return is_complete(value) && text_of(value).empty();
  });
}

// What `longer` has behind all of `before`; nothing when it does not begin with it.
std::optional<std::vector<ShellValue>> added_to(const ShellVariable& before,
                                                const ShellVariable& longer) {
  if (before.unknown || longer.unknown || before.array != longer.array) return {};
  if (before.array) {
    if (longer.elements.size() < before.elements.size()) return {};
    const auto [end, rest] = std::ranges::mismatch(before.elements, longer.elements);
    if (end != before.elements.end()) return {};
    return std::vector<ShellValue>(rest, longer.elements.end());
  }
  if (before.elements.empty() || longer.elements.empty()) return {};
  const std::string front = text_of(before.elements[0]);
  const std::string whole = text_of(longer.elements[0]);
  // "80" is no beginning of "8000", but "--a" is one of "--a --b".
  if (!whole.starts_with(front)) return {};
  const std::string rest = whole.substr(front.size());
  if (!front.empty() && !rest.empty() && rest[0] != ' ') return {};
  return std::vector<ShellValue>{{ShellPiece{rest}}};
}

// Blanks stay blanks, so that each word is unsure by itself.
void add_unsure_words(ShellValue& value, std::string_view text) {
  while (!text.empty()) {
    const auto blank = std::min(text.find_first_of(" \t\n"), text.size());
    if (blank > 0) add_piece(value, text.substr(0, blank), false);
    if (blank == text.size()) return;
    add_piece(value, text.substr(blank, 1), true);
    text.remove_prefix(blank + 1);
  }
}

void add_unsure(ShellVariable& variable, std::vector<ShellValue> more) {
  for (auto& value : more) {
    if (variable.array) {
      ShellValue unsure;
      add_piece(unsure, text_of(value), false);
      variable.elements.push_back(std::move(unsure));
    } else if (!text_of(value).empty()) {
      add_unsure_words(variable.elements[0], text_of(value));
    }
  }
}

}  // namespace

void add_piece(ShellValue& value, std::string_view text, bool complete) {
  if (!value.empty() && value.back().complete == complete) {
    value.back().text += text;
  } else {
    value.push_back({std::string(text), complete});
  }
}

std::string text_of(const ShellValue& value) {
  std::string text;
  for (const auto& piece : value) text += piece.text;
  return text;
}

bool is_complete(const ShellValue& value) {
  return std::ranges::all_of(value, &ShellPiece::complete);
}

const ShellVariable* ShellVariables::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

ShellVariables::Maybe ShellVariables::current(std::string_view name) const {
  const ShellVariable* found = find(name);
  return found == nullptr ? Maybe() : Maybe(*found);
}

bool ShellVariables::afford(const Maybe& variable) {
  return budget_.spend(variable ? cost(*variable) : kCostOfAPiece);
}

void ShellVariables::put(std::string_view name, Maybe variable) {
  if (!variable) {
    if (const auto found = values_.find(name); found != values_.end()) values_.erase(found);
    return;
  }
  values_.insert_or_assign(std::string(name), *std::move(variable));
}

// Before a change: the innermost frame remembers what was.
void ShellVariables::touch(std::string_view name) {
  if (frames_.empty()) return;
  auto& touched = frames_.back().touched;
  const auto known = touched.find(name);
  if (known != touched.end()) {
    known->second.in_this_branch = true;
    return;
  }
  const ShellVariable* now = find(name);
  if (!budget_.spend(now == nullptr ? kCostOfAPiece : cost(*now))) return;
  touched.emplace(std::string(name), Touched{.before = current(name), .in_this_branch = true});
}

void ShellVariables::set(std::string_view name, ShellVariable variable) {
  touch(name);
  const ShellVariable* old = find(name);
  const bool exported = name != kPositional && (variable.exported || export_everything_ ||
                                                (old != nullptr && old->exported));
  if (budget_.spent()) variable = unknown_like(variable);
  variable.exported = false;
  put(name, std::move(variable));
  if (exported) make_exported(name);
}

void ShellVariables::append(std::string_view name, ShellVariable more) {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    // What the caller's environment may hold in front of it is not known; an array cannot come from
    // there.
    if (!more.array && !more.elements.empty()) {
      more.elements[0].insert(more.elements[0].begin(), ShellPiece{'$' + std::string(name), false});
    }
    return set(name, std::move(more));
  }
  touch(name);
  ShellVariable& variable = found->second;
  variable.literal = false;
  if (budget_.spent() || variable.unknown || more.unknown) {
    variable = unknown_like(variable);
    return;
  }
  if (more.array) {
    variable.array = true;
    for (auto& element : more.elements) variable.elements.push_back(std::move(element));
    return;
  }
  if (more.elements.empty()) return;
  if (variable.elements.empty()) variable.elements.emplace_back();
  for (const auto& piece : more.elements[0])
    add_piece(variable.elements[0], piece.text, piece.complete);
}

void ShellVariables::unset(std::string_view name) {
  touch(name);
  put(name, {});
}

void ShellVariables::make_exported(std::string_view name) {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.exported) return;
  touch(name);
  found->second.exported = true;
  if (std::ranges::find(exported_, name) == exported_.end()) {
    // Each name costs a look at all of them.
    if (budget_.spend(kCostOfAPiece * (exported_.size() + 1))) exported_.emplace_back(name);
  }
}

void ShellVariables::open(Scope scope) { frames_.push_back({.scope = scope}); }

void ShellVariables::branch_if_empty(std::string name) {
  if (!frames_.empty()) frames_.back().if_empty.push_back(std::move(name));
}

void ShellVariables::next_branch() {
  if (frames_.empty() || frames_.back().scope != Scope::Branch) return;
  for (auto& [name, touched] : frames_.back().touched) {
    // A long case over many variables: each pattern looks at all that were touched.
    if (!budget_.spend(kCostOfAPiece)) return;
    if (!std::exchange(touched.in_this_branch, false) || !afford(touched.before)) continue;
    touched.outcomes.push_back(current(name));
    put(name, touched.before);
  }
}

ShellVariables::Maybe ShellVariables::merged(const Frame& frame, const std::string& name,
                                             Touched touched) {
  const Maybe& before = touched.before;
  if (touched.outcomes.empty()) return before;
  const Maybe& last = touched.outcomes.back();
  if (std::ranges::find(frame.if_empty, name) != frame.if_empty.end()) {
    if (!before) return last;
    if (!before->unknown) return is_empty(*before) ? last : before;
  }
  const ShellVariable some = last ? *last : before.value_or(ShellVariable{});
  if (!before) return unknown_like(some);
  Maybe result = before;
  for (const auto& outcome : touched.outcomes) {
    if (!afford(outcome)) return unknown_like(some);
    if (outcome && same_value(*outcome, *before)) continue;
    auto more = outcome ? added_to(*before, *outcome) : std::nullopt;
    if (!more) return unknown_like(some);
    add_unsure(*result, std::move(*more));
    result->literal = false;
  }
  return result;
}

void ShellVariables::close() {
  if (frames_.empty()) return;
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  for (auto& [name, touched] : frame.touched) {
    if (frame.scope == Scope::Subshell) {
      put(name, std::move(touched.before));
      continue;
    }
    if (touched.in_this_branch) touched.outcomes.push_back(current(name));
    Maybe before = touched.before;
    Maybe result = merged(frame, name, std::move(touched));
    if (!frames_.empty() && afford(before)) {
      auto& outer = frames_.back().touched;
      const auto known = outer.find(name);
      if (known == outer.end()) {
        outer.emplace(name, Touched{.before = std::move(before), .in_this_branch = true});
      } else {
        known->second.in_this_branch = true;
      }
    }
    put(name, std::move(result));
  }
}

}  // namespace sx
