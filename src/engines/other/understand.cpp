// Only what the table is sure of becomes a fact; all else stays unknown, and what rests on it is
// not checked.
#include <algorithm>
#include <string>

#include "base/ports.h"
#include "base/strings.h"
#include "engines/argparse/environment.h"
#include "engines/other/other.h"

namespace sx::other {
namespace {

// Values as they are meant by the flag of the same name elsewhere; nothing where they cannot be
// known here.
struct Said {
  std::string value;
  Origin origin;
  Span span;
};

std::optional<Said> said(const std::vector<Use>& uses, std::string_view means) {
  for (auto use = uses.rbegin(); use != uses.rend(); ++use) {
    if (use->flag == nullptr || use->flag->means != means || use->values.empty()) continue;
    if (use->flag->takes == OtherFlag::Takes::Count) continue;
    if (!use->complete) return {};
    const Origin origin = use->variable ? Origin::Environment : Origin::Flag;
    return Said{use->values.front(), origin, use->span};
  }
  return {};
}

bool mentioned(const std::vector<Use>& uses, std::string_view means) {
  for (const Use& use : uses) {
    const bool counts = use.flag != nullptr && use.flag->takes == OtherFlag::Takes::Count;
    if (use.flag != nullptr && use.flag->means == means && !counts) return true;
  }
  return false;
}

Fact<int> size_fact(const std::vector<Use>& uses, std::string_view means,
                    std::optional<int> otherwise) {
  if (const auto found = said(uses, means)) {
    const auto number = to_integer(found->value);
    constexpr std::int64_t kMost = 1 << 30;
    if (!number || *number < -kMost || *number > kMost) return {};
    return {static_cast<int>(*number), found->origin, found->span};
  }
  if (mentioned(uses, means) || !otherwise) return {};
  return {*otherwise, Origin::Default};
}

Fact<std::string> text_fact(const std::vector<Use>& uses, std::string_view means) {
  const auto found = said(uses, means);
  return found ? Fact<std::string>(found->value, found->origin, found->span) : Fact<std::string>();
}

// HOST:PORT in one variable.
void take_address(const std::vector<Use>& uses, ServeSpec& serve) {
  for (const Use& use : uses) {
    if (use.flag == nullptr || use.flag->takes != OtherFlag::Takes::Address) continue;
    if (use.values.empty() || !use.complete) continue;
    std::string_view value = use.values.front();
    if (const auto scheme = value.find("://"); scheme != std::string_view::npos)
      value.remove_prefix(scheme + 3);
    const auto colon = value.rfind(':');
    const auto port =
        colon == std::string_view::npos ? std::nullopt : to_integer(value.substr(colon + 1));
    if (port && *port > 0 && *port <= kLastPort)
      serve.port = Fact<int>(static_cast<int>(*port), Origin::Environment, use.span);
    serve.host =
        Fact<std::string>(std::string(value.substr(0, colon)), Origin::Environment, use.span);
  }
}

// The last list of GPUs whose length is the size; nothing where no list is said.
const Use* counted(const std::vector<Use>& uses) {
  for (auto use = uses.rbegin(); use != uses.rend(); ++use) {
    if (use->flag != nullptr && use->flag->takes == OtherFlag::Takes::Count) return &*use;
  }
  return nullptr;
}

// Docker tells the container the GPUs that it hands in, unless it is all of them.
bool docker_names_gpus(const Command& command) {
  for (std::size_t i = 0; i < command.front.size(); ++i) {
    const std::string& word = command.front[i].text;
    if (word.starts_with("--gpus=")) return word != "--gpus=all";
    if (word == "--gpus" && i + 1 < command.front.size()) return command.front[i + 1].text != "all";
  }
  return false;
}

// Where no size is said, an engine may count the GPUs that it was given.
void count_gpus(const OtherEngine& row, const Command& command, const std::vector<Use>& uses,
                ServeSpec& serve) {
  const bool counts = std::ranges::any_of(other_flags(row.id), [](const OtherFlag& flag) {
    return flag.takes == OtherFlag::Takes::Count;
  });
  if (!counts || serve.tensor_parallel.asked() || !serve.tensor_parallel.known()) return;
  if (docker_names_gpus(command)) serve.tensor_parallel = {};
  const Use* use = counted(uses);
  if (use == nullptr) return;
  const auto count = static_cast<int>(split(use->values.front(), ',').size());
  serve.tensor_parallel =
      use->complete ? Fact<int>(count, Origin::Environment, use->span) : Fact<int>();
}

void take_sizes(const OtherEngine& row, const std::vector<Use>& uses, ServeSpec& serve) {
  serve.tensor_parallel = size_fact(uses, "--tensor-parallel-size", row.tensor_parallel);
  if (mentioned(uses, "no-gpu")) serve.tensor_parallel = {};
  // One program that splits over GPUs at all has the other sizes, if not by a flag of its own, at
  // one.
  const bool splits = row.tensor_parallel || serve.tensor_parallel.known();
  const std::optional<int> one = splits ? std::optional(1) : std::nullopt;
  serve.pipeline_parallel = size_fact(uses, "--pipeline-parallel-size", one);
  serve.data_parallel = size_fact(uses, "--data-parallel-size", one);
  serve.node_count = size_fact(uses, "--nnodes", one);
  for (Fact<int>* size : {&serve.prefill_context_parallel, &serve.decode_context_parallel}) {
    if (one) *size = Fact<int>(1, Origin::Default);
  }
}

FlagUse flag_use(const Use& use) {
  return {.name = use.name,
          .typed = use.typed,
          .values = use.values,
          .complete = use.complete,
          .name_span = use.name_span,
          .span = use.span,
          .first_word = use.first_word,
          .word_count = use.word_count};
}

}  // namespace

ServeSpec understand(const Command& command, const Version&, const Sources& sources,
                     const SplicedFile&) {
  ServeSpec serve;
  serve.flags_checked = false;
  const auto launch = find_launch(command.words);
  if (!launch) return serve;
  const OtherEngine& row = *launch->engine;
  serve.engine = std::string(row.id);
  const auto uses = uses_of(command, *launch);
  for (const Use& use : uses) {
    if (!use.variable) serve.flags.push_back(flag_use(use));
    const bool names_model = use.flag != nullptr && use.flag->means == "model" && !use.variable;
    if (names_model && use.word_count > 0) serve.model_word = use.first_word + use.word_count - 1;
  }
  take_sizes(row, uses, serve);
  count_gpus(row, command, uses, serve);
  serve.model = text_fact(uses, "model");
  serve.tokenizer = text_fact(uses, "--tokenizer");
  serve.dtype = text_fact(uses, "--dtype");
  serve.quantization = text_fact(uses, "--quantization");
  serve.served_name = text_fact(uses, "--served-model-name");
  serve.port = size_fact(uses, "--port", row.port);
  serve.host = text_fact(uses, "--host");
  if (!mentioned(uses, "--host") && !row.host.empty())
    serve.host = Fact<std::string>(std::string(row.host), Origin::Default);
  take_address(uses, serve);
  serve.visible_devices = argparse::variable(command, "CUDA_VISIBLE_DEVICES", sources);
  serve.device_order = argparse::variable(command, "CUDA_DEVICE_ORDER", sources);
  return serve;
}

}  // namespace sx::other
