// The arguments as the parser gets to see them: the words of the command, with the file of
// `--config FILE` in their midst.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engines/argparse/launch.h"
#include "engines/argparse/spelling.h"
#include "engines/engine.h"

namespace sx::argparse {

struct Piece {
  std::string text;
  Span span;
  std::size_t word = 0;  // in Command::words; of a spliced piece: the word that names the file
  bool literal = true;
  bool complete = true;
  bool spliced = false;
};

struct Line {
  std::vector<Piece> pieces;
  std::vector<FlagUse> config;  // the use of --config itself
  std::vector<FlagProblem> problems;
  bool has_config = false;  // a file was named, readable or not
  Piece launcher;           // the word in front of the arguments: "serve", or the module
};

Line make_line(const Command& command, const Launch& launch, const Dialect& dialect,
               const Sources& sources, const SplicedFile& spliced);

}  // namespace sx::argparse
