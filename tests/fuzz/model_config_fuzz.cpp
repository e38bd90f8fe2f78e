// Any bytes as config.json: facts that are known are in range and underline something.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "gather/gather_model.h"

namespace {

void hold(const sx::Fact<int>& fact, const sx::Sources& sources) {
  if (!fact.known()) return;
  SX_ASSERT(fact.value() >= 0 && fact.value() <= 100'000'000);
  if (fact.span()) SX_ASSERT(fact.span()->end <= sources.at(fact.span()->source).text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sx::Sources sources;
  const int source = sources.add(
      {.name = "config.json", .text = std::string(reinterpret_cast<const char*>(data), size)});
  const sx::ModelSpec model = sx::model_from_config(sources, source);
  for (const auto* fact : {&model.layers, &model.hidden_size, &model.intermediate_size,
                           &model.heads, &model.kv_heads, &model.head_dim, &model.vocab_size,
                           &model.experts, &model.expert_width, &model.shared_expert_width,
                           &model.kv_lora, &model.vision.layers, &model.vision.intermediate_size}) {
    hold(*fact, sources);
  }
  if (model.max_positions.known()) SX_ASSERT(model.max_positions.value() > sx::Tokens{0});
  sx::rendered(model.heads.why_unknown().empty() ? sx::Message{sx::Text{"-", "-"}}
                                                 : model.heads.why_unknown(),
               sx::Language::Chinese);
  return 0;
}
