// Environment, overrides of the config, and the weakest card.
#include "rules/model/surroundings.h"

#include "base/strings.h"
#include "check/free_memory.h"
#include "check/launch_variables.h"
#include "facts/elsewhere.h"
#include "knowledge/library_variables.h"
#include "knowledge/truth_words.h"

namespace sx::rules {
namespace {

bool is_on(const Case& c, std::string_view name, std::string_view value) {
  const LibraryVariable* library = find_library_variable(name);
  const auto truth = library != nullptr ? truth_as(library->library, value)
                                        : variable_truth(c.serve.engine, name, value);
  return truth.value_or(false);
}

}  // namespace

bool switched_on(const Case& c, std::string_view name) {
  const auto set = launch_variable(c, name);
  return set && is_on(c, name, set->value) && (set->span || c.host().from == HostFrom::Live);
}

bool offline(const Case& c) {
  return switched_on(c, "HF_HUB_OFFLINE") || switched_on(c, "TRANSFORMERS_OFFLINE");
}

bool runs_here(const Case& c) {
  return c.host().from == HostFrom::Live && !leads_elsewhere(c.command.before);
}

bool overridden(const ServeSpec& serve, std::string_view key) {
  const Fact<std::string>& overrides = serve.hf_overrides;
  if (!overrides.known()) return !overrides.why_unknown().empty();
  return overrides.value().find('"' + std::string(key) + '"') != std::string::npos;
}

const Gpu* weakest_gpu(const Case& c) {
  const Gpu* weakest = nullptr;
  for (const Gpu* gpu : gpus_of_launch(c)) {
    if (!gpu->capability.known()) return nullptr;
    if (weakest == nullptr || gpu->capability.value() < weakest->capability.value()) weakest = gpu;
  }
  return weakest;
}

}  // namespace sx::rules
