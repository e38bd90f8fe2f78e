// Tables of number formats, of configs and of stretched contexts: what holds for which version, and
// that rows make sense.
#include "knowledge/quantisation.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "knowledge/config_types.h"
#include "knowledge/context_stretch.h"
#include "knowledge/models.h"
#include "knowledge/tables.h"

namespace sx {
namespace {

Version version(const char* text) { return parse_version(text).value_or(Version{}); }

std::string capability(QuantisationKind kind, const char* name, const char* in) {
  const QuantisationRow* row = quantisation_in("vllm", kind, name, version(in));
  if (row == nullptr) return "no row";
  return row->capability ? row->capability->text() : "unknown";
}

TEST(Quantisation, CapabilitiesByVersion) {
  struct Row {
    QuantisationKind kind;
    const char* name;
    const char* in;
    const char* wanted;
  };
  const Row rows[] = {
      {QuantisationKind::Method, "fp8", "0.8.5", "8.0"},
      {QuantisationKind::Method, "fp8", "0.14.1", "7.5"},
      {QuantisationKind::Method, "fp8", "0.14.0", "no row"},  // between two versions that were read
      {QuantisationKind::Method, "fp8", "0.99.0", "7.5"},
      {QuantisationKind::Method, "awq", "0.6.6.post1", "7.5"},
      {QuantisationKind::Method, "awq_marlin", "0.13.0", "8.0"},
      {QuantisationKind::Method, "gptq", "0.33.0", "6.0"},
      {QuantisationKind::Method, "mxfp4", "0.9.2", "no row"},
      {QuantisationKind::Method, "mxfp4", "0.33.0", "8.0"},
      {QuantisationKind::Method, "tpu_int8", "0.10.2", "unknown"},
      {QuantisationKind::Method, "bitsandbytes", "0.29.0", "no row"},
      {QuantisationKind::Method, "modelopt", "0.26.0", "8.9"},
      {QuantisationKind::Method, "modelopt", "0.29.0", "8.0"},
      {QuantisationKind::Scheme, "fp8 block", "0.8.5", "8.9"},
      {QuantisationKind::Scheme, "fp8 block", "0.9.2", "no row"},
      {QuantisationKind::Scheme, "compressed-tensors packed", "0.33.0", "7.5"},
      {QuantisationKind::Native, "nvfp4", "0.33.0", "10.0"},
      {QuantisationKind::Cache, "fp8", "0.23.0", "no row"},
      {QuantisationKind::Cache, "fp8", "0.33.0", "8.0"},
      {QuantisationKind::Method, "fp8 block", "0.8.5", "no row"},  // another kind
  };
  for (const Row& row : rows) {
    EXPECT_EQ(capability(row.kind, row.name, row.in), row.wanted) << row.name << " in " << row.in;
  }
  EXPECT_EQ(quantisation_in("nobody", QuantisationKind::Method, "fp8", version("0.5.0")), nullptr);
}

TEST(Quantisation, StandingOfMethods) {
  const auto standing = [](const char* name, const char* in) {
    return method_standing("vllm", name, version(in));
  };
  EXPECT_EQ(standing("awq", "0.33.0"), Standing::Known);
  EXPECT_EQ(standing("awq", "1.0.0"), Standing::Known);
  EXPECT_EQ(standing("awq", "0.5.0"), Standing::NotRead);
  EXPECT_EQ(standing("fp8", "0.14.0"), Standing::Known);  // two rows, no hole between them
  EXPECT_EQ(standing("mxfp4", "0.9.2"), Standing::NotYet);
  EXPECT_EQ(standing("mxfp4", "0.10.1"), Standing::Possible);
  EXPECT_EQ(standing("bitsandbytes", "0.26.0"), Standing::Known);
  EXPECT_EQ(standing("bitsandbytes", "0.27.0"), Standing::Possible);
  EXPECT_EQ(standing("bitsandbytes", "0.29.0"), Standing::Removed);
  EXPECT_EQ(standing("int4", "0.33.0"), std::nullopt);
  EXPECT_EQ(standing("", "0.33.0"), std::nullopt);
}

TEST(Quantisation, SpansAndLists) {
  const MethodSpan gone = method_span("vllm", "gguf");
  EXPECT_FALSE(gone.first.has_value());
  EXPECT_EQ(gone.last, version("0.23.0"));
  const MethodSpan young = method_span("vllm", "humming");
  EXPECT_EQ(young.first, version("0.20.2"));
  EXPECT_FALSE(young.last.has_value());
  const auto methods = quantisation_methods("vllm", version("0.33.0"));
  const std::set<std::string_view> names(methods.begin(), methods.end());
  EXPECT_EQ(names.size(), methods.size());
  EXPECT_TRUE(names.contains("compressed-tensors"));
  EXPECT_FALSE(names.contains("gguf"));
  EXPECT_FALSE(names.contains("fp8 block"));
}

// Rows of one thing follow each other in the order of versions and do not overlap.
TEST(Quantisation, RowsAreInOrder) {
  const Table table(table_bytes("data/engines/vllm/quantisation.tsv"));
  std::map<std::string, std::optional<Version>> last_until;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string thing =
        std::string(table.cell(row, "kind")) + ' ' + std::string(table.cell(row, "name"));
    const auto since = parse_version(table.cell(row, "since"));
    const auto until = parse_version(table.cell(row, "until"));
    if (since && until) EXPECT_LE(*since, *until) << thing;
    if (const auto before = last_until.find(thing); before != last_until.end()) {
      ASSERT_TRUE(before->second.has_value()) << thing << " goes on behind an open row";
      ASSERT_TRUE(since.has_value()) << thing;
      EXPECT_LT(*before->second, *since) << thing;
    }
    last_until[thing] = until;
    EXPECT_FALSE(table.cell(row, "source").empty()) << thing;
    EXPECT_FALSE(table.cell(row, "checked").empty()) << thing;
  }
}

TEST(ConfigTypes, KnownByVersion) {
  EXPECT_TRUE(config_type_known("vllm", "qwen2", version("0.8.5")));
  EXPECT_TRUE(config_type_known("vllm", "internvl_chat", version("0.8.5")));
  EXPECT_FALSE(config_type_known("vllm", "internvl_chat", version("0.33.0")));
  EXPECT_TRUE(config_type_known_to_any("vllm", "internvl_chat"));
  EXPECT_FALSE(config_type_known_to_any("vllm", "internlm2"));
  EXPECT_FALSE(config_type_known_to_any("vllm", ""));
  EXPECT_FALSE(config_type_known_to_any("llamacpp", "qwen2"));
}

TEST(ContextStretch, ByNameAndItsCopies) {
  for (const char* name : {"Qwen/Qwen2.5-72B-Instruct", "/models/qwen2.5-72b-instruct/",
                           "Qwen2.5-72B-Instruct-GPTQ-Int4", "Qwen/Qwen2.5-72B-Instruct-AWQ",
                           "bartowski/Qwen2.5-72B-Instruct-GGUF:Q4_K_M",
                           "Qwen2.5-72B-Instruct-IQ4_XS-00001-of-00002.gguf",
                           "/m/Qwen2.5-72B-Instruct-UD-Q4_K_XL.gguf"}) {
    const auto stretch = context_stretch(name);
    ASSERT_TRUE(stretch.has_value()) << name;
    EXPECT_EQ(stretch->native, 32768);
    EXPECT_EQ(stretch->factor, 4);
    EXPECT_EQ(stretch->rope_theta, 1'000'000);
  }
  for (const char* name :
       {"", "/", "Qwen/Qwen2.5-0.5B-Instruct", "Qwen2.5-72B", "-AWQ", "my/Qwen3-8B-finetuned",
        ".gguf", "-Q4_K_M.gguf", ":", "Qwen3-8B-chat-Q4_K_M.gguf"}) {
    EXPECT_FALSE(context_stretch(name).has_value()) << name;
  }
}

// What the table says of a model's config is what the catalogue says.
TEST(ContextStretch, AgreesWithTheCatalogue) {
  const Table table(table_bytes("data/context_stretch.tsv"));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const ModelMatch match = match_model(table.cell(row, "model"));
    ASSERT_TRUE(match.row.has_value()) << table.cell(row, "model");
    EXPECT_EQ(match.row->integer("max_position_embeddings"),
              integer_cell(table.cell(row, "config_positions")))
        << table.cell(row, "model");
  }
}

}  // namespace
}  // namespace sx
