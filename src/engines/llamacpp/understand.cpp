// A command as a ServeSpec, and back again.
#include <algorithm>
#include <utility>

#include "engines/argparse/writer.h"
#include "engines/llamacpp/facts.h"
#include "engines/llamacpp/llamacpp.h"
#include "engines/llamacpp/parse.h"
#include "engines/llamacpp/recognise.h"
#include "facts/paths.h"

namespace sx::llamacpp {

ServeSpec understand(const Command& command, const Version& version, const Sources& sources,
                     const SplicedFile&) {
  ServeSpec serve;
  const EngineFlags* flags = engine_flags("llamacpp");
  SX_ASSERT(flags != nullptr);
  serve.version = version;
  const auto launch = find_launch(command.words);
  if (!launch) return serve;  // no engine

  serve.engine = "llamacpp";
  serve.flags_checked = !(version < flags->oldest());
  Parsed parsed = parse(command, *launch, *flags, version);
  serve.flags = std::move(parsed.flags);
  // Nothing is known against a line that is older than every build read.
  if (serve.flags_checked) {
    serve.problems = std::move(parsed.problems);
    serve.problems_left_out = parsed.problems_left_out;
  }
  fill_facts(serve, command, *flags, sources);
  return serve;
}

// Each fact is one flag here, so the uses say it all; facts that a spec has and its uses have not
// are written behind them.
std::vector<std::string> command_for(const ServeSpec& serve) {
  argparse::Writer write(serve);
  write.add("llama-server");
  const auto add = [&](std::string_view name, const auto& fact) {
    if (!write.used(name)) write.value(name, fact);
  };
  for (const FlagUse& use : serve.flags) {
    std::string name = use.name;
    if (use.negated) name = "--no-" + name.substr(std::min<std::size_t>(2, name.size()));
    write.add(std::move(name));
    for (const std::string& value : use.values) write.add(value);
  }
  const bool repository = !write.used("--model") && names_repository(serve.model.value_or(""));
  if (!write.used("--hf-repo")) add(repository ? "--hf-repo" : "--model", serve.model);
  add("--ctx-size", serve.max_model_len);
  add("--parallel", serve.max_num_seqs);
  add("--batch-size", serve.max_batched_tokens);
  add("--ubatch-size", serve.physical_batch);
  add("--cache-type-k", serve.kv_dtype);
  add("--cache-type-v", serve.value_kv_dtype);
  add("--flash-attn", serve.flash_attention);
  add("--gpu-layers", serve.gpu_layers);
  add("--split-mode", serve.split_mode);
  add("--main-gpu", serve.main_gpu);
  add("--alias", serve.served_name);
  if (!serve.host.value_or("").starts_with("unix:")) add("--host", serve.host);
  add("--port", serve.port);
  return std::move(write).finish();
}

}  // namespace sx::llamacpp
