// A KV cache in 8 bits: half the bytes a token, where engine, version, cards and model take it.
#pragma once

#include <string_view>

#include "facts/case.h"

namespace sx {

// What the engine calls the type, "fp8" or "fp8_e4m3".
std::string_view small_cache_word(const ServeSpec& serve);

// Whether the launch keeps its cache in 16 bits without having been told so, and would surely start
// with one in 8.
bool may_take_small_cache(const Case& launch);

// Whether all cards of the launch are known to be of this compute capability ("8.9") or later.
bool cards_have(const Case& launch, std::string_view capability);

}  // namespace sx
