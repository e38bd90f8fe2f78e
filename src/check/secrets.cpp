// A secret is found by the name in front of it, never by what it looks like.
#include "check/secrets.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "base/utf8.h"
#include "facts/secret_names.h"
#include "read/shell_words.h"

namespace sx {
namespace {

// A shorter value may be a part of any other word, so it is hidden only behind its own name.
constexpr std::size_t kTelling = 8;
constexpr std::string_view kHidden = "***";

// Long enough to be looked for anywhere, and whole letters, so that no other letter is cut.
bool tells_itself(const Secret& secret) {
  return secret.value.size() >= kTelling && is_valid_utf8(secret.value);
}

// Where a word's text begins with `head`, the bytes behind it; else all of the word. Nothing where
// the bytes only name a variable.
std::vector<Span> place_of_value(const Sources& sources, Span span, std::string_view head) {
  if (span.source < 0 || span.begin >= span.end) return {};
  const std::string_view text = sources.text(span);
  if (text.contains('$')) return {};
  if (const auto at = text.find(head); !head.empty() && at != std::string_view::npos)
    span.begin += at + head.size();
  return {span};
}

void add_flag(std::vector<Secret>& found, const Case& c, const FlagUse& use) {
  const auto& words = c.command.words;
  if (!use.complete || use.values.empty()) return;
  for (std::size_t i = 0; i < use.values.size(); ++i) {
    const std::string& value = use.values[i];
    if (value.empty()) continue;
    Secret secret{.name = use.typed, .value = value, .places = {}};
    const bool apart = use.word_count == use.values.size() + 1;
    const std::size_t word = use.first_word + (apart ? i + 1 : 0);
    if (use.word_count > 0 && word < words.size())
      secret.places =
          place_of_value(*c.sources, words[word].span, apart ? std::string_view{} : "=");
    found.push_back(std::move(secret));
  }
}

// "--api-key" → "${API_KEY:?}": the shell refuses the command while nobody has set it.
std::string stand_in(std::string_view name) {
  std::string variable;
  for (const char c : name.substr(std::min(name.find_first_not_of('-'), name.size()))) {
    if (c >= 'a' && c <= 'z')
      variable += static_cast<char>(c - 'a' + 'A');
    else
      variable += c == '-' ? '_' : c;
  }
  return "\"${" + variable + ":?}\"";
}

std::string hidden_in(std::string text, std::span<const Secret> secrets) {
  for (const Secret& secret : secrets) {
    if (text == secret.value)
      text = kHidden;
    else if (tells_itself(secret))
      text = replaced(text, secret.value, kHidden);
  }
  return text;
}

void hide(Message& message, std::span<const Secret> secrets) {
  for (Argument& argument : message.arguments) {
    if (auto* text = std::get_if<std::string>(&argument.value))
      *text = hidden_in(std::move(*text), secrets);
  }
}

void hide(Fix& fix, std::span<const Secret> secrets) {
  hide(fix.title, secrets);
  fix.command = without_secrets(std::move(fix.command), secrets);
  // Edits change the user's own text, which has the secret already; one that would write it out
  // again is not told.
  const bool told = std::ranges::any_of(fix.edits, [secrets](const Edit& edit) {
    return std::ranges::any_of(
        secrets, [&edit](const Secret& secret) { return edit.text.contains(secret.value); });
  });
  if (told) fix.edits.clear();
}

void hide(Diagnostic& d, std::span<const Secret> secrets) {
  for (Message* message : {&d.title, &d.because, &d.otherwise, &d.no_fix}) hide(*message, secrets);
  for (Label& label : d.labels) hide(label.text, secrets);
  for (Message& basis : d.basis) hide(basis, secrets);
  for (Fix& fix : d.fixes) hide(fix, secrets);
}

void star(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < std::min(end, text.size()); ++at) {
    if (!std::string_view("\"'\n\r\\").contains(text[at])) text[at] = '*';
  }
}

}  // namespace

std::vector<Secret> secrets_of(const Case& c) {
  std::vector<Secret> found;
  for (const FlagUse& use : c.serve.flags) {
    if (names_secret(use.name)) add_flag(found, c, use);
  }
  for (const Setting& setting : c.command.environment) {
    if (!names_secret(setting.name) || !setting.complete || setting.value.empty()) continue;
    const bool alone = setting.form == Setting::Form::ValueAlone;
    found.push_back(
        {.name = setting.name,
         .value = setting.value,
         .places = place_of_value(*c.sources, setting.span, alone ? std::string_view{} : "=")});
  }
  // A longer one first: it may hold a shorter one.
  std::ranges::sort(
      found, [](const Secret& a, const Secret& b) { return a.value.size() > b.value.size(); });
  return found;
}

std::string without_secrets(std::string command, std::span<const Secret> secrets) {
  for (const Secret& secret : secrets) {
    const std::string other = stand_in(secret.name);
    // Bytes that are no text stand quoted in a command, never raw.
    const std::string raw = is_valid_utf8(secret.value) ? secret.value : shell_quoted(secret.value);
    for (const std::string& written : {shell_quoted(secret.value), raw}) {
      for (const char* join : {" ", "="})
        command = replaced(command, secret.name + join + written, secret.name + join + other);
    }
    if (tells_itself(secret)) command = replaced(command, secret.value, other);
  }
  return command;
}

void hide_secrets(Outcome& outcome, std::span<const Secret> secrets) {
  if (secrets.empty()) return;
  for (Diagnostic& d : outcome.diagnostics) hide(d, secrets);
  for (NotChecked& skipped : outcome.not_checked) hide(skipped.reason, secrets);
  for (Allowed& allowed : outcome.allowed) hide(allowed.diagnostic, secrets);
  hide(outcome.combined, secrets);
}

Sources without_secrets(const Sources& sources, std::span<const Secret> secrets) {
  Sources shown;
  int index = 0;
  for (const Source& source : sources.all()) {
    Source copy = source;
    for (const Secret& secret : secrets) {
      for (const Span& place : secret.places) {
        if (place.source == index) star(copy.text, place.begin, place.end);
      }
      if (secret.value.size() < kTelling) continue;
      for (auto at = copy.text.find(secret.value); at != std::string::npos;
           at = copy.text.find(secret.value, at + secret.value.size()))
        star(copy.text, at, at + secret.value.size());
    }
    shown.add(std::move(copy));
    ++index;
  }
  return shown;
}

}  // namespace sx
