// Written by hand, as the access log is: every request that is traced has one.
#include "gateway/span_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "base/utf8.h"

namespace sx {
namespace {

constexpr std::size_t kMostShown = 200;  // of a word that a client chose
// As the protocol numbers them.
constexpr int kServer = 2;
constexpr int kFailed = 2;
constexpr std::uint32_t kParentElsewhere = 0x300;  // that is known, and that it is remote

std::string quoted(std::string_view text) {
  const std::string whole = valid_utf8(text);
  return boost::json::serialize(boost::json::value(boost::json::string_view(whole)));
}

std::string shown(std::string_view text) { return quoted(text.substr(0, kMostShown)); }

// A list of attributes as it grows.
class Attributes {
 public:
  void text(std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, "string", shown(value));
  }
  // Of 64 bits, which the protocol writes as words.
  void number(std::string_view name, std::uint64_t value) {
    add(name, "int", '"' + std::to_string(value) + '"');
  }
  void seconds(std::string_view name, GatewayClock::duration value) {
    const double spent = std::max(0.0, std::chrono::duration<double>(value).count());
    add(name, "double", fmt::format("{:.6f}", spent));
  }
  void yes(std::string_view name) { add(name, "bool", "true"); }
  const std::string& all() const { return all_; }

 private:
  void add(std::string_view name, std::string_view kind, std::string_view value) {
    all_ += all_.empty() ? "" : ",";
    all_ += fmt::format("{{\"key\":{},\"value\":{{\"{}Value\":{}}}}}", quoted(name), kind, value);
  }
  std::string all_;
};

std::string_view known_method(std::string_view method) {
  static constexpr std::array<std::string_view, 9> kKnown{
      "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"};
  return std::ranges::find(kKnown, method) == kKnown.end() ? "_OTHER" : method;
}

// Errors of the client are none of the server's.
bool has_failed(const RequestRecord& record) {
  return record.status >= 500 || record.status == 0 ||
         (record.status < 400 && !record.cause.empty());
}

std::string failure_of(const RequestRecord& record) {
  const bool own = record.cause.empty() || record.cause == "engine";
  return own ? std::to_string(record.status) : std::string(record.cause);
}

void of_http(Attributes& out, const SpanEntry& entry) {
  const AccessEntry& access = entry.access;
  const std::string_view method = known_method(access.method);
  out.text("http.request.method", method);
  if (method != access.method) out.text("http.request.method_original", access.method);
  // What stands behind the path may be a secret.
  out.text("url.path", access.target.substr(0, access.target.find('?')));
  out.text("url.scheme", entry.scheme);
  out.text("http.route", entry.route);
  if (access.record.status > 0)
    out.number("http.response.status_code", static_cast<std::uint64_t>(access.record.status));
  if (has_failed(access.record)) out.text("error.type", failure_of(access.record));
  out.text("user_agent.original", entry.user_agent);
}

void of_model(Attributes& out, const SpanEntry& entry) {
  if (entry.path == nullptr || entry.path->operation.empty()) return;
  const RequestRecord& record = entry.access.record;
  out.text("gen_ai.operation.name", entry.path->operation);
  // Not who made the model, which nobody here knows: whose API was spoken.
  out.text("gen_ai.provider.name",
           entry.path->surface == Surface::Anthropic ? "anthropic" : "openai");
  out.text("gen_ai.request.model", entry.access.model);
  if (record.stream) out.yes("gen_ai.request.stream");
  if (record.stream && record.first > record.began)
    out.seconds("gen_ai.response.time_to_first_chunk", record.first - record.began);
  if (record.usage.prompt) out.number("gen_ai.usage.input_tokens", *record.usage.prompt);
  if (record.usage.answer) out.number("gen_ai.usage.output_tokens", *record.usage.answer);
}

void of_ours(Attributes& out, const AccessEntry& access) {
  const RequestRecord& record = access.record;
  out.text("sextant.request.id", access.id);
  out.text("sextant.key.name", access.key);
  if (record.replica >= 0)
    out.number("sextant.replica", static_cast<std::uint64_t>(record.replica));
  out.text("sextant.route.why", record.why);
  if (record.waited.count() > 0) out.seconds("sextant.queue.time", record.waited);
  if (record.retries > 0) out.number("sextant.retries", record.retries);
  out.text("sextant.cause", record.cause);
}

std::uint64_t nanoseconds_at(const WallClock& wall, GatewayClock::time_point when) {
  using std::chrono::nanoseconds;
  const auto at =
      nanoseconds(wall.since_1970) + std::chrono::duration_cast<nanoseconds>(when - wall.steady);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, at.count()));
}

}  // namespace

std::string span_json(const SpanEntry& entry, const WallClock& wall,
                      GatewayClock::time_point ended) {
  const RequestRecord& record = entry.access.record;
  const TraceContext& trace = entry.trace;
  Attributes attributes;
  of_http(attributes, entry);
  of_model(attributes, entry);
  of_ours(attributes, entry.access);
  const std::string_view known = known_method(entry.access.method);
  std::string name(known == "_OTHER" ? "HTTP" : known);
  if (!entry.route.empty()) name.append(" ").append(entry.route);
  std::string out = fmt::format("{{\"traceId\":\"{}\",\"spanId\":\"{}\"", trace_number(trace),
                                in_hex(trace.span));
  std::uint32_t flags = trace.flags;
  if (trace.parent != 0) {
    flags |= kParentElsewhere;
    out += fmt::format(",\"parentSpanId\":\"{}\"", in_hex(trace.parent));
  }
  out += fmt::format(
      ",\"flags\":{},\"name\":{},\"kind\":{},\"startTimeUnixNano\":\"{}\",\"endTimeUnixNano\":\"{}"
      "\","
      "\"attributes\":[{}]",
      flags, shown(name), kServer, nanoseconds_at(wall, record.began),
      nanoseconds_at(wall, std::max(ended, record.began)), attributes.all());
  if (has_failed(record)) out += fmt::format(",\"status\":{{\"code\":{}}}", kFailed);
  return out += '}';
}

std::string spans_message(const std::vector<std::string>& spans, const SpanResource& resource) {
  Attributes who;
  for (const auto& [name, value] : resource) who.text(name, value);
  std::string out = "{\"resourceSpans\":[{\"resource\":{\"attributes\":[" + who.all() +
                    "]},\"scopeSpans\":[{\"scope\":{\"name\":\"sextant.gateway\"},\"spans\":[";
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (i > 0) out += ',';
    out += spans[i];
  }
  return out += "]}]}]}";
}

}  // namespace sx
