// The sentences. The shapes that they are told in stand in refusal_shapes.cpp.
#include "gateway/refusals.h"

#include "base/check.h"
#include "base/shown_word.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace sx {
namespace {

constexpr std::size_t kMostShown = 200;  // of a word that the client sent
constexpr int kSoon = 1;                 // seconds: replicas come back by themselves
constexpr int kLater = 5;
constexpr int kMuchLater = 60;  // somebody must act first; clients heed no longer wait than this

constexpr Text kBareLineFeed{"a line of the request's head ends without a carriage return",
                             "请求头有一行末尾缺少回车符"};
constexpr Text kFoldedLine{"a field of the request's head goes on in the next line",
                           "请求头有一个字段折成了两行"};
constexpr Text kNotHttp{"the request's head is not HTTP", "请求头不符合 HTTP 格式"};
constexpr Text kTwoLengths{"the request has Content-Length more than once",
                           "请求里 Content-Length 出现了不止一次"};
constexpr Text kLengthAndChunks{"the request has both Content-Length and Transfer-Encoding",
                                "请求同时带有 Content-Length 和 Transfer-Encoding"};
constexpr Text kBadLength{"the request's Content-Length is not a number",
                          "请求的 Content-Length 不是数字"};
constexpr Text kBadEncoding{"the request's Transfer-Encoding is not chunked over HTTP/1.1",
                            "请求的 Transfer-Encoding 不是 HTTP/1.1 下的 chunked"};
constexpr Text kBadHost{"the request needs one Host field", "请求必须有且只有一个 Host 字段"};
constexpr Text kOtherVersion{"the request is neither HTTP/1.0 nor HTTP/1.1",
                             "请求既不是 HTTP/1.0 也不是 HTTP/1.1"};
constexpr Text kTooManyFields{"the request's head has more than 128 fields",
                              "请求头超过 128 个字段"};
constexpr Text kTooLong{"the request's head is longer than 32 KiB", "请求头超过 32 KiB"};
constexpr Text kChunks{"the chunks of the request's body are broken", "请求体的分块格式有误"};
constexpr Text kMethod{"{path} does not take {method}", "{path} 不支持 {method}"};
constexpr Text kPath{"{path} is not served here; only the OpenAI paths are relayed",
                     "这里不提供 {path}；只转发 OpenAI 接口路径"};
constexpr Text kAdminPath{
    "{path} administers an engine and is not open to clients; it is reached at the engine's own "
    "port",
    "{path} 是引擎的管理接口，不对客户端开放；需要时直接访问引擎自己的端口"};
constexpr Text kUpgrade{"the connection cannot become another protocol",
                        "这里不支持把连接升级为其他协议"};
constexpr Text kSize{"the request's body is larger than {limit}", "请求体超过 {limit}"};
constexpr Text kExpectation{"the request expects something other than 100-continue",
                            "请求的 Expect 字段不是 100-continue"};
constexpr Text kBody{"the request's body is not a JSON object", "请求体不是 JSON 对象"};
constexpr Text kModelMissing{"the request names no model; served here: {known}",
                             "请求没有写明模型；这里提供：{known}"};
constexpr Text kModelKind{"the request's model is no string of at most 512 bytes",
                          "请求里的 model 不是 512 字节以内的字符串"};
constexpr Text kModel{"the model {model} is not served here; served: {known}",
                      "这里不提供模型 {model}；可用的有：{known}"};
constexpr Text kNothing{"none", "无"};
constexpr Text kLate{"the request did not arrive in time", "请求没有在时限内到齐"};
constexpr Text kNoReplica{"no replica of {model} takes requests at the moment",
                          "{model} 目前没有可接收请求的副本"};
constexpr Text kModelFailed{"{model} has failed and is not started again by itself: {cause}",
                            "{model} 运行失败，且不会再自动重启：{cause}"};
constexpr Text kNoModelYet{"no replica takes requests at the moment", "目前没有可接收请求的副本"};
constexpr Text kNoRoom{"request bodies in flight have filled the gateway's memory limit",
                       "在途请求体已占满网关的内存上限"};
constexpr Text kNoKey{"the request carries no key; `Authorization: Bearer KEY` is asked for here",
                      "请求没有携带密钥；这里需要 `Authorization: Bearer KEY`"};
constexpr Text kOtherKey{"the request's key is not known here, or has been revoked",
                         "这里没有请求所用的密钥，或该密钥已被吊销"};
constexpr Text kKeysUnreadable{
    "the gateway cannot read its file of keys, so nobody is let in; its own messages say why",
    "网关无法读取密钥文件，因此不放行任何请求；原因见网关自身的输出"};
constexpr Text kConcurrency{"the key {name} has {limit} requests in flight, which is its limit",
                            "密钥 {name} 已有 {limit} 个在途请求，达到其并发上限"};
constexpr Text kTokensPerMinute{"the key {name} has used its limit of {limit} tokens per minute",
                                "密钥 {name} 已用满每分钟 {limit} 个 token 的上限"};
constexpr Text kMetrics{
    "the gateway's numbers are told to programs on its own machine alone while it has no keys",
    "网关未配置密钥时，指标只提供给本机程序"};
constexpr Text kMetricsKey{
    "the gateway's numbers are told to programs on its own machine, or to a key",
    "网关的指标只提供给本机程序，或携带密钥的请求"};
constexpr Text kReplicasFull{"every replica of {model} has as many requests as it takes",
                             "{model} 的所有副本都已达到并发上限"};
constexpr Text kQueueFull{"{waiting} requests wait for a replica already, and no more may",
                          "已有 {waiting} 个请求在等待副本，等待队列已满"};
constexpr Text kWaited{"no replica of {model} became free within {seconds} s",
                       "{model} 在 {seconds} 秒内没有空闲的副本"};
constexpr Text kFailed{
    "replica {replica} {why} before its answer began, and no other one took over",
    "副本 {replica} 在开始回答之前{why}，没有其他副本能接手"};
constexpr Text kFailedOnce{
    "replica {replica} {why} before its answer began; this request is not sent twice, because its "
    "answer may have been stored",
    "副本 {replica} 在开始回答之前{why}；回答可能已被保存，这类请求不会再发一次"};
constexpr Text kLost{"replica {replica} {why} within its answer; what came so far is incomplete",
                     "副本 {replica} 在回答途中{why}；已收到的内容不完整"};

std::string shown(std::string_view word) { return shown_word(word, kMostShown); }

Value listed(const std::vector<std::string>& known) {
  if (known.empty()) return kNothing;
  std::vector<std::string> some;
  for (const std::string& name : known) {
    if (some.size() < 16) some.push_back(shown(name));
  }
  std::string list = join(some, ", ");
  if (some.size() < known.size()) list += ", …";
  return list;
}

Argument known_argument(const std::vector<std::string>& known) {
  Argument argument("known", "");
  argument.value = listed(known);
  return argument;
}

}  // namespace

constexpr Text kRefusedConnection{"refused the connection", "拒绝了连接"};
constexpr Text kNoConnection{"could not be reached", "无法连接"};
constexpr Text kResetConnection{"reset the connection", "重置了连接"};
constexpr Text kClosedEarly{"closed the connection", "关闭了连接"};
constexpr Text kBrokenAnswer{"answered with something that is not HTTP",
                             "返回的内容不符合 HTTP 格式"};
constexpr Text kTooLate{"said nothing for too long", "太久没有任何输出"};
constexpr Text kFull{"said that it is full", "表示已满"};
constexpr Text kOverTime{"took longer than a request may take", "超过了单个请求的时限"};
constexpr Text kTakenOut{"was taken out", "被撤下"};

Refusal refused_head(HeadFault fault) {
  using enum HeadFault;
  switch (fault) {
    case BareLineFeed:
      return {400, "bad_request_head", {kBareLineFeed}};
    case FoldedLine:
      return {400, "bad_request_head", {kFoldedLine}};
    case NotHttp:
      return {400, "bad_request_head", {kNotHttp}};
    case TwoLengths:
      return {400, "bad_request_head", {kTwoLengths}};
    case LengthAndChunks:
      return {400, "bad_request_head", {kLengthAndChunks}};
    case BadLength:
      return {400, "bad_request_head", {kBadLength}};
    case BadEncoding:
      return {400, "bad_request_head", {kBadEncoding}};
    case BadHost:
      return {400, "bad_request_head", {kBadHost}};
    case OtherVersion:
      return {505, "http_version", {kOtherVersion}};
    case TooManyFields:
      return {431, "head_too_large", {kTooManyFields}};
    case TooLong:
      return {431, "head_too_large", {kTooLong}};
  }
  SX_UNREACHABLE("a fault that has no words");
}

Refusal refused_chunks() { return {400, "bad_request_body", {kChunks}}; }
Refusal refused_method(std::string_view method, std::string_view path) {
  return {405, "method_not_allowed", {kMethod, {{"method", shown(method)}, {"path", shown(path)}}}};
}
Refusal refused_path(std::string_view path) {
  return {404, "path_not_served", {kPath, {{"path", shown(path)}}}};
}
Refusal refused_admin_path(std::string_view path) {
  return {403, "admin_path", {kAdminPath, {{"path", shown(path)}}}};
}
Refusal refused_upgrade() { return {400, "upgrade_not_served", {kUpgrade}}; }
Refusal refused_size(std::size_t limit) {
  return {413, "body_too_large", {kSize, {{"limit", Bytes(static_cast<std::int64_t>(limit))}}}};
}
Refusal refused_expectation() { return {417, "expectation", {kExpectation}}; }
Refusal refused_body() { return {400, "bad_request_body", {kBody}}; }
Refusal refused_model_missing(const std::vector<std::string>& known) {
  return {400, "model_missing", {kModelMissing, {known_argument(known)}}};
}
Refusal refused_model_kind() { return {400, "model_not_text", {kModelKind}}; }
Refusal refused_model(std::string_view model, const std::vector<std::string>& known) {
  return {404, "model_not_found", {kModel, {{"model", shown(model)}, known_argument(known)}}};
}
Refusal request_late() { return {408, "request_timeout", {kLate}}; }
Refusal no_replica(std::string_view model) {
  if (model.empty()) return {503, "no_replica", {kNoModelYet}, kSoon};
  return {503, "no_replica", {kNoReplica, {{"model", shown(model)}}}, kSoon};
}
Refusal model_failed(std::string_view model, std::string_view cause) {
  return {503,
          "model_failed",
          {kModelFailed, {{"model", shown(model)}, {"cause", shown(cause)}}},
          kMuchLater};
}
Refusal refused_key(bool given) {
  if (given) return {401, "invalid_api_key", {kOtherKey}};
  return {401, "missing_api_key", {kNoKey}};
}
Refusal keys_unreadable() { return {503, "keys_unreadable", {kKeysUnreadable}, kLater}; }
Refusal over_key_limit(std::string_view name, const LimitHit& hit) {
  const bool tokens = hit.which == LimitHit::Which::PerMinute;
  return {429,
          tokens ? "key_tokens_per_minute" : "key_concurrency",
          {tokens ? kTokensPerMinute : kConcurrency, {{"name", name}, {"limit", hit.limit}}},
          hit.retry_after};
}
Refusal refused_metrics(bool keys) {
  return {403, "metrics_closed", {keys ? kMetricsKey : kMetrics}};
}
Refusal replicas_full(std::string_view model) {
  return {503, "replicas_full", {kReplicasFull, {{"model", shown(model)}}}, kSoon};
}
Refusal queue_full(std::size_t waiting) {
  return {503, "queue_full", {kQueueFull, {{"waiting", waiting}}}, kLater};
}
Refusal waited_in_vain(std::string_view model, std::chrono::seconds waited) {
  return {503,
          kQueueTimeout,
          {kWaited, {{"model", shown(model)}, {"seconds", static_cast<int>(waited.count())}}},
          kLater};
}
Refusal no_room() { return {503, "gateway_full", {kNoRoom}, kLater}; }
Refusal replica_failed(int replica, const Text& why, bool sent_once_only) {
  return {502,
          "replica_failed",
          {sent_once_only ? kFailedOnce : kFailed, {{"replica", replica}, {"why", why}}},
          kSoon};
}
Refusal replica_lost(int replica, const Text& why) {
  return {502, "replica_lost", {kLost, {{"replica", replica}, {"why", why}}}};
}

}  // namespace sx
