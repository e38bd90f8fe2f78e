// Whether a start that failed of a cause can work when it is simply tried again, whether another
// layout can do what this one cannot, and whether it is the links or the cards
// (data/causes/again.tsv).
#pragma once

#include <string_view>

namespace sx {

struct AgainRow {
  enum class Again { Maybe, AfterRelease, Never } again = Again::Maybe;
  bool other_layout = false;
  bool links = false;  // it is about what GPUs say to each other
  bool cards = false;  // it is about these GPUs: others of the same kind may do
};

// A row of the cause's own, else that of its family. For a name that is not known: it may, and no
// layout is blamed.
AgainRow again_after(std::string_view cause);

}  // namespace sx
