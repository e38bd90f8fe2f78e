// Fields of a GPU by the names that `nvidia-smi` gives them in queries and in `-q`.
#pragma once

#include <string_view>

#include "read/machine_text.h"

namespace sx {

enum class SmiField {
  None,
  Index,
  Name,
  Uuid,
  BusId,
  MemoryTotal,
  MemoryUsed,
  MemoryFree,
  Driver,
  Capability,
  Mig,
  Ecc,
  Persistence,
  ComputeMode,
  PowerLimit,
};

// A column of --query-gpu: "memory.total", "gpu_name"; None for one that is of no use here.
SmiField query_field(std::string_view column);
// Looks like the name of a column, known or not: lower-case words with dots and underscores.
bool looks_like_column(std::string_view text);
// "N/A", "[Not Supported]", "[Unknown Error]", "Requested functionality has been deprecated" …
bool is_no_value(std::string_view text);
// Puts a value in its place. `unit` is of the header ("MiB") when the value has none. Odd values
// change nothing.
void set_field(PastedGpu& gpu, SmiField field, std::string_view value, std::string_view unit);
// Begins as the names of these cards do.
bool looks_like_card(std::string_view text);

}  // namespace sx
