// The table of llama-server's flags against the parser, the parser against itself, and both against
// the program's own help text.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/strings.h"
#include "knowledge/tables.h"
#include "knowledge/variables.h"
#include "llama_cli_line.h"

namespace sx {
namespace {

using testing_llama::newest;
using testing_llama::problems;
using testing_llama::read;

const EngineFlags& flags() { return *engine_flags("llamacpp"); }

bool ends_at_once(const FlagRow& row) {
  return row.name == "--help" || row.name == "--version" || row.name == "--cache-list" ||
         row.name == "--list-devices" || row.name == "--completion-bash";
}

// A value that the parser takes.
std::string good_value(const FlagRow& row) {
  switch (row.kind) {
    case FlagKind::Switch:
      return "";
    case FlagKind::Integer:
      return " 3";
    case FlagKind::Number:
      return " 0.5";
    case FlagKind::Choice:
      return ' ' + std::string(row.choices.front());
    case FlagKind::List:
      return " 1 2";
    case FlagKind::Json:
      return " {\"x\":1}";
    case FlagKind::String:
    case FlagKind::Optional:
      if (row.name == "--override-kv") return " a=int:3";
      return row.name.ends_with("-scaled") ? " x.gguf:0.5" : " 1";
  }
  return "";
}

TEST(LlamaConformance, EveryFlagIsReadInAllItsSpellings) {
  for (const FlagRow& row : flags().rows) {
    if (ends_at_once(row) || flags().standing(row, newest()) != Standing::Known) continue;
    std::vector<std::string> names{std::string(row.name),
                                   "--" + replaced(row.name.substr(2), "-", "_")};
    for (const std::string_view alias : row.aliases) names.emplace_back(alias);
    for (const std::string& name : names) {
      const std::string words = name + good_value(row);
      const auto all = read(words);
      EXPECT_EQ(problems(all.serve), "") << words;
      ASSERT_EQ(all.serve.flags.size(), 1U) << words;
      const FlagUse& use = all.serve.flags.front();
      EXPECT_EQ(use.name, row.opposite_of.empty() ? row.name : row.opposite_of) << words;
      EXPECT_EQ(use.negated, !row.opposite_of.empty()) << words;
      EXPECT_FALSE(use.possible) << words;
      EXPECT_EQ(all.text(use.span), words);
    }
  }
}

TEST(LlamaConformance, EveryRowThatIsGoneIsSaidSo) {
  for (const FlagRow& row : flags().rows) {
    if (flags().standing(row, newest()) != Standing::Removed) continue;
    EXPECT_EQ(problems(read(std::string(row.name) + good_value(row)).serve),
              "removed " + std::string(row.name));
  }
}

TEST(LlamaConformance, AnOppositeIsMadeOfItsFlag) {
  for (const FlagRow& row : flags().rows) {
    if (row.opposite_of.empty()) continue;
    ASSERT_NE(flags().find(row.opposite_of), nullptr) << row.name;
    EXPECT_EQ(flags().find("--no-" + std::string(row.opposite_of.substr(2))), &row) << row.name;
  }
}

TEST(LlamaConformance, EveryVariableStandsForAFlag) {
  EXPECT_GT(variable_names("llamacpp").size(), 140U);
  const Table table(table_bytes("data/engines/llamacpp/env.tsv"));
  for (std::size_t row = 0; row < table.rows(); ++row)
    EXPECT_NE(flags().find(table.cell(row, "flag")), nullptr) << table.cell(row, "name");
}

// Names at the beginning of the help text's entries.
std::set<std::string> names_in_help() {
  std::ifstream file(std::string(SEXTANT_SOURCE_DIR) + "/tests/engines/llamacpp/b11549/help.txt");
  std::stringstream text;
  text << file.rdbuf();
  std::set<std::string> names;
  const std::string all = text.str();
  for (const std::string_view line : lines_of(all)) {
    if (!line.starts_with('-') || line.starts_with("-----")) continue;
    for (const std::string_view part : split(line, ',')) {
      const std::string_view word = trimmed(part);
      if (!word.starts_with('-')) break;
      names.emplace(word.substr(0, word.find(' ')));
      if (word.find(' ') != std::string_view::npos) break;
    }
  }
  return names;
}

TEST(LlamaConformance, TheTableAndTheHelpTextNameTheSameFlags) {
  const auto helped = names_in_help();
  EXPECT_GT(helped.size(), 350U);
  for (const std::string& name : helped) EXPECT_NE(flags().find(name), nullptr) << name;
  std::string lacking;
  for (const auto& [name, row] : flags().by_name) {
    if (flags().standing(flags().rows[row], newest()) != Standing::Known) continue;
    if (!helped.contains(std::string(name))) lacking += std::string(name) + ' ';
  }
  EXPECT_EQ(lacking, "");
}

std::vector<std::string> again(const ServeSpec& serve, ServeSpec& second) {
  Sources sources;
  Command command;
  command.source = sources.add({.kind = SourceKind::CommandLine, .text = std::string(1, ' ')});
  for (const std::string& word : llamacpp::command_for(serve))
    command.words.push_back({.text = word, .span = {command.source, 0, 0}});
  second = llamacpp::understand(command, serve.version, sources, {});
  return llamacpp::command_for(second);
}

TEST(LlamaConformance, ACommandMadeOfFactsMeansTheSameFacts) {
  for (const char* words :
       {"-m x.gguf", "-hf a/b:Q8_0 -c 8192 -np 4", "-m x -ngl 99 -ts 3,1 -sm row -mg 1 -fa on",
        "-m x -ctk q8_0 -ctv q8_0 -b 512 -ub 128 -nkvo --no-webui",
        "-m x --host 0.0.0.0 --port 1234 --api-key k --alias a --jinja --lora a --lora b",
        "-m x --control-vector-layer-range 3 5 -cmoe --override-kv a=int:3"}) {
    const ServeSpec first = read(words).serve;
    ASSERT_EQ(problems(first), "") << words;
    ServeSpec second;
    EXPECT_EQ(again(first, second), llamacpp::command_for(first)) << words;
    EXPECT_EQ(problems(second), "") << words;
    EXPECT_EQ(second.model.value(), first.model.value());
    EXPECT_EQ(second.max_model_len.known(), first.max_model_len.known());
    EXPECT_EQ(second.port.value(), first.port.value());
    EXPECT_EQ(second.has_api_key.value(), first.has_api_key.value());
    ASSERT_EQ(second.flags.size(), first.flags.size()) << words;
    for (std::size_t i = 0; i < first.flags.size(); ++i) {
      EXPECT_EQ(second.flags[i].name, first.flags[i].name);
      EXPECT_EQ(second.flags[i].values, first.flags[i].values);
      EXPECT_EQ(second.flags[i].negated, first.flags[i].negated);
    }
  }
}

TEST(LlamaConformance, FactsWithoutUsesAreWrittenToo) {
  ServeSpec serve = read("-m x").serve;
  serve.max_model_len = {Tokens{4096}, Origin::Flag};
  serve.max_num_seqs = {2, Origin::Flag};
  EXPECT_EQ(join(llamacpp::command_for(serve), " "),
            "llama-server --model x --ctx-size 4096 --parallel 2");
}

TEST(LlamaConformance, ARepositoryIsAskedOfTheHubAndAFileIsOpened) {
  const auto made_for = [](const char* model) {
    ServeSpec serve = read("").serve;
    serve.model = {model, Origin::Flag};
    return join(llamacpp::command_for(serve), " ");
  };
  EXPECT_EQ(made_for("unsloth/Qwen3-8B-GGUF:Q4_K_M"),
            "llama-server --hf-repo unsloth/Qwen3-8B-GGUF:Q4_K_M");
  EXPECT_EQ(made_for("models/x.gguf"), "llama-server --model models/x.gguf");
  EXPECT_EQ(made_for("/models/x/y.gguf"), "llama-server --model /models/x/y.gguf");
}

}  // namespace
}  // namespace sx
