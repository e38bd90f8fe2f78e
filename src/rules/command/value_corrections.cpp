// Numbers with separators, units and percent signs; switches with a truth word; choices that are
// spelled nearly right.
#include "rules/command/value_corrections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/strings.h"
#include "facts/secret_names.h"
#include "rules/command/flag_words.h"
#include "rules/command/json_corrections.h"

namespace sx::rules {
namespace {

constexpr Text kWrite{"write {value}", "改写为 {value}"};
constexpr Text kWithoutValue{"leave {value} out: the flag alone turns it on",
                             "去掉 {value}：只写参数本身就是启用"};
constexpr Text kTurnsOff{"use {name}, which turns it off", "改用 {name} 来关闭"};
constexpr Text kOffAnyway{"leave {flag} out: without it, it is off", "去掉 {flag}：不写就是关闭"};
constexpr Text kLaterCounts{"leave this {flag} out; it stands again, and the later one counts",
                            "去掉这个 {flag}；后面还有一个，以后面的为准"};
constexpr Text kLeaveOut{"leave {flag} out", "去掉 {flag}"};
constexpr Text kLeaveOutFor{"leave {flag} out; its default is {value}",
                            "去掉 {flag}，取默认值 {value}"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// "32,768" and "1 000 000": groups of three behind the first.
std::optional<std::string> without_separators(std::string_view text) {
  for (const char separator : {',', ' ', '\'', '.'}) {
    const auto groups = split(text, separator);
    if (groups.size() < 2 || !all_digits(groups.front()) || groups.front().size() > 3) continue;
    const bool threes = std::all_of(groups.begin() + 1, groups.end(), [](std::string_view group) {
      return group.size() == 3 && all_digits(group);
    });
    // One point alone is a decimal one: 1.500 is not plainly 1500.
    if (threes && (separator != '.' || groups.size() > 2))
      return replaced(text, std::string(1, separator), "");
  }
  return {};
}

std::optional<double> unit(char letter) {
  constexpr std::string_view kThousands = "kmgt";
  constexpr std::string_view kBinary = "KMGT";
  if (const auto at = kThousands.find(letter); at != std::string_view::npos)
    return std::pow(1000.0, static_cast<double>(at + 1));
  if (const auto at = kBinary.find(letter); at != std::string_view::npos)
    return std::pow(1024.0, static_cast<double>(at + 1));
  return {};
}

std::optional<std::string> whole(double number) {
  const bool fits =
      std::abs(number) < static_cast<double>(std::numeric_limits<std::int64_t>::max());
  if (!fits || std::floor(number) != number) return {};
  return std::to_string(static_cast<std::int64_t>(number));
}

// Short names of number formats that people use everywhere else.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFormats{
    {{"fp16", "float16"}, {"bf16", "bfloat16"}, {"fp32", "float32"}}};

void propose_value(const Case& c, const FlagProblem& problem, const FlagUse& use,
                   const std::string& value, std::vector<Proposal>& proposals) {
  const auto change = with_value(c, use, problem.value, value);
  if (!change || value == problem.value) return;
  proposals.push_back({.title = {kWrite, {{"value", shown(use.name, value)}}},
                       .changes = {*change},
                       .safety = Safety::Safe});
}

bool says_no(std::string_view value) {
  static constexpr std::array<std::string_view, 5> kNo{"false", "no", "off", "0", "f"};
  return std::ranges::find(kNo, lower(value)) != kNo.end();
}

// A switch that was given a value: the value goes, or the switch is turned round.
std::vector<Proposal> better_switch(const FlagProblem& problem, const FlagUse& use,
                                    const FlagRow& row) {
  std::vector<Proposal> proposals;
  std::vector<Change> drop;
  for (std::size_t i = 1; i < use.word_count; ++i) drop.push_back(remove_word(use.first_word + i));
  if (says_no(problem.value) && !use.negated) {
    if (row.negatable) {
      const std::string name = "--no-" + std::string(row.name.substr(2));
      std::vector<Change> changes = drop;
      changes.push_back(replace_word(use.first_word, name));
      proposals.push_back({.title = {kTurnsOff, {{"name", name}}},
                           .changes = std::move(changes),
                           .safety = Safety::Safe});
    } else {
      proposals.push_back({.title = {kOffAnyway, {{"flag", use.typed}}},
                           .changes = {remove_flag(use.name)},
                           .safety = Safety::Safe});
    }
    return proposals;
  }
  drop.push_back(replace_word(use.first_word, use.typed));
  proposals.push_back({.title = {kWithoutValue, {{"value", shown(use.name, problem.value)}}},
                       .changes = std::move(drop),
                       .safety = Safety::Safe});
  return proposals;
}

// An earlier use of a flag that stands again: without it, the later one is what counts anyway.
void propose_later_use(const Case& c, const FlagUse& use, std::vector<Proposal>& proposals) {
  const FlagUse* last = c.serve.use_of(use.name);
  if (last == nullptr || last == &use || last->word_count == 0) return;
  Proposal proposal{
      .title = {kLaterCounts, {{"flag", use.typed}}}, .changes = {}, .safety = Safety::Safe};
  for (std::size_t i = 0; i < use.word_count; ++i)
    proposal.changes.push_back(remove_word(use.first_word + i));
  proposals.push_back(std::move(proposal));
}

}  // namespace

std::vector<std::string> near_choices(const FlagRow& row, std::string_view value) {
  // A choice of another version is a thing of its own, and no slip for a name that is near it.
  if (std::ranges::find(row.choices, value) != row.choices.end()) return {};
  const std::string word = lower(trimmed(value));
  std::vector<std::string> near;
  const auto add = [&](std::string_view choice) {
    const bool there = std::ranges::find(row.choices, choice) != row.choices.end();
    if (there && std::ranges::find(near, choice) == near.end()) near.emplace_back(choice);
  };
  for (const auto& [shorter, name] : kFormats) {
    if (word == shorter) add(name);
  }
  for (const std::string_view choice : row.choices) {
    if (lower(choice) == word) add(choice);
  }
  for (const std::string& choice : closest(word, row.choices, 2)) add(choice);
  return near;
}

std::optional<Change> with_value(const Case& c, const FlagUse& use, std::string_view old_value,
                                 const std::string& value) {
  if (use.word_count == 0) return {};
  const auto& words = c.command.words;
  for (std::size_t i = use.first_word + 1; i < use.first_word + use.word_count; ++i) {
    if (words[i].text == old_value) return replace_word(i, value);
  }
  const std::string& first = words[use.first_word].text;
  if (use.word_count > 1 || old_value.empty() || !first.ends_with(old_value)) return {};
  return replace_word(use.first_word, first.substr(0, first.size() - old_value.size()) + value);
}

std::optional<std::string> plain_integer(std::string_view text) {
  text = trimmed(text);
  if (auto digits = without_separators(text)) return digits;
  if (text.ends_with("B") || text.ends_with("b")) text.remove_suffix(1);
  if (text.ends_with("i")) text.remove_suffix(1);
  if (text.empty()) return {};
  if (const auto times = unit(text.back())) {
    const auto number = to_number(text.substr(0, text.size() - 1));
    return number ? whole(*number * *times) : std::nullopt;
  }
  const auto number = to_number(text);
  return number ? whole(*number) : std::nullopt;
}

std::optional<std::string> plain_number(std::string_view text) {
  text = trimmed(text);
  if (text.ends_with('%')) {
    const auto percent = to_number(text.substr(0, text.size() - 1));
    return percent ? std::optional(fmt::format("{:.2f}", *percent / 100)) : std::nullopt;
  }
  const std::string point = replaced(text, ",", ".");
  return std::ranges::count(point, '.') == 1 && to_number(point) ? std::optional(point)
                                                                 : std::nullopt;
}

Proposal without_flag(const Case& c, const FlagUse& use, const FlagRow& row) {
  const auto known = engine_default(c.serve.engine, row.name.substr(2), c.serve.version);
  const std::string_view value = known ? known->value : row.default_text;
  const bool says =
      !value.empty() && value != "None" && value.size() < 20 && row.kind != FlagKind::Json;
  return {.title = says ? Message{kLeaveOutFor, {{"flag", use.typed}, {"value", value}}}
                        : Message{kLeaveOut, {{"flag", use.typed}}},
          .changes = {remove_flag(use.name)},
          .safety = Safety::Trades};
}

std::vector<Proposal> better_values(const Case& c, const FlagProblem& problem, const FlagUse& use,
                                    const FlagRow& row) {
  if (problem.kind == FlagProblem::Kind::UnwantedValue) return better_switch(problem, use, row);
  std::vector<Proposal> proposals;
  propose_later_use(c, use, proposals);
  if (problem.kind == FlagProblem::Kind::WrongType) {
    const auto value =
        row.kind == FlagKind::Integer ? plain_integer(problem.value) : plain_number(problem.value);
    if (value) propose_value(c, problem, use, *value, proposals);
  } else if (problem.kind == FlagProblem::Kind::NotAChoice) {
    for (const std::string& choice : near_choices(row, problem.value))
      propose_value(c, problem, use, choice, proposals);
  } else if (problem.kind == FlagProblem::Kind::BadJson) {
    proposals = better_json(c, problem, use, row);
    if (unquoted_json(c, use))
      return proposals;  // without the flag the rest of its value would still be there
  }
  if (!names_secret(row.name)) proposals.push_back(without_flag(c, use, row));
  return proposals;
}

}  // namespace sx::rules
