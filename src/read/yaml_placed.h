// The value of a YAML scalar with the place of each of its bytes, in every style: plain, quoted,
// folded and literal.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "read/placed_text.h"
#include "read/yaml.h"

namespace sx {

enum class YamlStyle { Plain, SingleQuoted, DoubleQuoted, Literal, Folded, Alias };
YamlStyle style_of(const Sources& sources, const YamlNode& scalar);

// Where a byte cannot be placed (an alias, an escape this reader does not know), the whole scalar
// is its place.
PlacedText placed_text(const Sources& sources, const YamlNode& scalar);

// The scalar as one word: the span has its quotes.
PlacedWord placed_word(const Sources& sources, const YamlNode& scalar);

// How text may be written into the scalar: a literal block takes it as it is.
Command::Text edits_inside(const Sources& sources, const YamlNode& scalar);

// The scalars of a list as words, and how another item behind each is written: in the list's own
// style and indentation. Maps and lists in it are passed over.
std::vector<PlacedWord> list_words(const Sources& sources, const YamlNode& list);

// Behind a value, and where it is empty behind the colon of its key.
std::size_t end_of(const Sources& sources, const Span& value);

// What another item of a list, or another member of a map, in this place begins with: "\n    - ",
// ", ". `at` is where an item begins; empty when the text says nothing.
std::string lead_of(const Sources& sources, const Span& at, bool flow);

}  // namespace sx
