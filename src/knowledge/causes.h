// What a run can fail of, in words (data/causes/causes.tsv). Names are those of the rules where a
// rule could have seen it before the launch; the others have codes of their own here.
#pragma once

#include <span>
#include <string_view>

#include "knowledge/constraints.h"

namespace sx {

struct CauseRow {
  std::string_view code;  // "SX7104"; empty: a rule has this name, and its code
  std::string_view name;  // "oom-cudagraph"
  std::string_view family;
  Sentence title;
  // The same with numbers of the log in it, in several forms between bars: the first whose places
  // are all filled is said.
  Sentence numbers;
  Sentence because, otherwise, sure, fix;
  // Changes of the launch, best first, in the words of a constraint's fixes, between semicolons.
  std::string_view changes;
  std::string_view source;
};

std::span<const CauseRow> causes();
const CauseRow* find_cause(std::string_view name_or_code);

}  // namespace sx
