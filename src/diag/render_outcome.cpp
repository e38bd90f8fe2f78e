// All findings of a launch as one page: what is shown in full, what in one line, what is only
// counted.
#include <algorithm>

#include "diag/excerpt.h"
#include "diag/finding_text.h"
#include "diag/render.h"
#include "diag/sentences.h"
#include "diag/verdict.h"
#include "diag/words.h"

namespace sx {
namespace {

constexpr int kFullWarnings = 5;
constexpr int kFullAdvice = 3;

enum class How { Full, OneLine, Hidden };

// Decides finding by finding, in their order.
class Folding {
 public:
  Folding(const Outcome& outcome, bool all) : all_(all) {
    for (const Diagnostic& diagnostic : outcome.diagnostics) {
      has_errors_ = has_errors_ || diagnostic.severity == Severity::Error;
    }
  }

  How next(Severity severity) {
    if (all_) return How::Full;
    switch (severity) {
      case Severity::Error:
        return How::Full;
      case Severity::Warning:
        if (warnings_++ < kFullWarnings) return How::Full;
        ++folded_.one_line_warnings;
        return How::OneLine;
      case Severity::Advice:
        if (!has_errors_ && advice_++ < kFullAdvice) return How::Full;
        ++folded_.hidden_advice;
        return How::Hidden;
    }
    return How::Full;
  }

  const Folded& folded() const { return folded_; }

 private:
  bool all_;
  bool has_errors_ = false;
  int warnings_ = 0;
  int advice_ = 0;
  Folded folded_;
};

// Paragraphs with one empty line between them.
class Paragraphs {
 public:
  void add(std::string_view text) {
    if (text.empty()) return;
    if (!out_.empty()) out_ += '\n';
    out_ += text;
    if (!text.ends_with('\n')) out_ += '\n';
  }
  void add_line(std::string_view text) { out_ += text; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

bool same_place(const Diagnostic& a, const Diagnostic& b, const Sources& sources) {
  const Label* first = primary_label(a, sources);
  const Label* second = primary_label(b, sources);
  return first != nullptr && second != nullptr && first->primary && second->primary &&
         first->span == second->span;
}

std::string assumed(const Asked& asked, const Style& style) {
  const Painter painter(style.colour);
  std::string out;
  if (asked.version_assumed && !asked.version.empty()) {
    const Message said{words::kVersionAssumed,
                       {{"engine", asked.engine_shown.empty() ? asked.engine : asked.engine_shown},
                        {"version", asked.version}}};
    out += sentence(rendered(said, style.language), Paint::Quiet, style.width, painter);
  }
  for (const Message& assumption : asked.assumptions) {
    out += sentence(rendered(assumption, style.language), Paint::Quiet, style.width, painter);
  }
  return out;
}

// What the text around the launch does besides, once for all commands shown.
std::string not_in_commands(const Outcome& outcome, const Asked& asked, const Style& style) {
  const bool shown = std::ranges::any_of(outcome.diagnostics, [](const Diagnostic& d) {
    return std::ranges::any_of(d.fixes, [](const Fix& fix) { return !fix.by_lines; });
  });
  if (!shown || asked.left_out.empty()) return {};
  const Message said{words::kLeftOut, {{"words", asked.left_out}}};
  return sentence(rendered(said, style.language), Paint::Quiet, style.width, Painter(style.colour));
}

std::string translated(const Translated& to, const Style& style) {
  const Painter painter(style.colour);
  std::string out;
  for (const Message& message : to.said)
    out += sentence(rendered(message, style.language), Paint::Quiet, style.width, painter);
  if (to.command.empty()) return out;
  const Message heading{words::kSameWith, {{"engine", to.engine}}};
  return out + painter(Paint::Strong, rendered(heading, style.language)) + "\n" +
         command_lines(to.command, painter);
}

std::string all_fixes(const Outcome& outcome, const Sources& sources, const Style& style) {
  if (outcome.combined.command.empty()) return {};
  const Painter painter(style.colour);
  const Text heading = outcome.combined.clears_errors ? words::kAllFixes : words::kFixesThereAre;
  std::string out = painter(Paint::Strong, heading.in(style.language)) + "\n";
  for (const Brought& brought : outcome.combined.brings)
    out += hanging("  ", Paint::Plain, rendered(brought_words(brought), style.language),
                   Paint::Plain, style.width, painter);
  return out + fix_lines(outcome.combined, sources, painter);
}

}  // namespace

std::string render_text(const Outcome& outcome, const Sources& sources, const Asked& asked,
                        const Style& style) {
  Paragraphs page;
  Folding folding(outcome, style.all);
  const Diagnostic* above = nullptr;  // the finding before, when it is shown in full
  bool after_one_line = false;
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    const How how = folding.next(diagnostic.severity);
    if (how == How::Hidden) continue;
    if (how == How::OneLine) {
      const std::string line = title_line(diagnostic, style);
      after_one_line ? page.add_line(line) : page.add(line);
      after_one_line = true;
      above = nullptr;
      continue;
    }
    const bool same = above != nullptr && same_place(*above, diagnostic, sources);
    page.add(finding_text(diagnostic, sources, style, same ? above : nullptr));
    above = &diagnostic;
    after_one_line = false;
  }
  page.add(asked.budget_table);
  page.add(verdict(outcome, folding.folded(), style) + assumed(asked, style) +
           not_in_commands(outcome, asked, style));
  page.add(all_fixes(outcome, sources, style));
  page.add(translated(asked.translated, style));
  return page.take();
}

}  // namespace sx
