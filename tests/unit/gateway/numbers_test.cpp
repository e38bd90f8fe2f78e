// The page of numbers and the line of a request.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/strings.h"
#include "gateway/access_line.h"
#include "gateway/metrics_page.h"

namespace sx {
namespace {

using std::chrono::milliseconds;

const GatewayClock::time_point kNow{std::chrono::hours(1)};

RequestRecord answered() {
  RequestRecord record;
  record.began = kNow;
  record.first = kNow + milliseconds(30);
  record.last = kNow + milliseconds(130);
  record.status = 200;
  record.replica = 3;
  record.why = "load";
  record.events = 11;
  record.bytes_in = 100;
  record.bytes_out = 2000;
  record.usage = {.prompt = 12, .answer = 11};
  record.stream = true;
  return record;
}

bool has_line(const std::string& page, std::string_view line) {
  const auto all = lines_of(page);
  return std::ranges::find(all, line) != all.end();
}

std::string page_of(const GatewayMetrics& metrics, const GatewayKeys& keys = {},
                    bool open_metrics = false, const std::vector<ToldState>& states = {}) {
  const GatewayCounters counters;
  const std::vector<std::shared_ptr<GatewayReplica>> replicas;
  return metrics_page({.metrics = metrics,
                       .counters = counters,
                       .replicas = replicas,
                       .states = states,
                       .keys = keys,
                       .now = kNow,
                       .open_metrics = open_metrics});
}

TEST(Metrics, CountRequestsByWhatBecameOfThem) {
  GatewayMetrics metrics;
  const std::size_t toy = metrics.model("toy");
  metrics.ended(answered(), toy, "/v1/completions", kNow + milliseconds(130));
  metrics.events(toy, 0.1, 4);
  RequestRecord lost = answered();
  lost.cause = "replica_lost";
  metrics.ended(lost, toy, "/v1/completions", kNow);
  RequestRecord refused;
  refused.status = 401;
  refused.cause = "missing_api_key";
  metrics.ended(refused, 0, "", kNow);
  const std::string page = page_of(metrics);
  EXPECT_TRUE(has_line(page,
                       "sextant_requests_total{model_name=\"toy\",path=\"/v1/completions\","
                       "code=\"200\",cause=\"\"} 1"))
      << page;
  EXPECT_TRUE(has_line(page,
                       "sextant_requests_total{model_name=\"toy\",path=\"/v1/completions\","
                       "code=\"200\",cause=\"replica_lost\"} 1"));
  EXPECT_TRUE(has_line(page,
                       "sextant_requests_total{model_name=\"\",path=\"\",code=\"401\","
                       "cause=\"missing_api_key\"} 1"));
  EXPECT_TRUE(has_line(page, "sextant_routes_total{why=\"load\"} 2"));
  const std::string first = "sextant_time_to_first_token_seconds";
  EXPECT_TRUE(has_line(page, first + "_bucket{model_name=\"toy\",le=\"0.02\"} 0"));
  EXPECT_TRUE(has_line(page, first + "_bucket{model_name=\"toy\",le=\"0.04\"} 2"));
  EXPECT_TRUE(has_line(page, first + "_bucket{model_name=\"toy\",le=\"+Inf\"} 2"));
  EXPECT_TRUE(has_line(page, first + "_count{model_name=\"toy\"} 2"));
  // Four events within 0.1 s are four of 25 ms; one that was cut has no whole time.
  EXPECT_TRUE(has_line(page,
                       "sextant_inter_token_latency_seconds_bucket{model_name=\"toy\","
                       "le=\"0.025\"} 4"));
  EXPECT_TRUE(has_line(page, "sextant_e2e_request_latency_seconds_count{model_name=\"toy\"} 1"));
  EXPECT_TRUE(has_line(page, "sextant_prompt_tokens_total{model_name=\"toy\"} 24"));
}

TEST(Metrics, TheOtherFormatNamesFamiliesWithoutTotalAndSaysItsEnd) {
  GatewayMetrics metrics;
  metrics.ended(answered(), metrics.model("toy"), "/v1/completions", kNow);
  const std::string plain = page_of(metrics), open = page_of(metrics, {}, true);
  EXPECT_TRUE(has_line(plain, "# TYPE sextant_requests_total counter"));
  EXPECT_FALSE(has_line(plain, "# EOF"));
  EXPECT_TRUE(has_line(open, "# TYPE sextant_requests counter"));
  EXPECT_TRUE(open.ends_with("\n# EOF\n"));
  EXPECT_TRUE(has_line(
      open, "sextant_time_to_first_token_seconds_bucket{model_name=\"toy\",le=\"1.0\"} 1"));
  EXPECT_TRUE(wants_open_metrics("application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1"));
  EXPECT_FALSE(wants_open_metrics("text/plain"));
}

TEST(Metrics, LabelsAreBoundedAndEscaped) {
  GatewayMetrics metrics;
  for (int i = 0; i < 1000; ++i) metrics.model("m" + std::to_string(i));
  EXPECT_LE(metrics.model_names().size(), 65U);
  EXPECT_EQ(metrics.model_names().name(metrics.model("m999")), "other");
  EXPECT_EQ(metrics.model_names().name(metrics.model("m3")), "m3");
  EXPECT_EQ(label_value("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
  EXPECT_EQ(label_value("\xff"), "\xEF\xBF\xBD");
}

TEST(Metrics, AStatusForEachRequestMakesNoEndlessPage) {
  GatewayMetrics metrics;
  std::uint64_t sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    RequestRecord record = answered();
    record.status = i % 1000;
    metrics.ended(record, metrics.model("m" + std::to_string(i / 1000)), "/v1/completions", kNow);
  }
  EXPECT_LE(metrics.requests().size(), 4097U);
  for (const auto& one : metrics.requests()) sum += one.count;
  EXPECT_EQ(sum, 20'000U);
}

TEST(Metrics, OfKeysAreThoseThatWereUsed) {
  GatewayKeys keys;
  const auto row = [](const std::string& name) {
    return KeyRow{.name = name,
                  .digest = sha256_digest(name),
                  .limits = {.concurrency = 1},
                  .created = "2026-11-30T08:00:00Z",
                  .revoked = {}};
  };
  keys.set({row("a"), row("b")});
  {
    KeyHold hold(keys.find("a"), 100);
    hold.settle(100, 30);
    EXPECT_TRUE(limit_hit(*keys.find("a"), 100));
  }
  const std::string page = page_of({}, keys);
  EXPECT_TRUE(has_line(page, "sextant_key_requests_total{key=\"a\"} 1"));
  EXPECT_TRUE(has_line(page, "sextant_key_tokens_total{key=\"a\"} 30"));
  EXPECT_TRUE(has_line(page, "sextant_key_limited_total{key=\"a\",limit=\"concurrency\"} 1"));
  EXPECT_TRUE(has_line(page, "sextant_key_requests_in_flight{key=\"a\"} 0"));
  EXPECT_EQ(page.find("key=\"b\""), std::string::npos);
  EXPECT_TRUE(has_line(page, "sextant_keys 2"));
}

TEST(Metrics, OfStatesOneIsTrueAndAWordThatNobodyKnowsIsNone) {
  const std::string state = "sextant_replica_state{replica=\"";
  const auto page =
      page_of({}, {}, false,
              {{.replica = 0, .engine = "vllm", .state = ReplicaState::Wedged, .wedges = 2},
               {.replica = 4, .engine = "llamacpp", .state = {}, .wedges = 0}});
  EXPECT_TRUE(has_line(page, state + "0\",engine=\"vllm\",state=\"wedged\"} 1")) << page;
  EXPECT_TRUE(has_line(page, state + "0\",engine=\"vllm\",state=\"ready\"} 0"));
  const auto all = lines_of(page);
  EXPECT_EQ(std::ranges::count_if(all, [&](auto line) { return line.starts_with(state); }),
            kReplicaStates);
  EXPECT_TRUE(has_line(page, "sextant_replica_wedges_total{replica=\"0\",engine=\"vllm\"} 2"));
  EXPECT_TRUE(has_line(page, "sextant_replica_wedges_total{replica=\"4\",engine=\"llamacpp\"} 0"));
  EXPECT_EQ(page_of({}).find("sextant_replica_state"), std::string::npos) << "nobody told";
}

TEST(Metrics, StatesAreReadAsTheyAreWritten) {
  std::vector<ToldState> told;
  for (int i = 0; i < kReplicaStates; ++i) {
    told.push_back({.replica = i,
                    .engine = "sglang",
                    .state = static_cast<ReplicaState>(i),
                    .wedges = static_cast<std::uint64_t>(i)});
  }
  const auto object = [](std::string_view line) { return boost::json::parse(line).as_object(); };
  const auto read = read_states(object(states_line(told)));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), told.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ((*read)[i].replica, told[i].replica);
    EXPECT_EQ((*read)[i].state, told[i].state);
    EXPECT_EQ((*read)[i].wedges, told[i].wedges);
  }
  const auto one = [&](const std::string& fields) {
    return read_states(object("{\"replicas\":[{\"replica\":0,\"engine\":\"a\"," + fields + "}]}"));
  };
  EXPECT_FALSE(one("\"state\":\"of-tomorrow\",\"wedges\":1")->front().state);
  EXPECT_FALSE(one("\"state\":\"ready\",\"wedges\":-1"));
  EXPECT_FALSE(one("\"state\":7,\"wedges\":1"));
  EXPECT_FALSE(read_states(object("{\"replicas\":[1]}")));
  const std::string twice = "{\"replica\":1,\"engine\":\"\",\"state\":\"ready\",\"wedges\":0}";
  EXPECT_FALSE(read_states(object("{\"replicas\":[" + twice + ',' + twice + "]}")));
}

std::string line_of(const AccessEntry& entry, milliseconds whole = milliseconds(130)) {
  std::string out;
  AccessLines lines;
  const WallClock wall{kNow + milliseconds(50), milliseconds(1'796'000'000'123)};
  lines.add(out, entry, wall, entry.record.began + whole);
  return out;
}

TEST(AccessLines, SayWhatHappened) {
  const RequestRecord record = answered();
  EXPECT_EQ(line_of({.record = record,
                     .id = "req-1",
                     .key = "alice",
                     .method = "POST",
                     .target = "/v1/completions?key=secret",
                     .model = "toy"}),
            "{\"time\":\"2026-11-30T00:53:20.073Z\",\"id\":\"req-1\",\"key\":\"alice\","
            "\"method\":\"POST\",\"path\":\"/v1/completions\",\"model\":\"toy\",\"replica\":3,"
            "\"why\":\"load\",\"status\":200,\"bytes_in\":100,\"bytes_out\":2000,\"ttft_ms\":30.0,"
            "\"total_ms\":130.0,\"events\":11,\"prompt_tokens\":12,\"completion_tokens\":11}\n");
}

TEST(AccessLines, LeaveOutWhatIsNotKnown) {
  RequestRecord record;
  record.began = kNow;
  record.status = 401;
  record.cause = "missing_api_key";
  EXPECT_EQ(
      line_of({.record = record, .id = "r", .key = {}, .method = {}, .target = {}, .model = {}},
              milliseconds(0)),
      "{\"time\":\"2026-11-30T00:53:20.073Z\",\"id\":\"r\",\"status\":401,\"bytes_in\":0,"
      "\"bytes_out\":0,\"total_ms\":0.0,\"cause\":\"missing_api_key\"}\n");
}

TEST(AccessLines, AreJsonWhateverAClientSends) {
  const RequestRecord record = answered();
  for (const std::string& hostile :
       {std::string("a\"b\\c"), std::string("\x01\x1f\x7f"), std::string("\xff\xfe"),
        std::string("\xe4\xbd\xa0"), std::string(5000, 'x'), std::string("a\0b", 3)}) {
    const std::string line = line_of({.record = record,
                                      .id = "r",
                                      .key = {},
                                      .method = "POST",
                                      .target = "/" + hostile,
                                      .model = hostile});
    boost::json::error_code error;
    const auto value = boost::json::parse(line, error);
    ASSERT_FALSE(error) << line;
    EXPECT_TRUE(value.is_object());
    EXPECT_LT(line.size(), 2000U);
    EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  }
}

}  // namespace
}  // namespace sx
