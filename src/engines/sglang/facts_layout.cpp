// Ranks: the tensor group is the whole replica of a stage. Attention groups, ranks of the context
// and expert ranks lie inside it and take no GPUs of their own.
#include <algorithm>
#include <string>

#include "engines/sglang/facts.h"
#include "knowledge/traits.h"

namespace sx::sglang {
namespace {

using argparse::Reading;

Fact<int> size(const Reading& read, std::string_view name) {
  auto count = read.count(name);
  return count.known() || !count.why_unknown().empty() ? count : Fact<int>(1, Origin::Default);
}

// --dp-size is a number of replicas, or with --enable-dp-attention a number of groups inside one
// replica, which newer versions call --attn-dp-size.
void fill_data_parallel(ServeSpec& serve, const Reading& read) {
  const auto replicas = size(read, "--dp-size");
  const auto inside = read.flag("--enable-dp-attention");
  if (!inside.known() && !inside.why_unknown().empty()) {
    serve.data_parallel = Fact<int>::unknown(inside.why_unknown());
    serve.attention_data_parallel = serve.data_parallel;
  } else if (inside.value_or(false)) {
    serve.data_parallel = Fact<int>(1, Origin::Default);
    const auto named = size(read, "--attn-dp-size");
    serve.attention_data_parallel = named.asked() ? named : replicas;
  } else {
    serve.data_parallel = replicas;
    serve.attention_data_parallel = size(read, "--attn-dp-size");
  }
  serve.data_parallel_local =
      serve.data_parallel.known()
          ? Fact<int>(serve.data_parallel.value(), Origin::Default, serve.data_parallel.span())
          : Fact<int>::unknown(serve.data_parallel.why_unknown());
}

// What makes every rank of the tensor group hold whole experts, whatever --ep-size says.
const FlagUse* holds_experts_whole(const ServeSpec& serve, const Reading& read) {
  const auto does = [&](const std::string& what) {
    return trait(serve.engine, "whole-experts " + what, serve.version).has_value();
  };
  const FlagUse* backend = read.use("--moe-a2a-backend");
  if (backend != nullptr && !backend->values.empty() && does(backend->values.front()))
    return backend;
  for (const char* older : {"--enable-deepep-moe", "--enable-ep-moe"}) {
    const FlagUse* use = read.use(older);
    if (use != nullptr && does(older)) return use;
  }
  return nullptr;
}

void fill_experts(ServeSpec& serve, const Reading& read) {
  serve.expert_ranks = size(read, "--ep-size");
  if (!serve.tensor_parallel.known()) {
    serve.expert_parallel = Fact<bool>::unknown(serve.tensor_parallel.why_unknown());
    return;
  }
  const int tensor = serve.tensor_parallel.value();
  if (const FlagUse* whole = holds_experts_whole(serve, read)) {
    serve.expert_ranks = Fact<int>(tensor, Origin::Formula, whole->span);
    serve.expert_parallel = Fact<bool>(true, Origin::Formula, whole->span);
    return;
  }
  if (!serve.expert_ranks.known()) {
    serve.expert_parallel = Fact<bool>::unknown(serve.expert_ranks.why_unknown());
    return;
  }
  const long long ranks = serve.expert_ranks.value();
  const long long copies = std::max(1, size(read, "--moe-dp-size").value_or(1));
  serve.expert_parallel = Fact<bool>(ranks > 1 && ranks * copies >= tensor,
                                     serve.expert_ranks.origin(), serve.expert_ranks.span());
}

}  // namespace

void fill_layout(ServeSpec& serve, const Reading& read) {
  serve.tensor_parallel = size(read, "--tp-size");
  serve.pipeline_parallel = size(read, "--pp-size");
  serve.decode_context_parallel = size(read, "--dcp-size");
  serve.prefill_context_parallel = Fact<int>(1, Origin::Default);
  serve.node_count = size(read, "--nnodes");
  serve.first_gpu = read.count("--base-gpu-id");
  serve.gpu_step = read.count("--gpu-id-step");
  fill_data_parallel(serve, read);
  fill_experts(serve, read);
}

}  // namespace sx::sglang
