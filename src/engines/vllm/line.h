// The arguments as vLLM's parser gets to see them: the words of the command, with the file of
// `--config FILE` in their midst.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/version.h"
#include "engines/engine.h"
#include "engines/vllm/recognise.h"

namespace sx::vllm {

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
};

Line make_line(const Command& command, const Launch& launch, const Version& version,
               const Sources& sources, const SplicedFile& spliced);

}  // namespace sx::vllm
