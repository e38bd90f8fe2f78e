// Where a launch says which key its engine asks clients for (data/engine_keys.tsv).
#pragma once

#include <string_view>
#include <vector>

namespace sx {

struct EngineKeyPlace {
  enum class Kind { Flag, Variable };
  enum class Holds {
    One,
    List,    // several values of one flag
    Commas,  // several in one value
    File,    // a path; a key stands on each line of it
  };
  Kind kind = Kind::Flag;
  std::string_view name;
  Holds holds = Holds::One;
  std::string_view unless;  // it does not count where this flag is given; empty: it always does
};

// In the order in which they are looked at; any key of any of them is taken by the engine.
std::vector<EngineKeyPlace> engine_key_places(std::string_view engine);

}  // namespace sx
