// Words around a launch that say what its files and its folder may be when it runs
// (data/words_around.tsv).
#pragma once

#include <span>
#include <string_view>

namespace sx {

enum class AroundUse {
  Brings,     // a program or a call that leaves files behind or fetches a model
  Script,     // how the name of a script ends: what it does is not read
  Asks,       // a question of a shell whether a file is there
  Unit,       // a key of a unit that runs something first, or shows it other folders
  Cluster,    // how a line begins that a scheduler of a cluster reads
  Moves,      // a command of a shell that changes its folder
  Elsewhere,  // a word before the engine: what it starts has a folder of its own
};

// In the order of the table: the first that stands in a text is the one to name.
std::span<const std::string_view> words_around(AroundUse use);

}  // namespace sx
