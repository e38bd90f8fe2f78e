// Text and short are written launch by launch; the other formats are one document.
#include "cli/check_formats.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"
#include "diag/render_sarif.h"
#include "diag/sentences.h"
#include "diag/shown_line.h"
#include "diag/words.h"
#include "knowledge/embedded.h"
#include "rules/all.h"
#include "rules/rule_page.h"
#include "text/columns.h"

namespace sx {
namespace {

std::string_view page_of(const Rule& rule) {
  const std::string name = rules::page_name(rule, Language::English);
  for (const Embedded& file : embedded_files()) {
    if (file.name == name) return file.bytes;
  }
  return {};
}

// The paragraph below the heading, on one line.
std::string summary_of(std::string_view page) {
  std::string out;
  bool heading = true;
  for (const std::string_view line : lines_of(page)) {
    if (heading) {
      heading = false;
      continue;
    }
    if (trimmed(line).empty()) {
      if (!out.empty()) break;
      continue;
    }
    if (!out.empty()) out += ' ';
    out += trimmed(line);
  }
  return out;
}

std::vector<SarifRule> sarif_rules() {
  std::vector<SarifRule> all;
  for (const Rule* rule : rules::all()) {
    const std::string_view page = page_of(*rule);
    all.push_back({.code = rule->code,
                   .name = rule->name,
                   .severity = rule->severity,
                   .family = rules::family(*rule),
                   .page = page,
                   .summary = summary_of(page)});
  }
  return all;
}

// "launch 2 of 3, line 14: vllm serve …", on one line.
std::string launch_heading(const Asked& asked, std::size_t number, std::size_t count,
                           const Style& style) {
  const Message where{words::kLaunchOf,
                      {{"number", number + 1}, {"count", count}, {"line", asked.line}}};
  const std::string head = rendered(where, style.language);
  const std::size_t width = std::max(style.width, kLeastWidth);
  const std::size_t taken = std::min(columns(head), width - 1);
  const Painter painter(style.colour);
  return painter(Paint::Strong, head + shown_line(asked.command, {}, width - taken).text) + '\n';
}

std::string text_answer(const std::vector<LaunchAnswer>& answers, const Sources& sources,
                        const Style& style) {
  std::string out;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (i > 0) out += '\n';
    if (answers.size() > 1)
      out += launch_heading(answers[i].asked, i, answers.size(), style) + '\n';
    out += render_text(answers[i].outcome, sources, answers[i].asked, style);
  }
  return out;
}

std::string short_answer(const std::vector<LaunchAnswer>& answers, const Sources& sources,
                         const Style& style) {
  std::string out;
  for (const LaunchAnswer& answer : answers) out += render_short(answer.outcome, sources, style);
  return out;
}

}  // namespace

std::string check_answer(std::string_view format, const std::vector<LaunchAnswer>& answers,
                         const Sources& sources, const Style& style) {
  if (format == "text") return text_answer(answers, sources, style);
  if (format == "short") return short_answer(answers, sources, style);
  if (format == "json") return render_json(answers, sources, SEXTANT_VERSION);
  if (format == "json-lines") return render_json_lines(answers, sources);
  if (format == "markdown") return render_markdown(answers, sources, style);
  if (format == "sarif") return render_sarif(answers, sources, sarif_rules(), SEXTANT_VERSION);
  SX_UNREACHABLE("a format of the table that nobody writes");
}

}  // namespace sx
