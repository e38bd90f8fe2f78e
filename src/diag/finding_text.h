// The parts of one finding's text that several formats use.
#pragma once

#include <string>

#include "base/source.h"
#include "diag/diagnostic.h"
#include "diag/render.h"
#include "text/paint.h"

namespace sx {

// `above`: the finding before it when that has the same primary place, whose excerpt is then not
// shown again.
std::string finding_text(const Diagnostic& diagnostic, const Sources& sources, const Style& style,
                         const Diagnostic* above);

std::string title_head(const Diagnostic& diagnostic, Language language);  // "error[SX2103]: "
std::string title_line(const Diagnostic& diagnostic, const Style& style);
std::string explain_command(const Diagnostic& diagnostic);
Paint severity_paint(Severity severity);

// "a new warning, SX5103: GPU 3 has …"
Message brought_words(const Brought& brought);
// What a fix tells people to have: its command, or the lines of a manifest, old and new.
std::string fix_lines(const Fix& fix, const Sources& sources, const Painter& painter);

}  // namespace sx
