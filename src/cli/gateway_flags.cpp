// Flags that both commands read in the same way.
#include "cli/gateway_flags.h"

#include "base/shown_word.h"
#include "base/strings.h"
#include "cli/number_flag.h"
#include "run/gateway_policy.h"

namespace sx {
namespace {

constexpr Text kLoop{"--alias: {name} means itself in the end: {chain}",
                     "--alias：{name} 绕一圈又指回自己：{chain}"};

constexpr Text kBothFiles{"TLS needs both files: --tls-cert FILE and --tls-key FILE",
                          "TLS 需要两个文件：--tls-cert FILE 和 --tls-key FILE"};

constexpr Text kNoRatio{"--otlp-sample {value}: a number from 0 to 1 is wanted",
                        "--otlp-sample {value}：应为 0 到 1 的数"};

std::optional<std::chrono::seconds> seconds_of(const std::optional<std::int64_t>& number) {
  return number ? std::optional(std::chrono::seconds(*number)) : std::nullopt;
}

}  // namespace

std::vector<FlagSpec> front_flags() {
  return {{"--backend",
           "",
           "URL",
           {"an engine: http://HOST:PORT; once for each; behind it ,weight=N,concurrency=N, and "
            ",key-file=FILE or ,key-env=VARIABLE for the key that it asks for",
            "一个引擎：http://HOST:PORT；每个写一次；后面可加 "
            ",weight=N,concurrency=N，引擎要求密钥时再加 "
            ",key-file=FILE 或 ,key-env=VARIABLE"},
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
  for (const auto& [name, model] : ask.aliases) {
    const auto chain = alias_chain(name, ask.aliases);
    if (chain.size() > 1 && chain.back() == name)
      return fail(Error::Kind::Usage,
                  in_both({kLoop, {{"name", name}, {"chain", join(chain, " -> ")}}}));
  }
  ask.default_model = arguments.value("--default-model").value_or("");
  const std::int64_t most = kMostWait.count();
  SX_TRY(const auto queue, number_of(arguments, {"--queue", 0, kMostQueue}));
  SX_TRY(const auto wait, number_of(arguments, {"--queue-wait", 0, most}));
  SX_TRY(const auto silence, number_of(arguments, {"--silence", 1, most}));
  SX_TRY(const auto total, number_of(arguments, {"--total", 1, most}));
  SX_TRY(const auto body, number_of(arguments, {"--body-time", 1, most}));
  if (queue) ask.times.queue = static_cast<int>(*queue);
  ask.times.queue_wait = seconds_of(wait);
  ask.times.silence = seconds_of(silence);
  ask.times.total = seconds_of(total);
  ask.times.body = seconds_of(body);
  return ask;
}

std::vector<FlagSpec> outward_flags() {
  return {{"--tls-cert",
           "",
           "FILE",
           {"HTTPS with this certificate, and those that vouch for it behind it (PEM)",
            "以此证书提供 HTTPS，证书链写在它后面（PEM）"}},
          {"--tls-key", "", "FILE", {"the certificate's key (PEM)", "证书的私钥（PEM）"}},
          {"--otlp",
           "",
           "URL",
           {"a collector of OpenTelemetry that is sent traces: http://HOST:4318",
            "接收链路追踪的 OpenTelemetry 采集器：http://HOST:4318"}},
          {"--otlp-sample",
           "",
           "RATIO",
           {"the part of all traces that is kept, 0 to 1 (default: as OTEL_TRACES_SAMPLER says, "
            "else 1); "
            "a client that has decided is obeyed",
            "保留多少比例的链路，0 到 1（默认由 OTEL_TRACES_SAMPLER 决定，没有设置则为 "
            "1）；客户端已决定的以客户端为准"}}};
}

Result<void> take_tls_and_traces(const Arguments& arguments, const Environment& environment,
                                 FrontAsk& ask) {
  ask.tls = {.certificate = arguments.value("--tls-cert").value_or(""),
             .key = arguments.value("--tls-key").value_or("")};
  if (ask.tls.certificate.empty() != ask.tls.key.empty())
    return fail(Error::Kind::Usage, in_both({kBothFiles}));
  const std::string flag = arguments.value("--otlp").value_or("");
  const auto asked = arguments.value("--otlp-sample");
  const auto sample = asked ? read_ratio(*asked) : std::nullopt;
  if (asked && !sample)
    return fail(Error::Kind::Usage, in_both({kNoRatio, {{"value", shown_word(*asked)}}}));
  auto settings =
      otlp_settings(flag, [&](const std::string& name) { return environment.get(name); }, sample);
  if (settings) {
    if (settings->note) ask.trouble(*settings->note);
    ask.otlp = std::move(*settings);
    return {};
  }
  // Variables are set for many programs at once: none of them keeps this one from beginning.
  if (!flag.empty()) return std::unexpected(settings.error());
  ask.trouble(settings.error());
  return {};
}

}  // namespace sx
