// One finding as text: title, excerpt, sentences, fixes, where to read more.
#include <algorithm>

#include "diag/changed_lines.h"
#include "diag/excerpt.h"
#include "diag/finding_text.h"
#include "diag/render.h"
#include "diag/sentences.h"
#include "diag/words.h"
#include "text/columns.h"

namespace sx {
namespace {

class Page {
 public:
  Page(const Diagnostic& diagnostic, const Sources& sources, const Style& style)
      : diagnostic_(diagnostic), sources_(sources), style_(style), painter_(style.colour) {}

  std::string whole(const Diagnostic* above) {
    out_ = title_line(diagnostic_, style_);
    above == nullptr ? show_place() : name_place(*above);
    for (const Message& basis : diagnostic_.basis) equals(words::kBasis, basis);
    equals(words::kBecause, diagnostic_.because);
    equals(words::kOtherwise, diagnostic_.otherwise);
    for (const Fix& fix : diagnostic_.fixes) {
      head_and_sentence(words::kFix, fix.title);
      for (const Brought& brought : fix.brings) equals(words::kBrings, brought_words(brought));
      out_ += fix_lines(fix, sources_, painter_);
    }
    if (diagnostic_.fixes.empty() && !diagnostic_.no_fix.empty()) {
      head_and_sentence(words::kNoFix, diagnostic_.no_fix);
    }
    out_ += painter_(Paint::Quiet, words::kExplain.in(style_.language));
    out_ += explain_command(diagnostic_) + "\n";
    return std::move(out_);
  }

 private:
  void show_place() { put(excerpt(diagnostic_.labels, sources_, excerpt_style(), painter_)); }

  // The primary place is known; what else this finding points at may be new.
  void name_place(const Diagnostic& above) {
    std::vector<Label> further;
    for (const Label& label : diagnostic_.labels) {
      if (!label.primary && !stands_in(above, label)) further.push_back(label);
    }
    ExcerptStyle style = excerpt_style();
    style.further = true;
    const Excerpt shown = excerpt(further, sources_, style, painter_);
    gutter_ = shown.gutter;
    out_ += painter_(Paint::Quiet, " --> ");
    out_.append(words::kSamePlace.in(style_.language)).append("\n");
    for (const Label& label : diagnostic_.labels) {
      if (label.primary && !stands_in(above, label)) equals(words::kHere, label.text);
    }
    put(shown);
  }

  bool stands_in(const Diagnostic& above, const Label& label) const {
    const std::string text = rendered(label.text, style_.language);
    return std::ranges::any_of(above.labels, [&](const Label& other) {
      if (!(other.span == label.span)) return false;
      return text.empty() || rendered(other.text, style_.language) == text;
    });
  }

  ExcerptStyle excerpt_style() const {
    return {.language = style_.language,
            .width = std::max(style_.width, kLeastWidth),
            .primary = severity_paint(diagnostic_.severity)};
  }

  void put(const Excerpt& shown) {
    gutter_ = shown.gutter;
    out_ += shown.text;
  }

  void equals(Text key, const Message& message) {
    if (message.empty()) return;
    std::string head(gutter_ + 1, ' ');
    head.append("= ").append(key.in(style_.language)).append(" ");
    out_ += hanging(head, Paint::Quiet, rendered(message, style_.language), Paint::Plain,
                    style_.width, painter_);
  }

  void head_and_sentence(Text head, const Message& message) {
    out_ += hanging(head.in(style_.language), Paint::Strong, rendered(message, style_.language),
                    Paint::Plain, style_.width, painter_);
  }

  const Diagnostic& diagnostic_;
  const Sources& sources_;
  const Style& style_;
  Painter painter_;
  std::size_t gutter_ = 1;
  std::string out_;
};

}  // namespace

Paint severity_paint(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return Paint::Error;
    case Severity::Warning:
      return Paint::Warning;
    case Severity::Advice:
      return Paint::Advice;
  }
  return Paint::Error;
}

Message brought_words(const Brought& brought) {
  return {words::kBrought, {{"code", brought.code}, {"title", in_both(brought.title)}}};
}

std::string fix_lines(const Fix& fix, const Sources& sources, const Painter& painter) {
  const std::string diff =
      fix.by_lines ? as_diff(changed_lines(fix.edits, sources)) : std::string();
  return command_lines(diff.empty() ? std::string_view(fix.command) : diff, painter);
}

std::string title_head(const Diagnostic& diagnostic, Language language) {
  std::string out(words::severity(diagnostic.severity).in(language));
  return out.append("[").append(diagnostic.code).append("]: ");
}

std::string title_line(const Diagnostic& diagnostic, const Style& style) {
  return hanging(title_head(diagnostic, style.language), severity_paint(diagnostic.severity),
                 rendered(diagnostic.title, style.language), Paint::Strong, style.width,
                 Painter(style.colour));
}

std::string explain_command(const Diagnostic& diagnostic) {
  return "sextant explain " + std::string(diagnostic.code);
}

std::string finding_text(const Diagnostic& diagnostic, const Sources& sources, const Style& style,
                         const Diagnostic* above) {
  return Page(diagnostic, sources, style).whole(above);
}

std::string render_text(const Diagnostic& diagnostic, const Sources& sources, const Style& style) {
  return finding_text(diagnostic, sources, style, nullptr);
}

}  // namespace sx
