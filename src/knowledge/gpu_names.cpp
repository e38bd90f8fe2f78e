// What people call GPUs: data/gpu_aliases.tsv before the kinds' own names, so that "H100" is the
// common board.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <unordered_map>

#include "base/strings.h"
#include "knowledge/gpus.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

constexpr std::size_t kNameLimit = 128;  // no card's name is longer; keeps hostile input cheap

bool separates(char c) { return c == ' ' || c == '-' || c == '_' || c == '\t'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "NVIDIA A100-SXM4-40G" → "a100sxm440gb".
std::string plain_name(std::string_view said) {
  std::string plain;
  for (const char c : lower(said)) {
    if (!separates(c)) plain += c;
  }
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view maker : {"nvidia", "tesla", "geforce"}) {
      if (plain.size() <= maker.size() || !plain.starts_with(maker)) continue;
      plain.erase(0, maker.size());
      again = true;
    }
  }
  const bool short_size =
      plain.size() >= 2 && plain.ends_with('g') && is_digit(plain[plain.size() - 2]);
  if (short_size) plain += 'b';
  if (plain.size() >= 4 && plain.ends_with("gib")) plain.erase(plain.size() - 2, 1);
  return plain;
}

struct Meaning {
  const GpuKind* kind = nullptr;
  std::string_view assumed;
  std::string_view assumed_chinese;
};
using Names = std::unordered_map<std::string, Meaning>;

Names read_names() {
  Names by_driver;
  for (const auto& kind : gpu_kinds())
    by_driver.try_emplace(std::string(kind.name), Meaning{&kind, {}, {}});
  Names names;
  const Table table(table_bytes("data/gpu_aliases.tsv"));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto found = by_driver.find(std::string(table.cell(row, "name")));
    if (found == by_driver.end()) continue;
    names.try_emplace(
        plain_name(table.cell(row, "alias")),
        Meaning{found->second.kind, table.cell(row, "assumed"), table.cell(row, "assumed_zh")});
  }
  for (const auto& kind : gpu_kinds())
    names.try_emplace(plain_name(kind.name), Meaning{&kind, {}, {}});
  return names;
}

const Names& names() {
  static const Names all = read_names();
  return all;
}

// "RTX 3090 24GB", "RTX 3090 24 GB" → "RTX 3090" and 24.
struct NameAndSize {
  std::string_view name;
  long long gigabytes = 0;
};
std::optional<NameAndSize> size_at_the_end(std::string_view said) {
  std::string_view rest = trimmed(said);
  for (const char letter : {'b', 'i', 'g'}) {
    const bool there =
        !rest.empty() && (rest.back() == letter || rest.back() == letter - 'a' + 'A');
    if (there) rest.remove_suffix(1);
    if (!there && letter == 'g') return {};
  }
  rest = trimmed(rest);
  std::size_t digits = 0;
  while (digits < rest.size() && digits < 5 && is_digit(rest[rest.size() - 1 - digits])) ++digits;
  const auto number = to_integer(rest.substr(rest.size() - digits));
  rest.remove_suffix(digits);
  if (!number || rest.empty() || !separates(rest.back())) return {};
  return NameAndSize{rest, *number};
}

// Makers count in thousands or in 1024s, drivers keep some back: a tenth either way is the same
// card.
bool has_size(const GpuKind& kind, long long gigabytes) {
  if (!kind.memory) return false;
  return std::abs(in_gib(*kind.memory) - static_cast<double>(gigabytes)) <=
         static_cast<double>(gigabytes) / 10;
}

GpuMatch found_as(const Meaning& meaning) {
  return {.kind = meaning.kind,
          .assumed = meaning.assumed,
          .assumed_chinese = meaning.assumed_chinese,
          .closest_names = {}};
}

std::vector<std::string> closest_kinds(const std::string& plain) {
  std::vector<std::string_view> candidates;
  candidates.reserve(names().size());
  for (const auto& [name, meaning] : names()) candidates.push_back(name);
  std::ranges::sort(candidates);  // so that ties do not depend on the order of a hash table
  std::vector<std::string> kinds;
  for (const auto& name : closest(plain, candidates, 8)) {
    const std::string kind(names().at(name).kind->name);
    if (kinds.size() < 3 && std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

bool same_digits(std::string_view a, std::string_view b) {
  std::size_t at = 0;
  for (const char c : a) {
    if (!is_digit(c)) continue;
    while (at < b.size() && !is_digit(b[at])) ++at;
    if (at == b.size() || b[at++] != c) return false;
  }
  return std::ranges::none_of(b.substr(at), is_digit);
}

// What `names` has of that name, without the plain names of all: making a name plain leaves its
// digits as they are, so most others need no look.
std::optional<Meaning> find_plain(const std::string& plain) {
  const auto is = [&plain](std::string_view name) {
    return same_digits(plain, name) && plain_name(name) == plain;
  };
  static const Table table(table_bytes("data/gpu_aliases.tsv"));
  const int alias = table.column("alias").value_or(-1);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!is(table.cell(row, alias))) continue;
    const auto kind = std::ranges::find(gpu_kinds(), table.cell(row, "name"), &GpuKind::name);
    if (kind == gpu_kinds().end()) continue;
    return Meaning{&*kind, table.cell(row, "assumed"), table.cell(row, "assumed_zh")};
  }
  for (const auto& kind : gpu_kinds()) {
    if (is(kind.name)) return Meaning{&kind, {}, {}};
  }
  return {};
}

}  // namespace

GpuMatch match_gpu(std::string_view said) {
  if (said.size() > kNameLimit) return {};
  const std::string plain = plain_name(said);
  if (plain.empty()) return {};
  if (const auto found = find_plain(plain)) return found_as(*found);
  GpuMatch match;
  if (const auto parts = size_at_the_end(said)) {
    if (const auto found = find_plain(plain_name(parts->name))) {
      if (has_size(*found->kind, parts->gigabytes)) return found_as(*found);
      match.closest_names.emplace_back(found->kind->name);
    }
  }
  for (auto& name : closest_kinds(plain)) {
    const bool there = std::ranges::find(match.closest_names, name) != match.closest_names.end();
    if (!there && match.closest_names.size() < 3) match.closest_names.push_back(std::move(name));
  }
  return match;
}

}  // namespace sx
