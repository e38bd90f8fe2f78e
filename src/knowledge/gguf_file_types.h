// The number formats that whole GGUF files are named after (data/gguf_file_types.tsv).
#pragma once

#include <optional>
#include <string_view>

namespace sx {

struct GgufFileType {
  int id = 0;                  // general.file_type
  std::string_view name;       // "Q4_K_M"
  std::optional<double> bits;  // a weight, over a whole model; empty: not known
};

const GgufFileType* find_gguf_file_type(int id);
// In capitals or not, also as the end of a longer name: "UD-Q4_K_M" is Q4_K_M.
const GgufFileType* find_gguf_file_type(std::string_view name);

}  // namespace sx
