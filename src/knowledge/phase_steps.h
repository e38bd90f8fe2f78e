// Where a start stands at each phase, what normally comes next, and what to collect when the log
// tells no more (data/causes/phases.tsv, data/causes/collect.tsv).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "knowledge/constraints.h"

namespace sx {

struct CollectRow {
  std::string_view item;  // "kernel"
  Sentence what;
  std::string_view command;  // words in capitals are the reader's to fill in
  std::string_view source;
};

struct PhaseRow {
  std::string_view phase;   // "load"
  std::string_view engine;  // empty: any
  Sentence here, next;
  std::vector<std::string_view> collect;  // items
  std::string_view again;  // a change of the launch that makes it say more, as a fix says it
  std::string_view source;
};

std::span<const CollectRow> collect_rows();
std::span<const PhaseRow> phase_rows();

// The row of the engine, else that of all; null: none.
const PhaseRow* find_phase(std::string_view phase, std::string_view engine);
const CollectRow* find_collect(std::string_view item);

}  // namespace sx
