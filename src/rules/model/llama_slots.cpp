// The command says it in two flags.
#include "rules/model/llama_slots.h"

#include <algorithm>

namespace sx::rules {

std::int64_t slots_apart(const ServeSpec& serve) {
  const FlagUse* unified = serve.use_of("--kv-unified");
  const bool shared = unified != nullptr && !unified->negated;
  if (shared || !serve.max_num_seqs.asked()) return 1;
  return std::max(1, serve.max_num_seqs.value());
}

}  // namespace sx::rules
