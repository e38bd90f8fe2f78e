// How keys and tokens begin that tell themselves by their look (data/token_shapes.tsv).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace sx {

struct TokenShape {
  std::string_view front;  // "hf_"
  std::size_t least = 0;   // letters behind it
};

std::span<const TokenShape> token_shapes();

}  // namespace sx
