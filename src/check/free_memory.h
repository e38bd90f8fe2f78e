// What a launch finds free on its cards when it starts, and how much of a card must stay outside
// its share.
#pragma once

#include <optional>
#include <vector>

#include "check/memory_verdict.h"
#include "facts/case.h"

namespace sx {

// The GPUs of all replicas on this machine, in the process's own order; as many as are visible.
std::vector<const Gpu*> gpus_of_launch(const Case& c);

// The share of each card in force: asked, or the default of the version.
std::optional<double> fraction_in_force(const Case& c);

// What others leave free; nothing when their use is not known.
std::optional<Bytes> free_now(const Gpu& gpu);

// What the launch itself takes of a card before its share is compared with what is free: CUDA
// context, and the buffers of collectives where the version makes them first.
Extent taken_before_share(const Case& c);

// Whether this version ends the start when less is free than its share.
bool refuses_less_than_share(const Case& c);

// Whether this version takes what other processes hold of a card for its own, so that its share
// shrinks by it.
bool counts_neighbours(const Case& c);

// The largest share, in whole hundredths, that leaves room for all that stands outside it on every
// card of the launch, others' memory included; never more than 0.95.
std::optional<double> safe_fraction(const Case& c);
// The same where the launch's own budget is there already.
std::optional<double> safe_fraction(const Case& c, const Budget& own);

// Graphs that are captured outside the share: those of versions that do not subtract them.
Extent graphs_outside_share(const Case& c);

}  // namespace sx
