// Words that the rules about GPU memory share.
#pragma once

#include "check/memory_verdict.h"
#include "check/rule.h"

namespace sx::rules {

// "each GPU" where all of them are alike, else the host's number of that one: "GPU 3".
Argument where(const Case& c, const MemoryFault& fault, const Budget& budget);
Argument where(const Case& c, const MemoryVerdict& verdict);

// What decides how much of the model one GPU holds: the flag of the split, else the model's name.
void mark_split(const Case& c, Diagnostic& d, Message text);

// The share of the card: the flag when it is given, else a basis line.
void tell_share(const Case& c, const MemoryVerdict& verdict, Diagnostic& d);

// "on each GPU: weights 33.99 + activations 0.64 + CUDA graphs 0.77 + runtime 0.45 = 35.85 GiB".
void tell_parts(const Case& c, const MemoryVerdict& verdict, Diagnostic& d);

// How sure the weights are and where their size comes from.
void tell_weights(const Case& c, const MemoryVerdict& verdict, Diagnostic& d);

}  // namespace sx::rules
