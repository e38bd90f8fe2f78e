// Names of flags and variables are compared as one spelling: small letters, hyphens.
#include "facts/secret_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::array<std::string_view, 10> kEndings{
    "api-key",       "api-keys",   "apikey",   "apikeys",   "access-key",
    "access-key-id", "secret-key", "password", "passwords", "passwd"};
// What a slip of the hand makes of these is no less of a secret.
constexpr std::array<std::string_view, 3> kMistyped{"api-key", "hf-token", "password"};
constexpr int kMostSlips = 2;
// Tokens of a text, not of a person: "--bucket-time-to-first-token".
constexpr std::array<std::string_view, 3> kOfText{"per-token", "first-token", "adapter-token"};
constexpr std::array<std::string_view, 9> kParts{
    "key", "apikey", "token", "secret", "password", "passwd", "credential", "credentials", "auth"};

std::string plain(std::string_view name) {
  const auto begin = std::min(name.find_first_not_of('-'), name.size());
  return replaced(lower(name.substr(begin)), "_", "-");
}

}  // namespace

bool names_secret(std::string_view name) {
  const std::string spelled = plain(name);
  const auto ends = [&spelled](std::string_view ending) { return spelled.ends_with(ending); };
  if (std::ranges::any_of(kEndings, ends)) return true;
  if (spelled == "secret" || ends("-secret")) return true;
  // "api-key=…" for a collector of traces, metrics or logs.
  if (spelled.starts_with("otel-exporter-otlp-") && ends("-headers")) return true;
  return (spelled == "token" || ends("-token")) && std::ranges::none_of(kOfText, ends);
}

bool nearly_names_secret(std::string_view name) {
  if (names_secret(name)) return true;
  const std::string spelled = plain(name);
  return std::ranges::any_of(kMistyped, [&spelled](std::string_view right) {
    return edit_distance(spelled, right, kMostSlips + 1) <= kMostSlips;
  });
}

bool may_name_secret(std::string_view name) {
  if (names_secret(name)) return true;
  const std::string spelled = plain(name);
  return std::ranges::any_of(split(spelled, '-'), [](std::string_view part) {
    return std::ranges::find(kParts, part) != kParts.end();
  });
}

}  // namespace sx
