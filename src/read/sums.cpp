// Two forms: "DIGEST  NAME" (a backslash in front: the name has escapes) and "SHA256 (NAME) =
// DIGEST".
#include "read/sums.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::size_t kMostSums = 100'000;
constexpr std::size_t kLongestName = 4096;

bool is_hexadecimal(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

// Lengths of the other digests that such lists hold: MD5, SHA-1, SHA-224, SHA-384, SHA-512.
bool is_other_digest(std::string_view text) {
  constexpr std::array<std::size_t, 5> kLengths{32, 40, 56, 96, 128};
  return std::ranges::find(kLengths, text.size()) != kLengths.end() && is_hexadecimal(text);
}

std::string unescaped(std::string_view name) {
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool escape = name[i] == '\\' && i + 1 < name.size();
    if (!escape) {
      plain += name[i];
      continue;
    }
    const char next = name[++i];
    if (next == 'n') {
      plain += '\n';
    } else if (next == 'r') {
      plain += '\r';
    } else {
      plain += next;
    }
  }
  return plain;
}

struct Parts {
  std::string_view name;
  std::string_view digest;
};

// "SHA256 (model.safetensors) = 9f86d0…"
std::optional<Parts> bsd_parts(std::string_view line) {
  const auto open = line.find(" (");
  const auto close = line.rfind(") = ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2)
    return {};
  return Parts{.name = line.substr(open + 2, close - open - 2),
               .digest = trimmed(line.substr(close + 4))};
}

// Behind the digest stand a blank and the mode: a second blank for text, an asterisk for binary.
std::optional<Parts> gnu_parts(std::string_view line) {
  const auto blank = line.find_first_of(" \t");
  if (blank == std::string_view::npos) return {};
  std::string_view name = line.substr(blank + 1);
  if (!name.empty() && (name.front() == ' ' || name.front() == '*')) name.remove_prefix(1);
  return Parts{.name = name, .digest = line.substr(0, blank)};
}

void count_other(SumsFile& file, int line) {
  if (file.other_lines++ == 0) file.first_other = line;
}

void read_line(SumsFile& file, std::string_view line, int number) {
  if (trimmed(line).empty() || line.front() == '#') return;
  const bool escaped = line.front() == '\\';
  if (escaped) line.remove_prefix(1);
  auto parts = bsd_parts(line);
  if (!parts) parts = gnu_parts(line);
  if (!parts || parts->name.empty() || parts->name.size() > kLongestName)
    return count_other(file, number);
  std::string digest = sha256_digits(parts->digest);
  if (digest.empty() && is_other_digest(parts->digest)) {
    ++file.other_digests;
    return;
  }
  if (digest.empty()) return count_other(file, number);
  file.sums.push_back({.name = escaped ? unescaped(parts->name) : std::string(parts->name),
                       .sha256 = std::move(digest),
                       .line = number});
}

}  // namespace

std::string sha256_digits(std::string_view text) {
  return text.size() == 64 && is_hexadecimal(text) ? lower(text) : std::string();
}

Result<SumsFile> parse_sums(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  SumsFile file;
  int number = 0;
  for (const std::string_view line : lines_of(text)) {
    read_line(file, line, ++number);
    if (file.sums.size() > kMostSums)
      return fail(Error::Kind::TooLarge, "it holds more than 100 000 sums",
                  "其中的校验和超过 100 000 条");
  }
  if (!file.sums.empty()) return file;
  if (file.other_digests > 0)
    return fail(Error::Kind::Unsupported,
                "its sums are not SHA-256 (a SHA-256 sum has 64 hexadecimal digits)",
                "其中的校验和不是 SHA-256（SHA-256 校验和有 64 个十六进制数字）");
  return fail(Error::Kind::Damaged, "it holds no line such as sha256sum writes",
              "其中没有 sha256sum 格式的行");
}

}  // namespace sx
