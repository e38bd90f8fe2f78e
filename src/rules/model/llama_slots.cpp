// The command says it in two flags.
#include "rules/model/llama_slots.h"

#include <algorithm>

namespace sx::rules {

std::optional<std::int64_t> slots_apart(const ServeSpec& serve) {
  const FlagUse* unified = serve.use_of("--kv-unified");
  if (unified != nullptr && !unified->negated) return 1;
  if (!serve.max_num_seqs.asked()) {
    if (unified != nullptr) return {};
    return 1;
  }
  return std::max(1, serve.max_num_seqs.value());
}

}  // namespace sx::rules
