// Why a replica changed its state, where we are who says it: words of the journal for people.
#pragma once

#include <optional>
#include <string_view>

#include "base/both.h"

namespace sx {

// "keeper-lost": "its keeper is gone", "看护进程已消失". Nothing for other words; those are causes
// of data/causes.
std::optional<Both> reason_words(std::string_view word);

}  // namespace sx
