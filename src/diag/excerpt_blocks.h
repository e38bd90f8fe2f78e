// Which lines an excerpt shows: labels sorted into places, places into lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "diag/diagnostic.h"
#include "diag/shown_line.h"

namespace sx {

// A mark in one line, still in bytes of that line.
struct LineMark {
  Range bytes;
  bool primary = false;
  const Label* label = nullptr;  // whose text stands here; nullptr: the text stands at another line
                                 // of the same label
};

struct MarkedLine {
  int number = 0;         // 1-based
  std::string_view text;  // without its line end
  std::vector<LineMark> marks;
};

// Lines of one source that are shown together.
struct Block {
  int source = -1;
  int line = 0;                   // of the label that opened it: what the head names
  std::vector<MarkedLine> lines;  // in order, each once; lines between them are left out
};

// In the order of the labels, a primary label first. Labels near each other in one source share a
// block.
std::vector<Block> blocks_of(const std::vector<Label>& labels, const Sources& sources);

}  // namespace sx
