// One walk from left to right; nothing is decided by more than the word at hand and the name
// before.
#include "check/scrub.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/strings.h"
#include "facts/secret_names.h"
#include "knowledge/token_shapes.h"

namespace sx {
namespace {

constexpr std::string_view kHidden = "***";
constexpr std::size_t kLongestName = 80;

bool letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool of_name(char c) { return letter_or_digit(c) || c == '_' || c == '-'; }
// Everything that can stand in a value without quotes.
bool of_value(char c) {
  return static_cast<unsigned char>(c) > ' ' &&
         std::string_view("\"'`,;)]}").find(c) == std::string_view::npos;
}

bool means_none(std::string_view value) {
  constexpr std::array<std::string_view, 6> kNothing{"None", "null", "nil", "False", "True", ""};
  return std::ranges::find(kNothing, value) != kNothing.end() || value.front() == '$' ||
         value.front() == '*';
}

std::size_t end_of(std::string_view text, std::size_t from, bool (*inside)(char)) {
  while (from < text.size() && inside(text[from])) ++from;
  return from;
}

// Where the value behind a name begins: "=x", ": x", "': ['x", " x" for flags. Empty: there is
// none.
std::optional<std::size_t> value_behind(std::string_view text, std::size_t at, bool flag) {
  std::size_t place = at;
  if (place < text.size() && (text[place] == '"' || text[place] == '\'')) ++place;
  const std::size_t mark = place;
  while (place < text.size() && text[place] == ' ') ++place;
  const bool joined = place < text.size() && (text[place] == '=' || text[place] == ':');
  if (!joined && (!flag || place == mark)) return {};
  if (joined) ++place;
  // A list or a quote may open; it does not end the line.
  while (place < text.size() &&
         std::string_view(" \"'[`(").find(text[place]) != std::string_view::npos)
    ++place;
  return place;
}

// A whole token that begins here; 0: none.
std::size_t shape_at(std::string_view text) {
  for (const TokenShape& shape : token_shapes()) {
    if (!text.starts_with(shape.front)) continue;
    const std::size_t end = end_of(text, shape.front.size(), [](char c) {
      return of_name(c) || c == '.' || c == '+' || c == '/' || c == '=';
    });
    if (end - shape.front.size() >= shape.least) return end;
  }
  return 0;
}

// "user:password@" behind "://"; 0: none.
std::size_t user_at(std::string_view text) {
  const std::size_t end =
      end_of(text, 0, [](char c) { return of_value(c) && c != '/' && c != '@'; });
  return end > 0 && end < text.size() && text[end] == '@' ? end : 0;
}

// "10.1.2.3"; 0: none. Four numbers, none greater than a byte.
std::size_t address_at(std::string_view text) {
  const std::size_t end =
      end_of(text, 0, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  std::string_view word = text.substr(0, end);
  while (word.ends_with('.')) word.remove_suffix(1);
  const auto parts = split(word, '.');
  if (parts.size() != 4) return 0;
  for (const std::string_view part : parts) {
    const auto number = to_integer(part);
    if (!number || part.size() > 3 || *number > 255) return 0;
  }
  return word.size();
}

bool of_this_host(std::string_view address) {
  return address.starts_with("127.") || address == "0.0.0.0" || address == "255.255.255.255";
}

}  // namespace

std::string without_secrets_in_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const bool begins = at == 0 || !of_name(text[at - 1]);
    if (begins) {
      if (const std::size_t length = shape_at(text.substr(at)); length > 0) {
        out += kHidden;
        at += length;
        continue;
      }
    }
    if (at >= 3 && text.substr(at - 3, 3) == "://") {
      if (const std::size_t length = user_at(text.substr(at)); length > 0) {
        out += kHidden;
        at += length;
        continue;
      }
    }
    if (!begins || !of_name(text[at])) {
      out += text[at++];
      continue;
    }
    const std::size_t end = end_of(text, at, of_name);
    const std::string_view name = text.substr(at, end - at);
    out += name;
    at = end;
    if (name.size() > kLongestName || !names_secret(name)) continue;
    const auto value = value_behind(text, end, name.starts_with("--"));
    if (!value) continue;
    std::size_t from = *value;
    // "Authorization: Bearer x", "api_key: sk-x": the word before the value is no secret.
    const std::size_t stop = end_of(text, from, of_value);
    if (means_none(text.substr(from, stop - from))) continue;
    out.append(text.substr(at, from - at)).append(kHidden);
    at = stop;
  }
  return out;
}

std::string without_hosts(std::string_view text, const std::vector<std::string>& names) {
  std::map<std::string, int, std::less<>> addresses;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || (!letter_or_digit(text[at - 1]) && text[at - 1] != '.');
    if (begins) {
      if (const std::size_t length = address_at(text.substr(at)); length > 0) {
        const std::string_view address = text.substr(at, length);
        if (of_this_host(address)) {
          out += address;
        } else {
          const int next = static_cast<int>(addresses.size()) + 1;
          const auto known = addresses.try_emplace(std::string(address), next).first;
          out.append("address-").append(std::to_string(known->second));
        }
        at += length;
        continue;
      }
      const auto name = std::ranges::find_if(names, [&](const std::string& one) {
        const std::string_view rest = text.substr(at);
        return one.size() > 1 && rest.starts_with(one) &&
               (rest.size() == one.size() || !of_name(rest[one.size()]));
      });
      if (name != names.end()) {
        out.append("host-").append(std::to_string(name - names.begin() + 1));
        at += name->size();
        continue;
      }
    }
    out += text[at++];
  }
  return out;
}

}  // namespace sx
