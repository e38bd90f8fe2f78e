// The key is text, so that a reader of the file sees what was compared.
#include "facts/learned.h"

#include <algorithm>
#include <initializer_list>

#include "base/strings.h"
#include "facts/case.h"
#include "facts/secret_names.h"

namespace sx {
namespace {

constexpr int kMostGpus = 64;  // of one machine; more is another question

// "0.90" and "0.9" are one number.
std::string canonical(const std::string& value) {
  if (const auto whole = to_integer(value)) return std::to_string(*whole);
  const auto number = to_number(value);
  return number ? std::to_string(*number) : value;
}

// Whether it is the use that counts of one of these flags, by their common names.
bool is_one_of(const ServeSpec& serve, const FlagUse& use,
               std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    const FlagUse* counts = serve.use_of(name);
    return counts != nullptr && counts->name == use.name;
  });
}

// "32k" and "32000" are one length: what the engine understood counts.
std::optional<std::int64_t> understood(const ServeSpec& serve, const FlagUse& use) {
  const bool length = is_one_of(serve, use, {"--max-model-len"});
  if (length && serve.max_model_len.known()) return serve.max_model_len.value().count();
  const bool batch = is_one_of(serve, use, {"--max-num-batched-tokens"});
  if (batch && serve.max_batched_tokens.known()) return serve.max_batched_tokens.value().count();
  const bool pool = is_one_of(serve, use, {"--kv-cache-memory-bytes"});
  if (pool && serve.kv_cache_bytes.known()) return serve.kv_cache_bytes.value().count();
  return {};
}

// Asking for the model's own length asks for nothing.
bool is_usual_length(const Case& c, const FlagUse& use) {
  const Fact<Tokens>& own = c.model().max_positions;
  const Fact<Tokens>& asked = c.serve.max_model_len;
  return is_one_of(c.serve, use, {"--max-model-len"}) && own.known() && asked.known() &&
         own.value() == asked.value();
}

std::vector<std::string> flags_of(const Case& c) {
  const ServeSpec& serve = c.serve;
  std::vector<std::string> flags;
  for (const FlagUse& use : serve.flags) {
    // Where it listens and how it is called costs no memory; the model stands in the key by itself.
    if (is_one_of(serve, use, {"--host", "--port", "--served-model-name", "--model"})) continue;
    if (names_secret(use.name) || is_usual_length(c, use)) continue;
    std::string text = (use.negated ? "no " : "") + use.name;
    if (use.path) text += "." + *use.path;
    const auto number = understood(serve, use);
    if (number) text += " " + std::to_string(*number);
    for (const std::string& value : use.values) text += number ? "" : " " + canonical(value);
    flags.push_back(std::move(text));
  }
  std::ranges::sort(flags);
  return flags;
}

// Which cards the process sees is told by the cards themselves.
std::vector<std::string> variables_of(const Case& c) {
  std::vector<std::string> variables;
  for (const Setting& setting : c.command.environment) {
    const bool cards =
        setting.name == "CUDA_VISIBLE_DEVICES" || setting.name == "CUDA_DEVICE_ORDER";
    if (!cards && !may_name_secret(setting.name))
      variables.push_back(setting.name + "=" + canonical(setting.value));
  }
  std::ranges::sort(variables);
  return variables;
}

std::string gpus_of(const Case& c) {
  const int wanted = c.serve.world_size().value_or(1);
  if (!c.visible.known || wanted > kMostGpus) return {};
  std::string text;
  for (int rank = 0; rank < wanted; ++rank) {
    if (static_cast<std::size_t>(rank) >= c.visible.gpus.size()) return {};
    const auto index = static_cast<std::size_t>(c.visible.gpus[static_cast<std::size_t>(rank)]);
    if (index >= c.host().gpus.size()) return {};
    const Gpu& gpu = c.host().gpus[index];
    if (!gpu.name.known() || !gpu.memory.known()) return {};
    text += (rank == 0 ? "" : ", ") + gpu.name.value();
    text += "/" + std::to_string(gpu.memory.value().count() >> 20);
  }
  return text;
}

}  // namespace

const LearnedGpu* LearnedRun::gpu(int rank) const {
  const auto found = std::ranges::find(gpus, rank, &LearnedGpu::gpu);
  return found == gpus.end() ? nullptr : &*found;
}

std::string learned_key(const Case& c) {
  const std::string gpus = gpus_of(c);
  if (gpus.empty() || !c.serve.model.known()) return {};
  const bool incomplete =
      std::ranges::any_of(c.serve.flags, [](const FlagUse& use) { return !use.complete; });
  if (incomplete) return {};
  std::string key = c.serve.engine + ' ' + c.serve.version.text() + " | " + c.serve.model.value();
  key += " | " + gpus + " | " + join(flags_of(c), "; ");
  return key + " | " + join(variables_of(c), "; ");
}

const LearnedRun* find_learned(const std::vector<LearnedRun>& runs, const Case& c) {
  if (runs.empty()) return nullptr;
  const std::string key = learned_key(c);
  if (key.empty()) return nullptr;
  const auto found = std::ranges::find(runs.rbegin(), runs.rend(), key, &LearnedRun::key);
  return found == runs.rend() ? nullptr : &*found;
}

}  // namespace sx
