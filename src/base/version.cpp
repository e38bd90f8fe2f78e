// Versions as package indexes and log lines write them.
#include "base/version.h"

namespace sx {
namespace {

// Takes digits from the front of text; at most nine, so that hostile input cannot overflow.
std::optional<int> take_number(std::string_view& text) {
  std::size_t length = 0;
  int value = 0;
  while (length < text.size() && length < 9 && text[length] >= '0' && text[length] <= '9')
    value = value * 10 + (text[length++] - '0');
  if (length == 0) return {};
  text.remove_prefix(length);
  return value;
}

// No engine has counted its releases that far; llama.cpp has a tag for each of its builds.
constexpr int kFewestBuilds = 1000;

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  const bool counted = take(text, "b");
  if (!counted) take(text, "v");
  Version version;
  const auto major = take_number(text);
  if (!major) return {};
  version.major = *major;
  version.build = counted || (!text.starts_with('.') && *major >= kFewestBuilds);
  if (version.build) return version;
  if (text.starts_with('.')) {
    auto rest = text.substr(1);
    if (const auto minor = take_number(rest)) version.minor = *minor, text = rest;
  }
  if (text.starts_with('.')) {
    auto rest = text.substr(1);
    if (const auto patch = take_number(rest)) version.patch = *patch, text = rest;
  }
  if (text.empty()) return version;
  take(text, ".");
  take(text, "-");
  if (take(text, "rc")) version.candidate = -1000 + take_number(text).value_or(0);
  if (take(text, "dev")) version.candidate = -1000;
  if (take(text, "post")) version.post = take_number(text).value_or(1);
  return version;
}

std::string Version::text() const {
  if (build) return 'b' + std::to_string(major);
  std::string out =
      std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
  if (candidate != 0) {
    out += candidate == -1000 ? std::string(".dev") : "rc" + std::to_string(candidate + 1000);
  }
  if (post != 0) out += ".post" + std::to_string(post);
  return out;
}

}  // namespace sx
