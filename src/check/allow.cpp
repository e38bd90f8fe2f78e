// An allowance needs a reason, so that whoever reads the file later can judge it.
#include "check/allow.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "base/utf8.h"

namespace sx {
namespace {

constexpr std::size_t kMostAllowances = 256;  // a file that needs more has another trouble
constexpr std::size_t kMostShown = 60;        // bytes of a hostile word in an error
constexpr std::string_view kMark = "sextant:";

constexpr Text kNoReason{"the allowance of {code} has no reason: write {code}=REASON",
                         "对 {code} 的放行没有写理由：应写成 {code}=理由"};
constexpr Text kNoRule{"no rule is called '{word}', so it cannot be allowed",
                       "没有名为 '{word}' 的规则，无法放行"};
constexpr Text kNearest{"{sentence}; the nearest: {names}", "{sentence}；最接近的是：{names}"};
constexpr Text kInLine{"{file}, line {line}: {what}", "{file} 第 {line} 行：{what}"};
constexpr Text kTooMany{"more than {most} allowances", "放行条目超过 {most} 条"};

const Rule* rule_named(std::string_view word, std::span<const Rule* const> rules) {
  const std::string wanted = lower(word);
  const auto found = std::ranges::find_if(rules, [&wanted](const Rule* rule) {
    return lower(rule->code) == wanted || rule->name == wanted;
  });
  return found == rules.end() ? nullptr : *found;
}

Error no_rule(std::string_view word, std::span<const Rule* const> rules) {
  std::vector<std::string_view> names;
  for (const Rule* rule : rules) {
    names.push_back(rule->code);
    names.push_back(rule->name);
  }
  const Message sentence{kNoRule, {{"word", valid_utf8(word.substr(0, kMostShown))}}};
  const auto near = closest(word.substr(0, kMostShown), names, 2);
  if (near.empty()) return {Error::Kind::Usage, in_both(sentence)};
  return {Error::Kind::Usage,
          in_both({kNearest, {{"sentence", in_both(sentence)}, {"names", join(near, ", ")}}})};
}

Result<Allowance> allowance(std::string_view word, std::string_view because,
                            std::span<const Rule* const> rules) {
  const Rule* rule = rule_named(trimmed(word), rules);
  if (rule == nullptr) return std::unexpected(no_rule(trimmed(word), rules));
  because = trimmed(because);
  if (because.empty())
    return fail(Error::Kind::Usage, in_both({kNoReason, {{"code", rule->code}}}));
  return Allowance{std::string(rule->code), valid_utf8(because)};
}

// What stands behind `# sextant: allow ` in a comment; empty: this line is none.
std::string_view allowed_in(std::string_view line) {
  const auto hash = line.find('#');
  if (hash == std::string_view::npos) return {};
  std::string_view rest = trimmed(line.substr(hash + 1));
  if (!rest.starts_with(kMark)) return {};
  rest = trimmed(rest.substr(kMark.size()));
  if (!rest.starts_with("allow ")) return {};
  return trimmed(rest.substr(6));
}

}  // namespace

Result<Allowance> parse_allowance(std::string_view text, std::span<const Rule* const> rules) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return allowance(text, {}, rules);
  return allowance(text.substr(0, equals), text.substr(equals + 1), rules);
}

Result<std::vector<Allowance>> allowances_in(const Source& source,
                                             std::span<const Rule* const> rules) {
  std::vector<Allowance> found;
  int number = 0;
  for (const std::string_view line : lines_of(source.text)) {
    ++number;
    const std::string_view said = allowed_in(line);
    if (said.empty()) continue;
    if (found.size() == kMostAllowances)
      return fail(Error::Kind::TooLarge, in_both({kTooMany, {{"most", kMostAllowances}}}));
    const auto end = said.find_first_of(" \t=");
    const std::string_view because =
        end == std::string_view::npos ? std::string_view() : said.substr(end + 1);
    auto one = allowance(said.substr(0, end), because, rules);
    if (!one) {
      return fail(Error::Kind::Usage,
                  in_both({kInLine,
                           {{"file", source.name.empty() ? std::string("-") : source.name},
                            {"line", number},
                            {"what", one.error().words()}}}));
    }
    found.push_back(std::move(*one));
  }
  return found;
}

void apply_allowances(std::span<Outcome* const> outcomes,
                      const std::vector<Allowance>& allowances) {
  std::set<std::string_view> used;
  for (Outcome* outcome : outcomes) {
    std::vector<Diagnostic> kept;
    for (Diagnostic& diagnostic : outcome->diagnostics) {
      const auto allowed = std::ranges::find(allowances, diagnostic.code, &Allowance::code);
      if (allowed == allowances.end()) {
        kept.push_back(std::move(diagnostic));
        continue;
      }
      used.insert(allowed->code);
      outcome->allowed.push_back({std::move(diagnostic), allowed->because});
    }
    outcome->diagnostics = std::move(kept);
  }
  if (outcomes.empty()) return;
  for (const Allowance& allowance : allowances) {
    if (!used.contains(allowance.code))
      outcomes.front()->unused_allowances.push_back(allowance.code);
  }
}

}  // namespace sx
