// The user's own text with the marks of one finding in it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/source.h"
#include "diag/diagnostic.h"
#include "text/paint.h"

namespace sx {

struct ExcerptStyle {
  Language language = Language::English;
  std::size_t width = 100;  // cells of the terminal
  Paint primary = Paint::Error;
  bool further = false;  // all places are further ones: ` ::: ` before the first, too
};

struct Excerpt {
  std::string text;        // ends with a line end; empty when no label has a place
  std::size_t gutter = 1;  // cells left of the `|`, for the `=` lines that follow
};

// ` --> place`, the lines, their marks; ` ::: place` before each further place. Labels without a
// place are left out; spans that reach beyond their text are cut to it.
Excerpt excerpt(const std::vector<Label>& labels, const Sources& sources, const ExcerptStyle& style,
                const Painter& painter);

// The label that says where the finding is: the primary one, otherwise the first with a place;
// nullptr: none has one.
const Label* primary_label(const Diagnostic& diagnostic, const Sources& sources);

bool has_place(const Label& label, const Sources& sources);

// Within the text and not backwards.
Span inside(const Span& span, const Sources& sources);

// Whether lines of this source are told by their number: not those of a command line.
bool has_line_numbers(const Source& source);

}  // namespace sx
