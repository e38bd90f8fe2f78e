// Which format a model writes, and which parsers read it.
#include "knowledge/parsers.h"

#include <gtest/gtest.h>

#include <string>

#include "knowledge/cells.h"

namespace sx {
namespace {

constexpr std::string_view kTools = "--tool-call-parser";
constexpr std::string_view kThinking = "--reasoning-parser";

std::string all(const std::vector<std::string_view>& words) {
  std::string out;
  for (const auto word : words) out += std::string(word) + ' ';
  return out;
}

TEST(Parsers, ModelsAreToldByTheLastPartOfTheirName) {
  EXPECT_EQ(all(output_formats(kTools, "Qwen/Qwen2.5-7B-Instruct")), "hermes ");
  EXPECT_EQ(all(output_formats(kTools, "/models/qwen2.5-0.5b-instruct-awq/")), "hermes ");
  EXPECT_EQ(all(output_formats(kTools, "Qwen/Qwen3-Coder-30B-A3B-Instruct")), "qwen3-xml ");
  EXPECT_EQ(all(output_formats(kTools, "Qwen/Qwen3-0.6B")), "hermes ");
  EXPECT_EQ(all(output_formats(kTools, "meta-llama/Llama-4-Scout-17B-16E-Instruct")),
            "llama4-pythonic llama3-json pythonic ");
  EXPECT_EQ(all(output_formats(kThinking, "openai/gpt-oss-120b")), "harmony ");
}

TEST(Parsers, OtherModelsAreNotGuessed) {
  for (const char* model :
       {"someone/qwen-tools-7b", "Salesforce/Llama-xLAM-2-8B-fc-r", "Qwen/Qwen2.5-7B",
        "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF", "Qwen/Qwen3-Next-80B-A3B-Instruct", "", "/"})
    EXPECT_EQ(all(output_formats(kTools, model)), "") << model;
}

TEST(Parsers, EnginesNameThemDifferentlyAndSinceVersions) {
  EXPECT_EQ(format_of_parser("vllm", kTools, "llama3_json"), "llama3-json");
  EXPECT_EQ(format_of_parser("sglang", kTools, "llama3"), "llama3-json");
  EXPECT_EQ(format_of_parser("sglang", kTools, "llama3_json"), "");
  const auto version = [](const char* text) { return *parse_version(text); };
  EXPECT_EQ(all(parsers_of_format("vllm", kTools, "qwen3-xml", version("0.9.2"))), "");
  EXPECT_EQ(all(parsers_of_format("vllm", kTools, "qwen3-xml", version("0.11.2"))), "qwen3_coder ");
  EXPECT_EQ(all(parsers_of_format("vllm", kTools, "qwen3-xml", version("0.33.0"))),
            "qwen3_coder qwen3_xml ");
}

// A format that a model writes and nobody reads would make a complaint without a way out.
TEST(Parsers, EachFormatOfAModelIsReadBySomeParser) {
  const Table table(table_bytes("data/parsers.tsv"));
  ASSERT_GT(table.rows(), 50U);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto name = table.cell(row, "name");
    EXPECT_TRUE(name.find('*') == std::string_view::npos || name.find('*') == name.size() - 1)
        << name << ": * stands at the end only";
    if (table.cell(row, "kind") != "model") continue;
    const auto format = table.cell(row, "format");
    bool read = false;
    for (std::size_t other = 0; other < table.rows(); ++other) {
      read = read || (table.cell(other, "kind") == "parser" &&
                      table.cell(other, "flag") == table.cell(row, "flag") &&
                      table.cell(other, "format") == format);
    }
    EXPECT_TRUE(read) << name << ' ' << format;
  }
}

}  // namespace
}  // namespace sx
