// Findings as Markdown, for a comment under a change or a ticket.
#include "base/strings.h"
#include "diag/changed_lines.h"
#include "diag/excerpt.h"
#include "diag/finding_text.h"
#include "diag/render.h"
#include "diag/verdict.h"
#include "diag/words.h"
#include "text/columns.h"

namespace sx {
namespace {

constexpr std::size_t kUnbroken = 100'000;  // cells: whoever shows Markdown breaks its lines

// What Markdown or HTML would take for its own is said with a backslash.
std::string plain(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*_<>[]|#~&";
  std::string out;
  for (const char c : printable(text)) {
    if (kMarks.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// A fence is longer than every run of backticks inside it.
std::string fenced(std::string_view kind, std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  std::string out = fence + std::string(kind) + '\n' + std::string(text);
  if (!out.ends_with('\n')) out += '\n';
  return out + fence + '\n';
}

// A file's own bytes, made fit to be looked at line by line.
std::string lines_shown(std::string_view text) {
  std::string out;
  for (const std::string_view line : lines_of(text)) out += printable(line) + '\n';
  return out;
}

class Page {
 public:
  Page(const Sources& sources, const Style& style) : sources_(sources), style_(style) {}

  void heading(const Asked& asked) {
    if (!out_.empty()) out_ += '\n';
    out_ += "## sextant check\n\n" + fenced("sh", asked.command);
  }

  void finding(const Diagnostic& d) {
    const Language language = style_.language;
    out_ += "\n### " + std::string(words::severity(d.severity).in(language)) + " " +
            std::string(d.code) + ": " + plain(rendered(d.title, language)) + "\n\n";
    const ExcerptStyle shown{.language = language, .width = style_.width};
    const std::string text = excerpt(d.labels, sources_, shown, Painter(false)).text;
    if (!text.empty()) out_ += fenced("text", text) + '\n';
    for (const Message& basis : d.basis) item(words::kBasis, basis);
    item(words::kBecause, d.because);
    item(words::kOtherwise, d.otherwise);
    for (const Fix& fix : d.fixes) {
      out_ += "\n**" + bare(words::kFix) + "** " + plain(rendered(fix.title, language)) + "\n\n";
      for (const Brought& brought : fix.brings) item(words::kBrings, brought_words(brought));
      if (!fix.brings.empty()) out_ += '\n';
      out_ += told(fix);
    }
    if (d.fixes.empty() && !d.no_fix.empty())
      out_ += "\n**" + bare(words::kNoFix) + "** " + plain(rendered(d.no_fix, language)) + '\n';
    out_ += "\n`" + explain_command(d) + "`\n";
  }

  void ending(const Outcome& outcome) {
    const Style unbroken{.language = style_.language, .width = kUnbroken, .all = true};
    out_ += '\n';
    const std::string counts = verdict(outcome, {}, unbroken);
    for (const std::string_view line : lines_of(counts)) out_ += plain(line) + '\n';
    if (outcome.combined.command.empty()) return;
    const Text heading = outcome.combined.clears_errors ? words::kAllFixes : words::kFixesThereAre;
    out_ += "\n**" + std::string(heading.in(style_.language)) + "**\n\n" + told(outcome.combined);
  }

  void translated(const Translated& to) {
    for (const Message& said : to.said)
      out_ += '\n' + plain(rendered(said, style_.language)) + '\n';
    if (to.command.empty()) return;
    const Message heading{words::kSameWith, {{"engine", to.engine}}};
    out_ +=
        "\n**" + plain(rendered(heading, style_.language)) + "**\n\n" + fenced("sh", to.command);
  }

  std::string take() { return std::move(out_); }

 private:
  std::string told(const Fix& fix) const {
    const std::string diff =
        fix.by_lines ? as_diff(changed_lines(fix.edits, sources_)) : std::string();
    return diff.empty() ? fenced("sh", fix.command) : fenced("text", lines_shown(diff));
  }

  std::string bare(const Text& words) const {
    std::string_view text = words.in(style_.language);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return std::string(text);
  }

  void item(const Text& head, const Message& message) {
    if (message.empty()) return;
    out_ += "- *" + bare(head) + "* " + plain(rendered(message, style_.language)) + '\n';
  }

  const Sources& sources_;
  const Style& style_;
  std::string out_;
};

}  // namespace

std::string render_markdown(const std::vector<LaunchAnswer>& answers, const Sources& sources,
                            const Style& style) {
  Page page(sources, style);
  for (const LaunchAnswer& answer : answers) {
    page.heading(answer.asked);
    for (const Diagnostic& diagnostic : answer.outcome.diagnostics) page.finding(diagnostic);
    page.ending(answer.outcome);
    page.translated(answer.asked.translated);
  }
  return page.take();
}

}  // namespace sx
