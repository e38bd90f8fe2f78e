// Of each row only its head is read when the table of an engine is first asked for.
#include "knowledge/constraints.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "knowledge/by_name.h"
#include "knowledge/cells.h"
#include "knowledge/per_engine.h"

namespace sx {
namespace {

constexpr std::array<std::pair<std::string_view, LaunchStage>, 7> kStages{
    {{"arguments", LaunchStage::Arguments},
     {"configuration", LaunchStage::Configuration},
     {"workers", LaunchStage::Workers},
     {"model", LaunchStage::Model},
     {"loading", LaunchStage::Loading},
     {"warm-up", LaunchStage::WarmUp},
     {"silent", LaunchStage::Silent}}};

LaunchStage stage_of(std::string_view word) {
  for (const auto& [name, stage] : kStages) {
    if (name == word) return stage;
  }
  return LaunchStage::Configuration;
}

std::vector<std::string_view> parts_of(std::string_view cell, char separator) {
  std::vector<std::string_view> parts;
  if (is_none(cell)) return parts;
  while (!cell.empty()) {
    const auto end = cell.find(separator);
    const std::string_view part = trimmed(cell.substr(0, end));
    cell.remove_prefix(end == std::string_view::npos ? cell.size() : end + 1);
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

enum Column : std::size_t {
  kId,
  kSince,
  kUntil,
  kRule,
  kSeverity,
  kWhen,
  kMarks,
  kTitleEn,
  kTitleZh,
  kLabelEn,
  kLabelZh,
  kBecauseEn,
  kBecauseZh,
  kStage,
  kOtherwiseEn,
  kOtherwiseZh,
  kFix,
  kNoFixEn,
  kNoFixZh,
  kSource,
};
constexpr std::array<std::string_view, 20> kColumns{
    "id",           "since",        "until",    "rule",      "severity",   "when",       "marks",
    "title_en",     "title_zh",     "label_en", "label_zh",  "because_en", "because_zh", "stage",
    "otherwise_en", "otherwise_zh", "fix",      "no_fix_en", "no_fix_zh",  "source"};

std::string_view first_part(std::string_view cell, char separator) {
  const std::string_view first = cell.substr(0, cell.find(separator));
  return is_none(first) ? std::string_view{} : trimmed(first);
}

}  // namespace

Constraints::Constraints(const Table& table) : table_(table) {
  constexpr std::array<std::string_view, 6> kHead{"id", "since", "until", "rule", "when", "marks"};
  const RowReader<kHead.size()> reader(table_, kHead);
  ByName<std::vector<ConstraintHead>> by_rule;
  for (std::size_t number = 0; number < table_.rows(); ++number) {
    const auto [id, since, until, rule, when, marks] = reader.row(number);
    by_rule.of(rule).push_back({.id = id,
                                .rule = rule,
                                .first_mark = first_part(marks, ','),
                                .when = when,
                                .since = since,
                                .until = until,
                                .number = number});
  }
  // A few rules have a few rows each: sooner sorted one by one than all together.
  auto& rules = by_rule.all();
  std::ranges::sort(rules, [](const auto& a, const auto& b) { return a.name < b.name; });
  heads_.reserve(table_.rows());
  for (auto& [rule, heads] : rules) {
    std::ranges::sort(heads, [](const ConstraintHead& a, const ConstraintHead& b) {
      if (const int order = a.first_mark.compare(b.first_mark); order != 0) return order < 0;
      return a.id < b.id;
    });
    std::ranges::copy(heads, std::back_inserter(heads_));
  }
}

ConstraintRow Constraints::row(const ConstraintHead& head) const {
  const auto cells = RowReader<kColumns.size()>(table_, kColumns).row(head.number);
  const auto sentence = [&cells](Column english, Column chinese) {
    return Sentence{known_cell(cells[english]), known_cell(cells[chinese])};
  };
  return {.id = cells[kId],
          .rule = cells[kRule],
          .severity = cells[kSeverity],
          .since = version_cell(cells[kSince]),
          .until = version_cell(cells[kUntil]),
          .when = cells[kWhen],
          .marks = parts_of(cells[kMarks], ','),
          .title = sentence(kTitleEn, kTitleZh),
          .label = sentence(kLabelEn, kLabelZh),
          .because = sentence(kBecauseEn, kBecauseZh),
          .otherwise = sentence(kOtherwiseEn, kOtherwiseZh),
          .no_fix = sentence(kNoFixEn, kNoFixZh),
          .stage = stage_of(cells[kStage]),
          .fixes = parts_of(cells[kFix], ';'),
          .source = cells[kSource]};
}

std::vector<ConstraintRow> Constraints::rows() const {
  std::vector<ConstraintRow> all;
  for (const ConstraintHead& head : heads_) all.push_back(row(head));
  return all;
}

bool ConstraintHead::holds_in(const Version& version) const {
  const struct {
    std::optional<Version> since, until;
  } row{version_cell(since), version_cell(until)};
  return in_force(row, version);
}

std::span<const ConstraintHead> Constraints::of_rule(std::string_view rule) const {
  const auto range = std::ranges::equal_range(heads_, rule, {}, &ConstraintHead::rule);
  return {range.begin(), range.end()};
}

namespace {

Constraints read_constraints(std::string_view, const Table& table) { return Constraints(table); }

}  // namespace

const Constraints* constraints_of(std::string_view engine) {
  return engine_table<read_constraints>(engine, "constraints.tsv");
}

}  // namespace sx
