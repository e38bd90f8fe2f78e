// The JSON document read back: every key of the contract, typed numbers, always UTF-8, always
// English.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>

#include "base/utf8.h"
#include "diag/fingerprint.h"
#include "diag/render.h"
#include "examples.h"

namespace sx::examples {
namespace {

namespace json = boost::json;

constexpr Text kReason{"NVML not found", "未找到 NVML"};

LaunchAnswer answer(Sources& sources) {
  LaunchAnswer out;
  out.asked = {.engine = "vllm",
               .version = "0.33.0",
               .version_from = "default",
               .command = "vllm serve m",
               .line = 3};
  Diagnostic d = product(sources);
  d.fixes[0].edits = {{{0, 84, 85}, "2"}};
  out.outcome.diagnostics = {d, simple("SX8001", Severity::Advice, "advice")};
  out.outcome.not_checked = {{"SX6201", "peer-access-off", {"host.links"}, kReason}};
  out.outcome.held_back = {{"SX3108", "SX2103"}};
  out.outcome.checked = 61;
  out.outcome.combined.command = "vllm serve m --tp 2";
  out.budget_json = R"([{"gpu": 0, "lines": []}])";
  out.kv_tokens = 220864;
  out.max_concurrency = 6.74;
  return out;
}

json::object read(const std::vector<LaunchAnswer>& answers, const Sources& sources) {
  const std::string text = render_json(answers, sources, "0.3.0");
  EXPECT_TRUE(is_valid_utf8(text));
  EXPECT_TRUE(text.ends_with("}\n"));
  EXPECT_EQ(text, render_json(answers, sources, "0.3.0"));
  return json::parse(text).as_object();
}

std::string keys(const json::object& object) {
  std::string out;
  for (const auto& entry : object) out.append(out.empty() ? "" : " ").append(entry.key());
  return out;
}

TEST(Json, HasEveryKeyOfTheContract) {
  Sources sources;
  const json::object document = read({answer(sources)}, sources);
  EXPECT_EQ(keys(document),
            "schema tool engine assumptions combined budget kv_tokens max_concurrency sources "
            "diagnostics "
            "not_checked held_back allowed unused_allowances launches summary");
  EXPECT_EQ(document.at("schema"), "sextant.check/1");
  EXPECT_EQ(json::serialize(document.at("tool")), R"({"name":"sextant","version":"0.3.0"})");
  EXPECT_EQ(json::serialize(document.at("engine")),
            R"({"name":"vllm","version":"0.33.0","version_from":"default"})");
  EXPECT_EQ(json::serialize(document.at("summary")),
            R"({"errors":1,"warnings":0,"advice":1,"checked":61,"not_checked":1})");
  EXPECT_EQ(
      json::serialize(document.at("not_checked")),
      R"([{"code":"SX6201","name":"peer-access-off","missing":["host.links"],"reason":"NVML not found","launch":0}])");
  EXPECT_EQ(json::serialize(document.at("held_back")),
            R"([{"code":"SX3108","until":"SX2103","launch":0}])");
  EXPECT_EQ(document.at("combined"), "vllm serve m --tp 2");
  EXPECT_EQ(document.at("kv_tokens"), 220864);
  EXPECT_DOUBLE_EQ(document.at("max_concurrency").as_double(), 6.74);
  EXPECT_EQ(document.at("budget").as_array()[0].at("gpu"), 0);
  EXPECT_EQ(
      json::serialize(document.at("sources")),
      R"([{"id":0,"name":"command line","text":"vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 6"}])");
}

TEST(Json, SaysAFindingInFull) {
  Sources sources;
  const json::object document = read({answer(sources)}, sources);
  const json::object& d = document.at("diagnostics").as_array()[0].as_object();
  EXPECT_EQ(
      keys(d),
      "code name severity confidence title arguments labels basis because otherwise fixes explain "
      "fingerprint rendered launch");
  EXPECT_EQ(d.at("title"), "64 attention heads cannot be split over 6 GPUs");
  EXPECT_EQ(json::serialize(d.at("arguments")), R"({"heads":64,"tp":6})");
  EXPECT_EQ(json::serialize(d.at("basis")), R"(["64 heads, 8 KV heads: built-in catalogue"])");
  const json::object& label = d.at("labels").as_array()[0].as_object();
  EXPECT_EQ(keys(label), "source begin end line column primary text");
  EXPECT_EQ(label.at("begin"), 37);
  EXPECT_EQ(label.at("end"), 61);
  EXPECT_EQ(label.at("column"), 38);
  const json::object& fix = d.at("fixes").as_array()[0].as_object();
  EXPECT_EQ(keys(fix), "title safety command edits");
  EXPECT_EQ(fix.at("safety"), "changes-behaviour");
  EXPECT_EQ(json::serialize(fix.at("edits")), R"([{"source":0,"begin":84,"end":85,"text":"2"}])");
  EXPECT_EQ(d.at("fingerprint"), "SX2103:--tensor-parallel-size");
  EXPECT_EQ(d.at("explain"), "sextant explain SX2103");
  EXPECT_TRUE(d.at("rendered").as_string().starts_with("error[SX2103]: 64 attention"));
}

TEST(Json, KeepsNumbersTyped) {
  Sources sources;
  LaunchAnswer one;
  Diagnostic d = simple("SX3001", Severity::Warning, "t");
  d.title.arguments = {{"text", "t"},      {"size", gib(2)},       {"tokens", Tokens{220864}},
                       {"part", 0.5},      {"none", std::nan("")}, {"count", 3},
                       {"origin", kReason}};
  one.outcome.diagnostics = {d};
  const json::object document = read({one}, sources);
  EXPECT_EQ(
      json::serialize(document.at("diagnostics").as_array()[0].at("arguments")),
      R"({"text":"t","size":2147483648,"tokens":220864,"part":5E-1,"none":null,"count":3,"origin":"NVML not found"})");
  EXPECT_FALSE(document.contains("budget"));
  EXPECT_FALSE(document.contains("kv_tokens"));
  EXPECT_FALSE(document.contains("combined"));
}

TEST(Json, SeveralLaunchesStandApart) {
  Sources sources;
  const json::object document = read({answer(sources), answer(sources)}, sources);
  EXPECT_EQ(keys(document),
            "schema tool sources diagnostics not_checked held_back allowed unused_allowances "
            "launches summary");
  ASSERT_EQ(document.at("launches").as_array().size(), 2U);
  EXPECT_EQ(keys(document.at("launches").as_array()[1].as_object()),
            "engine assumptions combined budget kv_tokens max_concurrency command line");
  const json::array& diagnostics = document.at("diagnostics").as_array();
  ASSERT_EQ(diagnostics.size(), 4U);
  EXPECT_EQ(diagnostics[0].at("launch"), 0);
  EXPECT_EQ(diagnostics[2].at("launch"), 1);
  EXPECT_EQ(diagnostics[0].at("fingerprint"), "SX2103:--tensor-parallel-size#0");
  EXPECT_EQ(diagnostics[2].at("fingerprint"), "SX2103:--tensor-parallel-size#1");
  EXPECT_EQ(document.at("summary").at("errors"), 2);
  EXPECT_EQ(document.at("summary").at("checked"), 122);
}

TEST(Json, IsUtf8WhateverTheFilesAre) {
  Sources sources;
  LaunchAnswer one;
  const int source = command_line(sources, "vllm \xFF\x1b[2J\t\"--tp 8");
  file(sources, "bad\xC0name", "secret content");
  Diagnostic d = simple("SX1001", Severity::Error, "bad \xFF byte");
  d.labels = {{span_of(sources, source, "--tp 8"), plain("\xE9\x80"), true},
              {{-1, 0, 0}, {}, false}};
  d.fixes = {{.title = plain("x"), .command = "a \xFF", .edits = {{{0, 0, 1}, "\xFF"}}}};
  one.outcome.diagnostics = {d};
  const json::object document = read({one}, sources);
  EXPECT_EQ(document.at("diagnostics").as_array()[0].at("labels").as_array().size(), 1U);
  EXPECT_EQ(document.at("sources").as_array()[1].at("name"), "bad\xEF\xBF\xBDname");
  EXPECT_FALSE(document.at("sources").as_array()[1].as_object().contains("text"));
}

TEST(Json, OfNothingIsADocument) {
  const json::object document = read({}, Sources{});
  EXPECT_EQ(keys(document),
            "schema tool sources diagnostics not_checked held_back allowed unused_allowances "
            "launches summary");
}

TEST(Fingerprint, HasNoVolatileNumbers) {
  Diagnostic d;
  d.code = "SX2103";
  EXPECT_EQ(fingerprint(d), "SX2103");
  d.subject = "--tp";
  d.launch = 2;
  EXPECT_EQ(fingerprint(d), "SX2103:--tp");
  EXPECT_EQ(fingerprint(d, true), "SX2103:--tp#2");
}

}  // namespace
}  // namespace sx::examples
