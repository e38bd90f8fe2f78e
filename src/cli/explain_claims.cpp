// Popular advice that is not right, and what is.
#include <algorithm>

#include "base/strings.h"
#include "cli/explain.h"
#include "knowledge/claims.h"

namespace sx {
namespace {

// So many are shown whole; of more, a line each.
constexpr std::size_t kMostWhole = 3;

Text verdict_title(std::string_view verdict) {
  if (verdict == "wrong") return {"wrong", "错误"};
  if (verdict == "outdated") return {"outdated", "已过时"};
  return {"partly right", "部分正确"};
}

Explained whole(const ClaimRow& row, Language language) {
  Fields fields(language);
  fields.add({"claim", "说法"}, in_language(row.claim, language));
  fields.add({"verdict", "判断"}, std::string(verdict_title(row.verdict).in(language)));
  fields.add({"what is right", "实际情况"}, in_language(row.right, language));
  std::vector<std::string> names(row.shows.begin(), row.shows.end());
  fields.add({"about", "涉及"}, join(names, ", "));
  fields.add({"from", "起始版本"}, row.since ? row.since->text() : "");
  fields.add({"until", "截至版本"}, row.until ? row.until->text() : "");
  fields.add({"source", "来源"}, std::string(row.source));
  return fields.entry("claim", row.id);
}

bool about(const ClaimRow& row, std::string_view word) {
  const auto in = [word](std::string_view text) { return lower(text).contains(word); };
  return in(row.id) || row.verdict == word || in(row.claim.english) || in(row.claim.chinese) ||
         in(row.right.english) || in(row.right.chinese) || std::ranges::any_of(row.shows, in);
}

}  // namespace

std::vector<Explained> explain_claims(std::string_view filter, Language language) {
  const std::string word = lower(trimmed(filter));
  std::vector<const ClaimRow*> rows;
  for (const ClaimRow& row : claims()) {
    if (row.id == word) return {whole(row, language)};
    if (about(row, word)) rows.push_back(&row);
  }
  std::vector<Explained> entries;
  if (rows.size() <= kMostWhole) {
    for (const ClaimRow* row : rows) entries.push_back(whole(*row, language));
    return entries;
  }
  std::vector<std::vector<std::string>> lines;
  for (const ClaimRow* row : rows)
    lines.push_back({std::string(row->id), std::string(verdict_title(row->verdict).in(language)),
                     in_language(row->claim, language)});
  return {listed("claims", lines)};
}

std::vector<Explained> explain_claim(std::string_view word, Language language) {
  const ClaimRow* row = find_claim(lower(word));
  if (row == nullptr) return {};
  return {whole(*row, language)};
}

void add_claims(Fields& fields, std::string_view name, Language language) {
  for (const ClaimRow* row : claims_about(name)) {
    const std::string said = '"' + in_language(row->claim, language) +
                             "\": " + std::string(verdict_title(row->verdict).in(language)) + "; " +
                             in_language(row->right, language);
    const std::string chinese = "“" + in_language(row->claim, language) + "”：" +
                                std::string(verdict_title(row->verdict).in(language)) + "。" +
                                in_language(row->right, language);
    fields.add({"popular claim", "常见说法"}, language == Language::Chinese ? chinese : said);
  }
}

}  // namespace sx
