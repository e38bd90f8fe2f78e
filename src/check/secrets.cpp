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

bool is_known(const Case& c, std::string_view flag) {
  return std::ranges::any_of(c.serve.flags,
                             [flag](const FlagUse& use) { return use.typed == flag; });
}

void add_word(std::vector<Secret>& found, const Case& c, const Word& word, std::string_view name,
              std::string_view value, std::string_view head) {
  if (value.empty() || !word.complete) return;
  found.push_back({.name = std::string(name),
                   .value = std::string(value),
                   .places = place_of_value(*c.sources, word.span, head)});
}

// The value of a flag that nobody has, and that looks like one with a key.
void add_mistyped(std::vector<Secret>& found, const Case& c, std::size_t at) {
  const Word& word = c.command.words[at];
  const std::string_view text = word.text;
  const std::string_view name = text.substr(0, text.find('='));
  if (!text.starts_with("--") || is_known(c, name) || !nearly_names_secret(name)) return;
  if (name.size() < text.size())
    return add_word(found, c, word, name, text.substr(name.size() + 1), "=");
  if (at + 1 == c.command.words.size() || c.command.words[at + 1].text.starts_with('-')) return;
  const Word& next = c.command.words[at + 1];
  add_word(found, c, next, name, next.text, {});
}

// "https://user:password@host/…".
void add_address(std::vector<Secret>& found, const Case& c, const Word& word) {
  const std::string_view text = word.text;
  const auto scheme = text.find("://");
  if (scheme == std::string_view::npos) return;
  const std::string_view rest = text.substr(scheme + 3);
  const auto at = rest.substr(0, rest.find('/')).rfind('@');
  const auto colon = rest.substr(0, at).find(':');
  if (at == std::string_view::npos || colon == std::string_view::npos) return;
  const std::string_view value = rest.substr(colon + 1, at - colon - 1);
  if (value.empty() || !word.complete) return;
  Secret secret{.name = "PASSWORD", .value = std::string(value), .places = {}};
  if (word.span.source >= 0) {
    const auto place = c.sources->text(word.span).find(std::string(value) + '@');
    const std::size_t begin = word.span.begin + place;
    if (place != std::string_view::npos)
      secret.places = {Span{word.span.source, begin, begin + value.size()}};
  }
  found.push_back(std::move(secret));
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
  for (Brought& brought : fix.brings) hide(brought.title, secrets);
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
    if (names_secret(use.name) || nearly_names_secret(use.typed)) add_flag(found, c, use);
  }
  for (std::size_t at = 0; at < c.command.words.size(); ++at) {
    add_mistyped(found, c, at);
    add_address(found, c, c.command.words[at]);
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
