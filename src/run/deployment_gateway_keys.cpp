// The settings of the gateway: other names of models, and what waits for how long.
#include "run/deployment_keys.h"
#include "run/gateway_policy.h"

namespace sx {
namespace {

using std::chrono::seconds;

SettingKey seconds_key(std::string_view key, Text means, std::string_view otherwise,
                       std::optional<seconds> GatewayPolicy::* into, std::int64_t least,
                       Text without = {}) {
  return {{.key = key,
           .takes = "number",
           .means = means,
           .otherwise = otherwise,
           .without = without,
           .least = least,
           .most = kMostGatewayWait},
          [into](const SettingTarget& to) {
            std::int64_t number = 0;
            const bool good = put_number(to, number);
            if (good) to.file.gateway.*into = seconds(number);
            return good;
          }};
}

SettingKey number_key(std::string_view key, Text means, std::string_view otherwise,
                      std::optional<int> GatewayPolicy::* into, int least, int most,
                      Text without = {}) {
  return {{.key = key,
           .takes = "number",
           .means = means,
           .otherwise = otherwise,
           .without = without,
           .least = least,
           .most = most},
          [into](const SettingTarget& to) {
            std::int64_t number = 0;
            const bool good = put_number(to, number);
            if (good) to.file.gateway.*into = static_cast<int>(number);
            return good;
          }};
}

SettingKey text_key(std::string_view key, Text means, Text without,
                    std::string* (*into)(GatewayPolicy&)) {
  return {{.key = key, .takes = "text", .means = means, .otherwise = "\"\"", .without = without},
          [into](const SettingTarget& to) { return put_text(to, *into(to.file.gateway)); }};
}

SettingKey sample_key() {
  return {{.key = "gateway.otlp_sample",
           .takes = "ratio",
           .means = {"the part of all traces that is kept, 0 to 1; a client that has decided is "
                     "obeyed",
                     "保留多少比例的链路，0 到 1；客户端已决定的以客户端为准"},
           .otherwise = "",
           .without = {"as OTEL_TRACES_SAMPLER says, else all of them",
                       "由 OTEL_TRACES_SAMPLER 决定，没有设置则全部保留"},
           .least = 0,
           .most = 1},
          [](const SettingTarget& to) {
            double ratio = 0;
            const bool good = put_ratio(to, ratio);
            if (good) to.file.gateway.otlp_sample = ratio;
            return good;
          }};
}

}  // namespace

void add_gateway_keys(std::vector<SettingKey>& made) {
  made.push_back({{.key = "aliases",
                   .takes = "table",
                   .means = {"other names of models: gpt-4o = \"Qwen/Qwen3-32B\"",
                             "模型的别名：gpt-4o = \"Qwen/Qwen3-32B\""},
                   .otherwise = "",
                   .without = {"none", "无"}},
                  [](const SettingTarget& to) {
                    for (const TomlValue::Entry& entry : to.value.entries) {
                      to.file.alias_places.push_back({.name = entry.key,
                                                      .name_span = entry.key_span,
                                                      .model_span = entry.value.span});
                    }
                    return put_table(to, to.file.gateway.aliases);
                  }});
  made.push_back(
      {{.key = "default_model",
        .takes = "text",
        .means = {"for requests that name no model", "请求没有写明模型时使用的模型"},
        .otherwise = "\"\"",
        .without = {"where there is only one model, that one", "只有一个模型时即该模型"}},
       [](const SettingTarget& to) { return put_text(to, to.file.gateway.default_model); }});
  made.push_back(text_key("gateway.tls_certificate",
                          {"HTTPS with this certificate, and those that vouch for it behind it "
                           "(PEM); read again when it changes",
                           "以此证书提供 HTTPS，证书链写在它后面（PEM）；文件变化时重新读取"},
                          {"plain HTTP", "明文 HTTP"},
                          [](GatewayPolicy& to) { return &to.tls.certificate; }));
  made.push_back(text_key("gateway.tls_key", {"the certificate's key (PEM)", "证书的私钥（PEM）"},
                          {"none", "无"}, [](GatewayPolicy& to) { return &to.tls.key; }));
  made.push_back(text_key(
      "gateway.otlp_endpoint",
      {"a collector of OpenTelemetry that is sent traces: http://127.0.0.1:4318",
       "接收链路追踪的 OpenTelemetry 采集器：http://127.0.0.1:4318"},
      {"no traces", "不发送链路追踪"}, [](GatewayPolicy& to) { return &to.otlp_endpoint; }));
  made.push_back(sample_key());
  made.push_back(number_key("gateway.queue",
                            {"requests that may wait for a replica", "最多允许多少个请求等待副本"},
                            "1000", &GatewayPolicy::queue, 0, kMostGatewayQueue));
  made.push_back(seconds_key("gateway.queue_wait_s",
                             {"and for how many seconds", "请求最长等待多少秒"}, "600",
                             &GatewayPolicy::queue_wait, 0));
  made.push_back(number_key(
      "gateway.concurrency",
      {"requests that a replica is given at a time, 0: all that come; without it: as many "
       "as the engine's own flags let it work on",
       "每个副本同时最多接收多少个请求，0 表示不限；不写则按引擎自己的并发参数"},
      "", &GatewayPolicy::concurrency, 0, kMostReplicaRequests,
      {"as the engine's own flags say", "按引擎自己的并发参数"}));
  made.push_back(
      seconds_key("gateway.silence_s",
                  {"an engine may say nothing for so many seconds", "引擎最长多少秒没有输出"},
                  "3600", &GatewayPolicy::silence, 1));
  made.push_back(seconds_key("gateway.total_s",
                             {"a request may take so many seconds; without it: as long as it takes",
                              "单个请求最长多少秒；不写则不限"},
                             "", &GatewayPolicy::total, 1, {"no limit", "不限"}));
  made.push_back(seconds_key("gateway.body_s",
                             {"a client has so many seconds to send the whole body of a request",
                              "客户端须在多少秒内发完整个请求体"},
                             "600", &GatewayPolicy::body, 1));
}

}  // namespace sx
