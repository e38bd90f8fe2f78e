// What launches that take the same card leave each other of it, by each engine's own way to take.
#pragma once

#include <optional>
#include <vector>

#include "check/rule.h"

namespace sx::rules {

// Numbers of the machine's cards that the launch takes, in its own order. Empty: not known.
std::vector<int> machine_gpus_of(const Case& c);

// Two launches on one card, as parts of the whole card.
struct Squeeze {
  double asked = 0;      // by both together
  bool certain = false;  // whichever comes first, the other does not start
};

// Nothing when both may live on the card, or when what they take cannot be worked out. `gpu` is the
// machine's number.
std::optional<Squeeze> squeeze(const Case& first, const Case& second, int gpu);

}  // namespace sx::rules
