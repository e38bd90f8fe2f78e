// How Docker Compose reads text: ${VARIABLES} in every scalar, and commands given as one string.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/placed_text.h"

namespace sx {

// Value of a variable that Compose would know: from .env beside the file. Empty: not known here.
using ComposeVariables = std::function<std::optional<std::string>(std::string_view name)>;

// ${A}, $A, ${A:-x}, ${A-x}, ${A:+x}, ${A+x}, ${A:?x}, ${A?x}, x again such a text; $$ is one $.
// What is not known stays as written and is incomplete, a default counts. At most 16 levels.
PlacedText compose_interpolated(const PlacedText& text, const ComposeVariables& variables);

struct ComposeWords {
  std::vector<PlacedWord> words;
  bool readable = true;     // false: Compose refuses it (an open quote, a bracket)
  std::optional<Span> cut;  // the | & ; < > at which Compose stops: the rest is dropped
};

// As Compose does: no shell. Quotes and backslashes are resolved, and a backslash in front of a
// line end or a blank makes it a part of a word, where a shell would continue the line. At most 65
// 536 words.
ComposeWords compose_words(const PlacedText& text);

}  // namespace sx
