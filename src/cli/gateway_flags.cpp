// Flags that both commands read in the same way.
#include "cli/gateway_flags.h"

#include "cli/number_flag.h"

namespace sx {
namespace {

std::optional<std::chrono::seconds> seconds_of(const std::optional<std::int64_t>& number) {
  return number ? std::optional(std::chrono::seconds(*number)) : std::nullopt;
}

}  // namespace

std::vector<FlagSpec> front_flags() {
  return {{"--backend",
           "",
           "URL",
           {"an engine: http://HOST:PORT; once for each; behind it ,weight=N,concurrency=N",
            "一个引擎：http://HOST:PORT；每个写一次；后面可加 ,weight=N,concurrency=N"},
           {},
           true},
          {"--alias",
           "",
           "NAME=MODEL",
           {"another name for a model; once for each", "模型的别名；每个写一次"},
           {},
           true},
          {"--default-model",
           "",
           "MODEL",
           {"for requests that name none", "请求没有写明模型时使用的模型"}}};
}

Result<FrontAsk> front_ask(const Arguments& arguments) {
  FrontAsk ask;
  for (const std::string& url : arguments.values("--backend")) {
    SX_TRY(auto backend, read_backend(url));
    ask.backends.push_back(std::move(backend));
  }
  for (const std::string& text : arguments.values("--alias")) {
    SX_TRY(auto alias, read_alias(text));
    ask.aliases.insert_or_assign(std::move(alias.first), std::move(alias.second));
  }
  ask.default_model = arguments.value("--default-model").value_or("");
  const std::int64_t most = kMostWait.count();
  SX_TRY(const auto queue, number_of(arguments, {"--queue", 0, kMostQueue}));
  SX_TRY(const auto wait, number_of(arguments, {"--queue-wait", 0, most}));
  SX_TRY(const auto silence, number_of(arguments, {"--silence", 1, most}));
  SX_TRY(const auto total, number_of(arguments, {"--total", 1, most}));
  if (queue) ask.times.queue = static_cast<int>(*queue);
  ask.times.queue_wait = seconds_of(wait);
  ask.times.silence = seconds_of(silence);
  ask.times.total = seconds_of(total);
  return ask;
}

}  // namespace sx
