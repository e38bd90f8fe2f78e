// Where a value came from, in words for people.
#pragma once

#include "diag/message.h"
#include "facts/fact.h"

namespace sx {

Text origin_words(Origin origin);

}  // namespace sx
