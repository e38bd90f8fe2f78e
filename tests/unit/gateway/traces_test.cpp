// A request as a span: whose trace it belongs to, what is said of it, where it goes and what an
// answer of the collector means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "gateway/otlp_settings.h"
#include "gateway/span_export.h"
#include "gateway/span_line.h"
#include "gateway/trace_context.h"

namespace sx {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr std::string_view kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const GatewayClock::time_point kNow{std::chrono::hours(1)};
const WallClock kWall{.steady = kNow, .since_1970 = milliseconds(1'700'000'000'123)};

TEST(TraceParent, IsReadAndWritten) {
  auto context = read_trace_parent(kParent);
  ASSERT_TRUE(context);
  EXPECT_EQ(trace_number(*context), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(in_hex(context->parent), "b7ad6b7169203331");
  EXPECT_TRUE(context->sampled());
  context->span = 0x1234;
  EXPECT_EQ(trace_parent(*context), "00-0af7651916cd43dd8448eb211c80319c-0000000000001234-01");
}

TEST(TraceParent, AnotherFormIsNone) {
  std::string later(kParent);
  later[1] = '1';
  EXPECT_TRUE(read_trace_parent(later));
  EXPECT_TRUE(read_trace_parent(later + "-more"));
  EXPECT_FALSE(read_trace_parent(later + "more"));
  EXPECT_FALSE(read_trace_parent(std::string(kParent) + "-more"));
  const auto changed = [](std::size_t at, std::string_view by) {
    return std::string(kParent).replace(at, by.size(), by);
  };
  for (const std::string& wrong :
       {std::string(), std::string(kParent.substr(1)), changed(0, "ff"), changed(4, "F"),
        changed(3, "00000000000000000000000000000000"), changed(36, "0000000000000000"),
        changed(2, "_"), changed(53, "+1"), changed(40, " ")})
    EXPECT_FALSE(read_trace_parent(wrong)) << wrong;
  const std::string unsampled = changed(53, "02");
  ASSERT_TRUE(read_trace_parent(unsampled));
  EXPECT_FALSE(read_trace_parent(unsampled)->sampled());
}

TEST(TraceParent, TwoOfThemAreNone) {
  const HeadField one{.name = "TraceParent", .value = kParent};
  EXPECT_TRUE(trace_in({one}));
  EXPECT_FALSE(trace_in({one, one}));
  EXPECT_FALSE(trace_in({}));
}

// --- spans --------------------------------------------------------------------------------------

struct Asked {
  RequestRecord record;
  TraceContext trace = *read_trace_parent(kParent);
  std::string_view method = "POST", target = "/v1/chat/completions?key=secret";
  std::string_view path = "/v1/chat/completions";

  Asked() {
    record.began = kNow;
    record.first = kNow + milliseconds(30);
    record.status = 200;
    record.replica = 3;
    record.why = "load";
    record.stream = true;
    record.usage = {.prompt = 12, .answer = 11};
    trace.span = 0xabc;
  }
  json::object span() const {
    const AccessEntry access{.record = record,
                             .id = "req-1",
                             .key = "alice",
                             .method = method,
                             .target = target,
                             .model = "to\"y\xff"};
    const SpanEntry entry{.access = access,
                          .trace = trace,
                          .path = gateway_path(path),
                          .route = path,
                          .scheme = "https",
                          .user_agent = "curl/8"};
    return json::parse(span_json(entry, kWall, kNow + milliseconds(130))).as_object();
  }
};

std::string attribute(const json::object& span, std::string_view name) {
  for (const auto& one : span.at("attributes").as_array()) {
    if (one.at("key").as_string() != name) continue;
    const auto& value = *one.at("value").as_object().begin();
    const std::string text = value.value().is_string() ? std::string(value.value().get_string())
                                                       : json::serialize(value.value());
    return std::string(value.key()) + ' ' + text;
  }
  return "";
}

TEST(Span, SaysWhatTheConventionsName) {
  const json::object span = Asked().span();
  EXPECT_EQ(span.at("traceId"), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(span.at("spanId"), "0000000000000abc");
  EXPECT_EQ(span.at("parentSpanId"), "b7ad6b7169203331");
  EXPECT_EQ(span.at("name"), "POST /v1/chat/completions");
  EXPECT_EQ(span.at("kind"), 2);
  EXPECT_EQ(span.at("flags"), 0x301);
  EXPECT_EQ(span.at("startTimeUnixNano"), "1700000000123000000");
  EXPECT_EQ(span.at("endTimeUnixNano"), "1700000000253000000");
  EXPECT_FALSE(span.contains("status"));
  const std::vector<std::pair<std::string_view, std::string_view>> expected{
      {"http.request.method", "stringValue POST"},
      {"url.path", "stringValue /v1/chat/completions"},
      {"url.scheme", "stringValue https"},
      {"http.route", "stringValue /v1/chat/completions"},
      {"http.response.status_code", "intValue 200"},
      {"user_agent.original", "stringValue curl/8"},
      {"error.type", ""},
      {"gen_ai.operation.name", "stringValue chat"},
      {"gen_ai.provider.name", "stringValue openai"},
      {"gen_ai.request.model", "stringValue to\"y\xef\xbf\xbd"},
      {"gen_ai.request.stream", "boolValue true"},
      {"gen_ai.response.time_to_first_chunk", "doubleValue 3E-2"},
      {"gen_ai.usage.input_tokens", "intValue 12"},
      {"gen_ai.usage.output_tokens", "intValue 11"},
      {"sextant.request.id", "stringValue req-1"},
      {"sextant.key.name", "stringValue alice"},
      {"sextant.replica", "intValue 3"},
      {"sextant.route.why", "stringValue load"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(attribute(span, name), value) << name;
  EXPECT_EQ(json::serialize(span).find("secret"), std::string::npos);
}

TEST(Span, AnErrorOfTheServerIsOneAndOfTheClientIsNone) {
  const auto told = [](int status, std::string_view cause) {
    Asked asked;
    asked.record.status = status;
    asked.record.cause = cause;
    const json::object span = asked.span();
    return attribute(span, "error.type") + (span.contains("status") ? " failed" : "");
  };
  EXPECT_EQ(told(200, ""), "");
  EXPECT_EQ(told(404, "model_not_found"), "");
  EXPECT_EQ(told(500, "engine"), "stringValue 500 failed");
  EXPECT_EQ(told(503, "no_replica"), "stringValue no_replica failed");
  EXPECT_EQ(told(200, "replica_lost"), "stringValue replica_lost failed");
  EXPECT_EQ(told(0, "client_gone"), "stringValue client_gone failed");
}

TEST(Span, OfOurOwnPathsAndOddMethods) {
  Asked asked;
  asked.method = "BREW";
  asked.target = "/health";
  asked.path = "/health";
  asked.trace.parent = 0;
  const json::object span = asked.span();
  EXPECT_EQ(span.at("name"), "HTTP /health");
  EXPECT_FALSE(span.contains("parentSpanId"));
  EXPECT_EQ(attribute(span, "http.request.method"), "stringValue _OTHER");
  EXPECT_EQ(attribute(span, "http.request.method_original"), "stringValue BREW");
  EXPECT_EQ(attribute(span, "gen_ai.operation.name"), "");
}

TEST(Span, AMessageHoldsThemAndWhoSpeaks) {
  const auto message =
      json::parse(spans_message({"{\"a\":1}", "{\"b\":2}"}, {{"service.name", "x"}}));
  const auto& of = message.at("resourceSpans").as_array().at(0);
  EXPECT_EQ(json::serialize(of.at("resource").at("attributes")),
            R"([{"key":"service.name","value":{"stringValue":"x"}}])");
  EXPECT_EQ(of.at("scopeSpans").as_array().at(0).at("spans").as_array().size(), 2U);
}

// --- where to -----------------------------------------------------------------------------------

using Values = std::map<std::string, std::string>;
Result<OtlpSettings> settings(std::string_view flag, const Values& values = {}) {
  return otlp_settings(flag, [&](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
}
std::string url_of(std::string_view flag, const Values& values = {}) {
  const auto found = settings(flag, values);
  return found ? found->url : found.error().what;
}

TEST(OtlpSettings, TheFlagCountsBeforeTheVariables) {
  const Values both{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a:4318/base/"},
                    {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://b/path"}};
  EXPECT_EQ(url_of(""), "");
  EXPECT_EQ(url_of("http://c:4318"), "http://c:4318/v1/traces");
  EXPECT_EQ(url_of("http://c:4318/", both), "http://c:4318/v1/traces");
  EXPECT_EQ(url_of("http://c/own", both), "http://c/own");
  EXPECT_EQ(url_of("", both), "https://b/path");
  EXPECT_EQ(url_of("", {*both.begin()}), "http://a:4318/base/v1/traces");
}

TEST(OtlpSettings, TheyCanBeSwitchedOff) {
  Values values{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a"}, {"OTEL_TRACES_EXPORTER", "none"}};
  EXPECT_EQ(url_of("", values), "");
  values = {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a"}, {"OTEL_SDK_DISABLED", "TRUE"}};
  EXPECT_EQ(url_of("", values), "");
}

// --- which are kept -----------------------------------------------------------------------------

TEST(TraceSampler, DecidesByTheEndOfTheNumberAsOtherSdksDo) {
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  // Python: round(ratio * 2**64); below it a trace is kept.
  const std::vector<std::pair<double, std::uint64_t>> bounds{{0.5, 0x8000000000000000U},
                                                             {0.1, 0x1999999999999a00U},
                                                             {0.25, 0x4000000000000000U},
                                                             {1e-6, 0x10c6f7a0b5eeU}};
  for (const auto& [ratio, bound] : bounds) {
    const TraceSampler sampler{.ratio = ratio};
    EXPECT_TRUE(sampler.keeps(nullptr, 0)) << ratio;
    EXPECT_TRUE(sampler.keeps(nullptr, bound - 1)) << ratio;
    EXPECT_FALSE(sampler.keeps(nullptr, bound)) << ratio;
    EXPECT_FALSE(sampler.keeps(nullptr, kLast)) << ratio;
  }
  EXPECT_TRUE(TraceSampler{}.keeps(nullptr, kLast));
  EXPECT_FALSE(TraceSampler{.ratio = 0}.keeps(nullptr, 0));
}

TEST(TraceSampler, WhatALowerRatioKeepsAHigherOneKeepsToo) {
  std::uint64_t number = 1;
  int kept = 0;
  for (int i = 0; i < 10'000; ++i) {
    number = number * 6364136223846793005U + 1442695040888963407U;
    const bool low = TraceSampler{.ratio = 0.1}.keeps(nullptr, number);
    kept += low ? 1 : 0;
    if (low) EXPECT_TRUE(TraceSampler{.ratio = 0.2}.keeps(nullptr, number));
  }
  EXPECT_NEAR(kept, 1000, 100);
}

// Of a client's kept trace, of one it does not keep, of one that begins here; the number's end is
// below a quarter and above it.
std::string decisions(const TraceSampler& sampler) {
  std::string all;
  for (const std::uint64_t end : {std::uint64_t{1} << 60U, std::uint64_t{1} << 63U}) {
    for (const unsigned flags : {1U, 0U}) {
      const TraceContext client{.trace = {1, end}, .parent = 1, .flags = flags};
      all += sampler.keeps(&client, end) ? '+' : '-';
    }
    all += sampler.keeps(nullptr, end) ? '+' : '-';
  }
  return all;
}

TEST(TraceSampler, IsNamedByTheVariables) {
  const auto named = [](const std::string& name, const std::string& argument = "") {
    return sampler_in([&](const std::string& variable) {
      return variable == "OTEL_TRACES_SAMPLER" ? std::optional(name) : std::optional(argument);
    });
  };
  EXPECT_EQ(decisions(named("").sampler), "+-++-+");
  EXPECT_EQ(decisions(named("parentbased_always_on").sampler), "+-++-+");
  EXPECT_EQ(decisions(named("parentbased_always_off").sampler), "+--+--");
  EXPECT_EQ(decisions(named("parentbased_traceidratio", "0.25").sampler), "+-++--");
  EXPECT_EQ(decisions(named("always_on").sampler), "++++++");
  EXPECT_EQ(decisions(named("always_off").sampler), "------");
  EXPECT_EQ(decisions(named(" traceidratio ", " 0.25 ").sampler), "+++---");
  EXPECT_EQ(decisions(named("traceidratio").sampler), "++++++") << "without an argument: all";
  for (const char* wrong : {"2", "-0.1", "0.5x", "half", "nan", "inf"}) {
    const SamplerRead read = named("parentbased_traceidratio", wrong);
    ASSERT_TRUE(read.note) << wrong;
    EXPECT_THAT(read.note->what, testing::HasSubstr("is no number from 0 to 1: it counts as 1"));
    EXPECT_EQ(decisions(read.sampler), "+-++-+") << wrong;
  }
  EXPECT_FALSE(named("always_on", "half").note) << "it takes none";
  const SamplerRead other = named("jaeger_remote");
  ASSERT_TRUE(other.note);
  EXPECT_THAT(other.note->what, testing::HasSubstr("OTEL_TRACES_SAMPLER=jaeger_remote"));
  EXPECT_EQ(decisions(other.sampler), "+-++-+");
}

TEST(OtlpSettings, AVariableThatHoldsAWholeFileIsNotRepeatedWhole) {
  const std::string file(100'000, 'x');
  constexpr std::size_t kOneLine = 500;
  for (const Values& values :
       {Values{{"OTEL_TRACES_SAMPLER", file}},
        Values{{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", file}}}) {
    const auto found = settings("http://c", values);
    ASSERT_TRUE(found && found->note);
    EXPECT_LT(found->note->what.size(), kOneLine);
    EXPECT_THAT(found->note->chinese, testing::HasSubstr("x…"));
  }
  EXPECT_LT(url_of(file).size(), kOneLine);
  EXPECT_LT(url_of("http://a:" + file).size(), 2 * kOneLine);
  EXPECT_LT(url_of("", {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"},
                        {"OTEL_EXPORTER_OTLP_PROTOCOL", file}})
                .size(),
            kOneLine);
}

TEST(OtlpSettings, ARatioOfOurOwnCountsBeforeTheVariables) {
  const auto found = otlp_settings(
      "http://c",
      [](const std::string& name) {
        return name == "OTEL_TRACES_SAMPLER" ? std::optional<std::string>("always_off")
                                             : std::nullopt;
      },
      0.25);
  ASSERT_TRUE(found);
  EXPECT_EQ(decisions(found->sampler), "+-++--");
  EXPECT_EQ(decisions(settings("http://c", {{"OTEL_TRACES_SAMPLER", "always_off"}})->sampler),
            "------");
}

TEST(OtlpSettings, WhatCannotBeUsedIsTold) {
  for (const char* wrong : {"c:4318", "ftp://c", "http://", "http://:80", "http://a b"})
    EXPECT_THAT(url_of(wrong), testing::HasSubstr("traces go to http://HOST:PORT")) << wrong;
  for (const char* secret : {"http://user:open-sesame@c", "ftp://user:open-sesame@c",
                             "http:/user:open-sesame@c", "user:open-sesame@c:4318"})
    EXPECT_THAT(url_of(secret), testing::AllOf(testing::HasSubstr("OTEL_EXPORTER_OTLP_HEADERS"),
                                               testing::Not(testing::HasSubstr("sesame"))));
  for (const char* variable : {"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"})
    EXPECT_EQ(url_of("", {{variable, "ftp://c"}}),
              std::string(variable) +
                  ": traces go to http://HOST:PORT or https://HOST:PORT, not to ftp://c");
  EXPECT_THAT(url_of("", {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a:4317"},
                          {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}}),
              testing::HasSubstr("OTEL_EXPORTER_OTLP_PROTOCOL=grpc"));
}

TEST(OtlpSettings, HeadersAndWhoWeAre) {
  const auto found =
      settings("http://c", {{"OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b , x=1,odd"},
                            {"OTEL_RESOURCE_ATTRIBUTES", "zone=z,service.name=no"},
                            {"OTEL_SERVICE_NAME", "mine"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->headers, (std::vector<std::string>{"api-key: a b", "x: 1"}));
  EXPECT_EQ(found->resource, (SpanResource{{"zone", "z"}, {"service.name", "mine"}}));
  EXPECT_EQ(settings("http://c")->resource, (SpanResource{{"service.name", "sextant-gateway"}}));
  EXPECT_TRUE(
      settings("http://c", {{"OTEL_EXPORTER_OTLP_HEADERS", "a=b%0d%0ac: d"}})->headers.empty());
}

// --- what becomes of them -----------------------------------------------------------------------

TEST(SpanFate, LaterIsTriedAgainAndRefusedIsNot) {
  using What = SpanFate::What;
  const auto fate = [](int status, int tries, std::optional<int> after = {}) {
    HttpAnswer answer;
    answer.status = status;
    answer.retry_after_seconds = after;
    return fate_of_spans(status == 0 ? nullptr : &answer, tries, 0);
  };
  EXPECT_EQ(fate(200, 1).what, What::Taken);
  for (const int later : {0, 429, 502, 503, 504}) {
    EXPECT_EQ(fate(later, 1).what, What::Again) << later;
    EXPECT_EQ(fate(later, 4).what, What::Dropped) << later;
  }
  for (const int final : {301, 400, 401, 413, 500}) EXPECT_EQ(fate(final, 1).what, What::Dropped);
  EXPECT_EQ(fate(503, 1, 7).wait, milliseconds(7000));
  EXPECT_EQ(fate(503, 1, 3000).wait, milliseconds(30'000));
  EXPECT_EQ(fate(503, 1).wait, milliseconds(500));
  EXPECT_EQ(fate(503, 3).wait, milliseconds(2000));
  EXPECT_GT(fate_of_spans(nullptr, 1, 999).wait, milliseconds(500));
}

}  // namespace
}  // namespace sx
