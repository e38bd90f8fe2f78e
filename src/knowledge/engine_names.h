// How an engine writes its own name (data/engine_names.tsv).
#pragma once

#include <string_view>

namespace sx {

// "llamacpp" → "llama.cpp"; the name itself where the table has none.
std::string_view shown_engine(std::string_view engine);

}  // namespace sx
