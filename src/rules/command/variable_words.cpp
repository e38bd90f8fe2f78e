// Settings of a launch, seen from the rules about them.
#include "rules/command/variable_words.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "facts/secret_names.h"
#include "rules/command/flag_words.h"

namespace sx::rules {
namespace {

constexpr Text kDrop{"without {name}, which changes nothing", "去掉 {name}，效果不变"};

// A launch script sets a few; a hostile one must not cost more than its size.
constexpr std::size_t kMostSettings = 400;

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool one_of(std::string_view value, std::span<const std::string_view> words) {
  return std::ranges::find(words, lower(trimmed(value))) != words.end();
}

}  // namespace

std::vector<const Setting*> own_settings(const Case& c) {
  std::vector<const Setting*> found;
  const auto& all = c.command.environment;
  for (auto one = all.rbegin(); one != all.rend() && found.size() < kMostSettings; ++one) {
    const bool later =
        std::ranges::any_of(found, [&](const Setting* other) { return other->name == one->name; });
    if (!later) found.push_back(&*one);
  }
  std::erase_if(found, [](const Setting* one) { return one->span.source < 0; });
  std::ranges::reverse(found);
  return found;
}

bool sets(const Case& c, std::string_view name) {
  return std::ranges::any_of(c.command.environment,
                             [name](const Setting& one) { return one.name == name; });
}

std::string shown_setting(const Setting& setting) {
  return setting.name + '=' +
         (names_secret(setting.name) ? std::string("…") : shown({}, setting.value));
}

bool somebody_reads(const Case& c, std::string_view name) {
  return find_variable(c.serve.engine, name) != nullptr || find_library_variable(name) != nullptr;
}

bool used_in_text(const Case& c, const Span& place, std::string_view name) {
  if (place.source < 0 || name.empty()) return false;
  const std::string_view text = c.sources->at(place.source).text;
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool asked =
        at > 0 && (text[at - 1] == '$' || (at > 1 && text[at - 1] == '{' && text[at - 2] == '$'));
    const bool whole = at + name.size() >= text.size() || !in_name(text[at + name.size()]);
    if (asked && whole) return true;
  }
  return false;
}

bool says_on(std::string_view value) {
  static constexpr std::array<std::string_view, 8> kWords{"true", "yes",    "on",      "y",
                                                          "t",    "enable", "enabled", "1"};
  return one_of(value, kWords);
}

bool says_off(std::string_view value) {
  static constexpr std::array<std::string_view, 8> kWords{"false", "no",      "off",      "n",
                                                          "f",     "disable", "disabled", "0"};
  return one_of(value, kWords);
}

void propose_without(Complaint& complaint, const Setting& setting) {
  complaint.proposals.push_back({.title = {kDrop, {{"name", setting.name}}},
                                 .changes = {remove_environment(setting.name)},
                                 .safety = Safety::Safe});
}

void mark_setting(Diagnostic& d, const Setting& setting, Message label) {
  mark(d, setting.span, std::move(label));
}

}  // namespace sx::rules
