// What each flag and variable says about the launch, in words that no engine owns.
#include "engines/llamacpp/facts.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/strings.h"
#include "engines/argparse/environment.h"
#include "engines/llamacpp/reading.h"
#include "engines/llamacpp/values.h"
#include "knowledge/gguf_file_types.h"
#include "knowledge/truth_words.h"

namespace sx::llamacpp {
namespace {

constexpr Text kNoModel{
    "the command names no model: it starts as a router, which loads models when they are asked for",
    "命令没有指定模型：它以路由器方式启动，请求到来时才加载模型"};
constexpr Text kNoPort{"the server listens on a Unix socket", "服务监听的是 Unix 套接字"};
constexpr Text kNoShares{"{value} is no list of shares", "{value} 不是比例列表"};
constexpr Text kFromUrl{"the model is downloaded from {url}", "模型从 {url} 下载"};

// "org/repo" with --hf-file Name-Q8_0.gguf is org/repo:Q8_0.
std::string tagged(const std::string& repository, const Fact<std::string>& file) {
  const auto slash = repository.find('/');
  if (!file.known() || file.value().empty() || repository.find(':', slash) != std::string::npos)
    return repository;
  std::string_view name = file.value();
  if (name.ends_with(".gguf")) name.remove_suffix(5);
  const GgufFileType* type = find_gguf_file_type(name);
  return type == nullptr ? repository : repository + ':' + std::string(type->name);
}

void fill_model(ServeSpec& serve, const Reading& read) {
  serve.model = read.text("--model");
  const auto repository = read.text("--hf-repo");
  const auto url = read.text("--model-url");
  if (repository.known()) {
    // A path beside a repository is only where the download goes.
    serve.model = {tagged(repository.value(), read.text("--hf-file")), repository.origin(),
                   repository.span()};
  } else if (!repository.why_unknown().empty()) {
    serve.model = repository;
  } else if (url.known()) {
    serve.model = Fact<std::string>::unknown({kFromUrl, {{"url", url.value()}}});
  } else if (!serve.model.known() && serve.model.why_unknown().empty()) {
    serve.model = Fact<std::string>::unknown(kNoModel);
  }
  const FlagUse* use = read.use(repository.known() ? "--hf-repo" : "--model");
  if (use != nullptr && use->word_count == 2) serve.model_word = use->first_word + 1;
  serve.served_name = read.text("--alias");
  if (serve.served_name.known()) {
    const std::string names = serve.served_name.value();
    serve.served_name = {names.substr(0, names.find(',')), serve.served_name.origin(),
                         serve.served_name.span()};
  }
  serve.trust_remote_code = {false, Origin::Default};
  serve.rope_overridden = {false, Origin::Default};
  for (const std::string_view name :
       {"--rope-scaling", "--rope-scale", "--rope-freq-base", "--rope-freq-scale"}) {
    const auto said = read.text(name);
    if (said.asked()) serve.rope_overridden = {true, said.origin(), said.span()};
  }
}

// One process drives all devices; how it lays the model over them is no parallel size.
void fill_layout(ServeSpec& serve, const Reading& read) {
  const Fact<int> one{1, Origin::Default};
  serve.tensor_parallel = serve.pipeline_parallel = serve.data_parallel = one;
  serve.data_parallel_local = serve.node_count = one;
  serve.prefill_context_parallel = serve.decode_context_parallel = one;
  serve.expert_parallel = {false, Origin::Default};
  serve.split_mode = read.text("--split-mode");
  if (!serve.split_mode.known() && serve.split_mode.why_unknown().empty())
    serve.split_mode = {"layer", Origin::Default};
  serve.main_gpu = read.count("--main-gpu");
  const auto shares = read.text("--tensor-split");
  if (shares.known()) {
    auto list = shares_of(shares.value());
    serve.tensor_split =
        list ? Fact<std::vector<double>>(*std::move(list), shares.origin(), shares.span())
             : Fact<std::vector<double>>::unknown(
                   {kNoShares, {{"value", shares.value().substr(0, 60)}}});
  } else {
    serve.tensor_split = Fact<std::vector<double>>::unknown(shares.why_unknown());
  }
  const auto layers = read.text("--gpu-layers");
  if (layers.known() && layers.value() == "all") {
    serve.gpu_layers = {std::numeric_limits<int>::max(), layers.origin(), layers.span()};
  } else if (layers.known() && layers.value() != "auto") {
    const auto count = read.count("--gpu-layers");
    // Less than zero leaves it to the engine, as `auto` does.
    if (!count.known() || count.value() >= 0) serve.gpu_layers = count;
  } else {
    serve.gpu_layers = Fact<int>::unknown(layers.why_unknown());
  }
}

template <class T>
Fact<T> in_units(const Fact<std::int64_t>& count) {
  if (!count.known()) return Fact<T>::unknown(count.why_unknown());
  return {T{count.value()}, count.origin(), count.span()};
}

Fact<std::string> flash_attention(const Reading& read) {
  const auto said = read.text("--flash-attn");
  if (!said.known()) return said;
  const auto truth = truth_as("llamacpp", said.value());
  const bool automatic = said.value() == "auto" || said.value() == "-1";
  if (!truth && !automatic) return {};  // refused
  return {automatic ? "auto" : (*truth ? "on" : "off"), said.origin(), said.span()};
}

void fill_memory(ServeSpec& serve, const Reading& read) {
  serve.max_model_len = in_units<Tokens>(read.positive("--ctx-size"));
  serve.max_model_len_auto = {false, Origin::Default};
  const auto slots = read.count("--parallel");
  if (!slots.known() || slots.value() > 0) serve.max_num_seqs = slots;
  serve.max_batched_tokens = in_units<Tokens>(read.integer("--batch-size"));
  serve.physical_batch = in_units<Tokens>(read.integer("--ubatch-size"));
  serve.kv_dtype = read.text("--cache-type-k");
  serve.value_kv_dtype = read.text("--cache-type-v");
  serve.flash_attention = flash_attention(read);
  serve.prefix_caching = read.flag("--cache-prompt");
}

void fill_server(ServeSpec& serve, const Reading& read) {
  serve.host = read.text("--host");
  serve.port = read.count("--port");
  if (serve.host.known() && serve.host.value().ends_with(".sock")) {
    serve.host = {"unix:" + serve.host.value(), serve.host.origin(), serve.host.span()};
    serve.port = Fact<int>::unknown(kNoPort);
  }
  serve.has_api_key = {false, Origin::Default};
  for (const std::string_view name : {"--api-key-file", "--api-key"}) {
    const auto key = read.text(name);
    if (key.known() && !key.value().empty()) {
      serve.has_api_key = {true, key.origin(), key.span()};
    } else if (const FlagUse* use = read.use(name); use != nullptr && !use->complete) {
      serve.has_api_key = {true, Origin::Flag, use->span};
    } else if (!key.known() && !key.why_unknown().empty()) {
      serve.has_api_key = Fact<bool>::unknown(key.why_unknown());
    }
  }
}

}  // namespace

void fill_facts(ServeSpec& serve, const Command& command, const EngineFlags& flags,
                const Sources& sources) {
  const Reading read(serve, command, flags, sources);
  fill_model(serve, read);
  fill_layout(serve, read);
  fill_memory(serve, read);
  fill_server(serve, read);
  serve.visible_devices = argparse::variable(command, "CUDA_VISIBLE_DEVICES", sources);
  serve.device_order = argparse::variable(command, "CUDA_DEVICE_ORDER", sources);
}

}  // namespace sx::llamacpp
