// Architectures of GGUF files that an engine was seen to take (data/engines/<engine>/
// architectures.tsv of engines that read GGUF alone).
#pragma once

#include <optional>
#include <string_view>

namespace sx {

// Empty for an engine without such a table.
std::optional<bool> knows_gguf_architecture(std::string_view engine, std::string_view name);

}  // namespace sx
