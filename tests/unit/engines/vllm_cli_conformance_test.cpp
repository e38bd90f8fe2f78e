// The table of flags against the engine's own help text.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/strings.h"
#include "knowledge/flags.h"
#include "vllm_cli_line.h"

namespace sx {
namespace {

using testing_vllm::kNewest;

const EngineFlags& flags() { return *engine_flags("vllm"); }

// Option names of a help text: lines that begin with two blanks and a dash.
std::vector<std::string> names_in_help(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::vector<std::string> names;
  const std::string all = text.str();
  for (const std::string_view line : lines_of(all)) {
    if (!line.starts_with("  -")) continue;
    std::string_view head = trimmed(line);
    head = head.substr(0, head.find("  "));
    for (const std::string_view part : split(head, ',')) {
      const std::string_view word = trimmed(part);
      if (word.starts_with('-')) names.emplace_back(word.substr(0, word.find_first_of(" [")));
    }
  }
  return names;
}

TEST(VllmConformance, TheRecordedHelpTextNamesOnlyFlagsOfTheTable) {
  const std::string path = std::string(SEXTANT_SOURCE_DIR) + "/tests/engines/vllm/0.32.0/help.txt";
  const auto names = names_in_help(path);
  EXPECT_GT(names.size(), 300U);
  const Version version{0, 32, 0};
  for (const std::string& name : names) {
    if (name == "-h" || name == "--help" || !name.starts_with("-")) continue;
    const FlagRow* row = flags().find(name);
    if (row == nullptr && name.starts_with("--no-")) {
      row = flags().find("--" + name.substr(5));
      if (row != nullptr) {
        EXPECT_TRUE(row->negatable) << name;
      }
    }
    ASSERT_NE(row, nullptr) << name;
    const Standing standing = flags().standing(*row, version);
    EXPECT_TRUE(standing == Standing::Known || standing == Standing::Possible) << name;
  }
}

TEST(VllmConformance, TheTableNamesNoFlagOfThatVersionThatItsHelpTextLacks) {
  const std::string path = std::string(SEXTANT_SOURCE_DIR) + "/tests/engines/vllm/0.32.0/help.txt";
  const auto names = names_in_help(path);
  const std::set<std::string> helped(names.begin(), names.end());
  std::string lacking;
  for (const FlagRow& row : flags().rows) {
    if (!row.name.starts_with("--") || flags().standing(row, {0, 32, 0}) != Standing::Known)
      continue;
    if (!helped.contains(std::string(row.name))) lacking += std::string(row.name) + ' ';
  }
  EXPECT_EQ(lacking, "");
}

TEST(VllmConformance, ACommandMadeOfFactsAloneIsWhole) {
  ServeSpec serve;
  serve.version = kNewest;
  serve.model = Fact<std::string>("org/m", Origin::Flag);
  serve.tensor_parallel = Fact<int>(4, Origin::Flag);
  serve.max_model_len = Fact<Tokens>(Tokens{8192}, Origin::Flag);
  serve.pipeline_parallel = Fact<int>(1, Origin::Default);
  EXPECT_EQ(join(vllm::command_for(serve), " "),
            "vllm serve org/m --tensor-parallel-size 4 --max-model-len 8192");
}

}  // namespace
}  // namespace sx
