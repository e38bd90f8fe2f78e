// One line a finding, for grep and for editors that know `file:line:column: message`.
#include <string>

#include "diag/excerpt.h"
#include "diag/finding_text.h"
#include "diag/render.h"
#include "text/columns.h"

namespace sx {
namespace {

std::string place(const Diagnostic& diagnostic, const Sources& sources, Language language) {
  const Label* label = primary_label(diagnostic, sources);
  if (label == nullptr) return {};
  const Source& source = sources.at(label->span.source);
  const Place at = place_of(source, inside(label->span, sources).begin);
  return source_name(source, language) + ":" + std::to_string(at.line) + ":" +
         std::to_string(at.column) + ": ";
}

}  // namespace

std::string render_short(const Outcome& outcome, const Sources& sources, const Style& style) {
  const Painter painter(style.colour);
  std::string out;
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    out += place(diagnostic, sources, style.language);
    out += painter(severity_paint(diagnostic.severity), title_head(diagnostic, style.language));
    out += printable(rendered(diagnostic.title, style.language));
    out += '\n';
  }
  return out;
}

}  // namespace sx
