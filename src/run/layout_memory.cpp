// A layout is blamed only for what another layout may do better, and not for ever for what may go
// away by itself.
#include "run/layout_memory.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>

#include "diag/message.h"
#include "knowledge/again.h"
#include "knowledge/causes.h"
#include "run/layout_key.h"
#include "run/layout_models.h"
#include "run/reason_words.h"

namespace sx {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;

// What need not come back is tried again after a week: cards are changed, neighbours go.
constexpr milliseconds kHolds = days(7);

constexpr Text kLeftOut{
    "{label} is left out: it failed here on {day} ({cause}); --retry-known-bad tries it again",
    "跳过 {label}：它于 {day} 在本机失败过（{cause}）；要重试，加 --retry-known-bad"};
constexpr Text kTriedAgain{
    "{label} failed here on {day} ({cause}), and so did every other layout: it is tried again",
    "{label} 于 {day} 在本机失败过（{cause}），其他布局也都失败过：再试一次"};

using Parts = std::vector<const KnownPart*>;  // of one model, each once

bool worked_since(const Parts& parts, std::int64_t unix_ms) {
  return std::ranges::any_of(parts, [&](const KnownPart* part) {
    return part->record && part->record->good && part->record->unix_ms >= unix_ms;
  });
}

bool is_bad(const LayoutRecord& record, const Parts& parts, std::int64_t now) {
  if (record.good) return false;
  using Again = AgainRow::Again;
  const AgainRow row = again_after(record.cause);
  switch (row.again) {
    case Again::Never:
      return row.other_layout;  // otherwise a person has mended it, or it fails again at once
    case Again::AfterRelease:
      return false;
    case Again::Maybe:
      break;
  }
  // All its tries failed. Another layout that worked afterwards says that this one was the reason.
  const bool recent = record.unix_ms > now - kHolds.count();
  return recent && (row.other_layout || worked_since(parts, record.unix_ms));
}

Both said(Text text, const LayoutRecord& record) {
  return in_both({text,
                  {{"label", record.label},
                   {"day", day_of(record.unix_ms)},
                   {"cause", cause_words(record.cause)}}});
}

}  // namespace

Both cause_words(const std::string& cause) {
  if (auto ours = reason_words(cause)) return *std::move(ours);
  const CauseRow* row = find_cause(cause);
  if (row == nullptr) return {cause, cause};
  return {std::string(row->title.english), std::string(row->title.chinese)};
}

KnownLayouts known_layouts(const Deployment& deployment, const Journal& journal,
                           const std::string& machine) {
  KnownLayouts known;
  for (const DeployedLayout& layout : deployment.layouts) {
    std::vector<KnownPart>& parts = known.emplace_back();
    for (const std::string& model : models_of(layout)) {
      const std::string key = layout_key(layout, model, machine);
      parts.push_back({.model = model, .key = key, .record = journal.layout(key)});
    }
  }
  return known;
}

LayoutMemory remembered_layouts(const KnownLayouts& known, std::int64_t now_unix_ms) {
  LayoutMemory memory;
  std::map<std::string, Parts> models;
  for (const auto& parts : known) {
    for (const KnownPart& part : parts) {
      Parts& of_model = models[part.model];
      if (std::ranges::none_of(of_model, [&](const auto* one) { return one->key == part.key; }))
        of_model.push_back(&part);
    }
  }
  std::set<std::string> bad;  // keys
  for (const auto& [model, parts] : models) {
    Parts failed;
    std::ranges::copy_if(parts, std::back_inserter(failed), [&](const KnownPart* part) {
      return part->record && is_bad(*part->record, parts, now_unix_ms);
    });
    if (failed.empty()) continue;
    if (failed.size() == parts.size()) {
      memory.notes.push_back(said(kTriedAgain, *failed.front()->record));
      continue;
    }
    for (const KnownPart* part : failed) {
      bad.insert(part->key);
      memory.notes.push_back(said(kLeftOut, *part->record));
    }
  }
  for (const auto& parts : known)
    memory.left_out.push_back(
        std::ranges::any_of(parts, [&](const KnownPart& part) { return bad.contains(part.key); }));
  if (std::ranges::find(memory.left_out, false) == memory.left_out.end())
    memory.left_out.assign(known.size(), false);  // it lists no layout of the good parts together
  const auto first = std::ranges::find(memory.left_out, false);
  memory.first = static_cast<std::size_t>(first - memory.left_out.begin());
  const auto& parts = known.at(memory.first);
  memory.proven = !parts.empty() && std::ranges::all_of(parts, [](const KnownPart& part) {
    return part.record && part.record->good;
  });
  return memory;
}

std::string day_of(std::int64_t unix_ms) {
  const auto day =
      std::chrono::floor<days>(std::chrono::sys_time<milliseconds>(milliseconds(unix_ms)));
  const std::chrono::year_month_day date(day);
  const auto two = [](unsigned number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  return std::to_string(static_cast<int>(date.year())) + '-' +
         two(static_cast<unsigned>(date.month())) + '-' + two(static_cast<unsigned>(date.day()));
}

}  // namespace sx
