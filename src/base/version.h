// An engine's version: 0.8.5, 0.6.6.post1, v0.11.0rc2, or a build that is only counted: b11434.
// Ordered as the releases were made.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace sx {

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  int candidate = 0;   // rc2 is -998, .devN is -1000: before the release, which is 0
  int post = 0;        // .post1 is after the release
  bool build = false;  // `major` counts builds: b11434

  // Compares in the order of the members.
  auto operator<=>(const Version&) const = default;
  std::string text() const;
};

// Takes a leading v, rc, .postN, .devN and +local, and builds: b11434, 11434. Empty when there is
// no number to start with.
std::optional<Version> parse_version(std::string_view text);

}  // namespace sx
