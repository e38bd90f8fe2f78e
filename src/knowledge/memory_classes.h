// What an engine chooses by the size of the cards (data/engines/<engine>/memory_classes.tsv): one
// row a class of sizes, from the version on in which the whole set of classes came.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/version.h"

namespace sx {

struct MemoryClass {
  Tokens chunk;                       // of one prefill step
  std::int64_t graph_batch = 0;       // largest decode graph, fewer than four tensor ranks
  std::int64_t graph_batch_tp4 = 0;   // with four and more
  std::optional<double> reserve_gib;  // held back from the share, where it goes by class
  double reserve_gib_per_rank = 0;
};

// The class of a card of that many MiB; nothing for an engine without such classes.
std::optional<MemoryClass> memory_class(std::string_view engine, double card_mib,
                                        const Version& version);

}  // namespace sx
