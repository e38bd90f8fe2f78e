// A layout is blamed only for what another layout may do better, and not for ever for what may go
// away by itself.
#include "run/layout_memory.h"

#include <chrono>

#include "diag/message.h"
#include "knowledge/again.h"
#include "knowledge/causes.h"

namespace sx {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;

// What need not come back is tried again after a week: cards are changed, neighbours go.
constexpr milliseconds kHolds = days(7);

constexpr Text kLeftOut{
    "{label} is left out: it failed here on {day} ({cause}); --retry-known-bad tries it again",
    "跳过 {label}：它于 {day} 在本机失败过（{cause}）；要重试请加 --retry-known-bad"};
constexpr Text kTriedAgain{
    "{label} failed here on {day} ({cause}), and so did every other layout: it is tried again",
    "{label} 于 {day} 在本机失败过（{cause}），其他布局也都失败过：再试一次"};

bool worked_since(const std::vector<std::optional<LayoutRecord>>& known, std::int64_t unix_ms) {
  for (const auto& record : known) {
    if (record && record->good && record->unix_ms >= unix_ms) return true;
  }
  return false;
}

bool is_bad(const LayoutRecord& record, const std::vector<std::optional<LayoutRecord>>& known,
            std::int64_t now) {
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
  const bool recent = now - record.unix_ms < kHolds.count();
  return recent && (row.other_layout || worked_since(known, record.unix_ms));
}

Both said(Text text, const LayoutRecord& record) {
  return in_both({text,
                  {{"label", record.label},
                   {"day", day_of(record.unix_ms)},
                   {"cause", cause_words(record.cause)}}});
}

}  // namespace

Both cause_words(const std::string& cause) {
  const CauseRow* row = find_cause(cause);
  if (row == nullptr) return {cause, cause};
  return {std::string(row->title.english), std::string(row->title.chinese)};
}

LayoutMemory remembered_layouts(const Deployment& deployment,
                                const std::vector<std::optional<LayoutRecord>>& known,
                                std::int64_t now_unix_ms) {
  LayoutMemory memory;
  bool any_left = false;
  for (std::size_t i = 0; i < deployment.layouts.size(); ++i) {
    const bool bad = i < known.size() && known[i] && is_bad(*known[i], known, now_unix_ms);
    memory.left_out.push_back(bad);
    if (!bad && !any_left) memory.first = i;
    any_left = any_left || !bad;
  }
  if (!any_left) {
    memory.left_out.assign(deployment.layouts.size(), false);
    memory.notes.push_back(said(kTriedAgain, *known.front()));
  }
  for (std::size_t i = 0; i < memory.left_out.size(); ++i) {
    if (memory.left_out[i]) memory.notes.push_back(said(kLeftOut, *known[i]));
  }
  memory.proven = memory.first < known.size() && known[memory.first] && known[memory.first]->good;
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
