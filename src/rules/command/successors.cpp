// The successor of the table is a name, a name with a value, or words; words are said in both
// languages here.
#include "rules/command/successors.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "knowledge/traits.h"
#include "rules/command/flag_words.h"
#include "rules/model/rope_override.h"

namespace sx::rules {
namespace {

constexpr Text kInstead{"use {name} instead of {flag}", "把 {flag} 换成 {name}"};
constexpr Text kLeaveOut{"leave {flag} out", "去掉 {flag}"};
constexpr Text kLeaveOutBecause{"leave {flag} out: {reason}", "去掉 {flag}：{reason}"};
constexpr Text kWaitFor{"leave {flag} out; it needs {version} or newer",
                        "去掉 {flag}；它需要 {version} 或更新的版本"};
constexpr Text kOlderName{"use {name}, its name in this version", "改用这个版本里的名字 {name}"};

// How the table begins such words.
constexpr std::string_view kLeave = "leave it out: ";
constexpr std::string_view kLeaveChinese = "去掉它：";

Proposal leave_out(const FlagUse& use) {
  return {.title = {kLeaveOut, {{"flag", use.typed}}}, .changes = {remove_flag(use.name)}};
}

// "leave it out: it belonged to the V0 engine" with the reason in both languages.
Proposal leave_out_because(const FlagUse& use, std::string_view english, std::string_view chinese) {
  Proposal proposal = leave_out(use);
  if (!english.starts_with(kLeave) || !chinese.starts_with(kLeaveChinese)) return proposal;
  Both reason{std::string(english.substr(kLeave.size())),
              std::string(chinese.substr(kLeaveChinese.size()))};
  proposal.title = {kLeaveOutBecause, {{"flag", use.typed}, {"reason", std::move(reason)}}};
  return proposal;
}

// "--x", "--x value" or "--x value --y value" in the place of flag and value.
Proposal words_instead(const FlagUse& use, std::string_view words) {
  Proposal proposal{.title = {kInstead, {{"name", words}, {"flag", use.typed}}},
                    .changes = {remove_flag(use.name)}};
  const auto parts = split(words, ' ');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool value = i + 1 < parts.size() && !parts[i + 1].starts_with("--");
    if (value) {
      proposal.changes.push_back(set_flag(std::string(parts[i]), std::string(parts[i + 1])));
      ++i;
    } else {
      proposal.changes.push_back(add_switch(std::string(parts[i])));
    }
  }
  return proposal;
}

// "put it into --hf-overrides '{"rope_theta": ...}'": the value in the place of the dots.
std::optional<Proposal> put_into(const Case& c, const FlagUse& use, std::string_view successor) {
  const auto flag = successor.find("--");
  const auto json = successor.find(" '");
  const auto dots = successor.find("...");
  if (flag == std::string_view::npos || json == std::string_view::npos ||
      dots == std::string_view::npos)
    return {};
  if (use.values.size() != 1 || !successor.ends_with('\'')) return {};
  const std::string name(successor.substr(flag, json - flag));
  if (c.serve.use_of(name) != nullptr) return {};  // two texts would have to become one
  const std::string_view inner = successor.substr(json + 2, successor.size() - json - 3);
  std::string value = replaced(inner, "...", use.values.front());
  if (use.name == "--rope-scaling" && trait(c.serve.engine, "yarn-flag", c.serve.version) == name) {
    // There the object takes the place of all of the config's: the base of the rotations must be in
    // it.
    auto whole = override_of_rope_scaling(c, use.values.front());
    if (!whole) return {};
    value = *std::move(whole);
  }
  return Proposal{.title = {kInstead, {{"name", name}, {"flag", use.typed}}},
                  .changes = {remove_flag(use.name), set_flag(name, value)}};
}

// A flag that other versions call so: its row's successor is this one.
const FlagRow* older_name(const Case& c, const FlagRow& row) {
  const EngineFlags* flags = engine_flags(c.serve.engine);
  if (flags == nullptr) return nullptr;
  const auto found = std::ranges::find_if(flags->rows, [&](const FlagRow& other) {
    return other.successor == row.name &&
           flags->standing(other, c.serve.version) == Standing::Known;
  });
  return found == flags->rows.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Proposal> in_place_of_removed(const Case& c, const FlagRow& row, const FlagUse& use) {
  std::vector<Proposal> proposals;
  if (use.negated) return {leave_out(use)};
  const std::string value = use.values.empty() ? std::string() : use.values.front();
  const auto by_value =
      trait(c.serve.engine, "successor " + std::string(row.name) + ' ' + value, c.serve.version);
  const std::string_view successor = by_value.value_or(row.successor);
  if (successor.starts_with(kLeave)) {
    return {
        leave_out_because(use, successor, by_value ? std::string_view{} : row.successor_chinese)};
  }
  if (successor.starts_with("--") && successor.find(' ') == std::string_view::npos) {
    proposals.push_back({.title = {kInstead, {{"name", successor}, {"flag", use.typed}}},
                         .changes = {rename_flag(use.name, std::string(successor))},
                         .safety = Safety::Safe});
  } else if (successor.starts_with("--")) {
    proposals.push_back(words_instead(use, successor));
  } else if (auto inside = put_into(c, use, successor)) {
    proposals.push_back(*std::move(inside));
  }
  proposals.push_back(leave_out(use));
  proposals.back().safety = Safety::Trades;
  return proposals;
}

std::vector<Proposal> in_place_of_newer(const Case& c, const FlagRow& row, const FlagUse& use) {
  std::vector<Proposal> proposals;
  const FlagRow* older = use.negated ? nullptr : older_name(c, row);
  if (older != nullptr) {
    proposals.push_back(
        {.title = {kOlderName, {{"name", older->name}}},
         .changes = {rename_flag(use.name, with_path(std::string(older->name), use))},
         .safety = Safety::Safe});
  }
  const std::string first = row.first_seen ? row.first_seen->text() : std::string();
  proposals.push_back({.title = {kWaitFor, {{"flag", use.typed}, {"version", first}}},
                       .changes = {remove_flag(use.name)},
                       .safety = Safety::Trades});
  return proposals;
}

}  // namespace sx::rules
