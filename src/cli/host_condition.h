// What is remarkable about a machine's condition: ECC, MIG, memory errors, what slows a card, and
// what the kernel's log says of cards.
#pragma once

#include <vector>

#include "diag/message.h"
#include "facts/host_spec.h"

namespace sx {

// One line a thing, only of what is known; ordinary things are left out but ECC and MIG, whose
// state decides memory and layout.
std::vector<Message> condition_remarks(const HostSpec& host);

}  // namespace sx
