// What is out, for people: layouts that one rule refuses, with one way in, share a line. Programs
// get each of them.
#include <algorithm>

#include "base/strings.h"
#include "cli/plan_answer.h"
#include "knowledge/engine_names.h"
#include "text/columns.h"
#include "text/wrap.h"

namespace sx {
namespace {

constexpr std::size_t kMostLines = 12;  // more is a wall; --all shows them
constexpr std::size_t kMostLabels = 4;  // on one line
constexpr std::size_t kWidest = 40;     // of the labels' column; longer ones push their own line

constexpr Text kMore{"{count} more (--all)", "另有 {count} 行（--all）"};
constexpr Text kMoreLabels{"{labels} and {count} more", "{labels} 等，另有 {count} 种"};
constexpr Text kAlike{"{why}; likewise the others", "{why}；其余同理"};
constexpr Text kFix{"-> {fix}", "-> {fix}"};

struct Group {
  const Rejected* first = nullptr;
  std::vector<std::string> labels;
  std::string why, fix;
  bool whys_differ = false;
};

std::vector<Group> groups_of(const PlanPage& page) {
  const Language language = page.style.language;
  std::vector<Group> groups;
  for (const Rejected& one : page.answer.rejected) {
    const std::string fix = rendered(Value{in_both(one.nearest_fix)}, language);
    const std::string why = rendered(one.why, language);
    const auto found = std::ranges::find_if(groups, [&](const Group& group) {
      return group.first->engine == one.engine && group.first->code == one.code && group.fix == fix;
    });
    Group& group = found == groups.end() ? groups.emplace_back() : *found;
    if (group.first == nullptr) {
      group.first = &one;
      group.why = why;
      group.fix = fix;
    }
    group.labels.push_back(rendered(Value{one.shown}, language));
    group.whys_differ = group.whys_differ || why != group.why;
  }
  return groups;
}

std::string labels_of(const Group& group, const PlanPage& page) {
  const std::size_t all = group.labels.size();
  const std::size_t shown = page.style.all || all <= kMostLabels + 1 ? all : kMostLabels;
  const auto end = group.labels.begin() + static_cast<std::ptrdiff_t>(shown);
  const bool english = page.style.language == Language::English;
  std::string labels = join(std::vector(group.labels.begin(), end), english ? ", " : "、");
  if (shown < all)
    labels =
        rendered({kMoreLabels, {{"labels", labels}, {"count", all - shown}}}, page.style.language);
  if (page.asked.engines.size() == 1) return labels;
  return std::string(shown_engine(group.first->engine->name)) + ' ' + labels;
}

// On one line, or where that is too wide: what is out, then below it why and the way in.
void add_lines(std::vector<std::string>& lines, const std::string& head, const std::string& why,
               const std::string& fix, std::size_t width) {
  constexpr std::size_t kIndent = 2, kBelow = 6, kLeast = 20;
  const std::string whole = printable("  " + head + "  " + why + (fix.empty() ? "" : "  " + fix));
  if (columns(whole) <= width) {
    lines.push_back(whole);
    return;
  }
  const auto add = [&](const std::string& text, std::size_t indent) {
    const std::size_t cells = std::max(width, indent + kLeast) - indent;
    for (const std::string& part : wrapped(printable(text), cells))
      lines.push_back(std::string(indent, ' ') + part);
  };
  add(head, kIndent);
  add(why, kBelow);
  if (!fix.empty()) add(fix, kBelow);
}

}  // namespace

std::vector<std::string> rejected_lines(const PlanPage& page) {
  const Language language = page.style.language;
  const auto groups = groups_of(page);
  std::vector<std::string> lines, labels;
  std::size_t widest = 0;
  for (const Group& group : groups) {
    labels.push_back(labels_of(group, page));
    if (columns(labels.back()) <= kWidest) widest = std::max(widest, columns(labels.back()));
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    if (i == kMostLines && !page.style.all) {
      lines.push_back("  " + rendered({kMore, {{"count", groups.size() - i}}}, language));
      break;
    }
    const std::string why =
        group.whys_differ ? rendered({kAlike, {{"why", group.why}}}, language) : group.why;
    const std::string fix =
        group.fix.empty() ? std::string() : rendered({kFix, {{"fix", group.fix}}}, language);
    add_lines(lines, padded(labels[i], widest) + "  " + group.first->code, why, fix,
              page.style.width);
  }
  return lines;
}

}  // namespace sx
