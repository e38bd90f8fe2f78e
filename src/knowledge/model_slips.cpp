// Names are compared word by word: "Qwen2.5-72B-Instuct" is qwen 2 5 72 b instuct.
#include "knowledge/model_slips.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "knowledge/models.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

constexpr std::size_t kIdLimit = 256;  // keeps hostile input cheap
constexpr std::size_t kLongWord = 5;   // letters; "it" and "pt" are two models, not a slip
constexpr int kMostSlips = 2;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Runs of letters and runs of digits, in small letters; separators part them.
std::vector<std::string> words_of(std::string_view id) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < id.size();) {
    const bool digit = is_digit(id[at]), letter = is_letter(id[at]);
    std::size_t end = at + 1;
    while (end < id.size() && ((digit && is_digit(id[end])) || (letter && is_letter(id[end]))))
      ++end;
    if (digit || letter) words.push_back(lower(id.substr(at, end - at)));
    at = end;
  }
  return words;
}

// Slips between two lists of words; more than the limit where they are two names.
int slips_between(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a.size() != b.size()) return kMostSlips + 1;
  int slips = 0;
  for (std::size_t i = 0; i < a.size() && slips <= kMostSlips; ++i) {
    if (a[i] == b[i]) continue;
    const std::size_t shorter = std::min(a[i].size(), b[i].size());
    const std::size_t longer = std::max(a[i].size(), b[i].size());
    if (shorter + 1 < kLongWord || longer < kLongWord || is_digit(a[i].front()))
      return kMostSlips + 1;
    const int here = edit_distance(a[i], b[i], kMostSlips + 1);
    if (shorter < kLongWord && here > 1) return kMostSlips + 1;
    slips += here;
  }
  return slips;
}

std::string without_separators(const std::vector<std::string>& words) { return join(words, ""); }

}  // namespace

std::optional<std::string_view> id_without_slip(std::string_view id) {
  if (id.empty() || id.size() > kIdLimit || match_model(id).row) return {};
  const auto asked = words_of(id);
  const std::string bare = without_separators(asked);
  std::optional<std::string_view> found;
  bool several = false;
  const auto consider = [&](std::string_view known) {
    const auto words = words_of(known);
    const bool near = slips_between(asked, words) <= kMostSlips ||
                      (bare == without_separators(words) &&
                       edit_distance(lower(id), lower(known), kMostSlips + 1) <= kMostSlips);
    if (!near || known == found) return;
    several = several || found.has_value();
    found = known;
  };
  for (const std::string_view known : model_ids()) consider(known);
  static const Table aliases(table_bytes("data/model_aliases.tsv"));
  for (std::size_t row = 0; row < aliases.rows(); ++row) consider(aliases.cell(row, "alias"));
  return several ? std::nullopt : found;
}

}  // namespace sx
