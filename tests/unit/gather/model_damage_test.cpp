// Files beside the weights that no engine can read: what is said, and where it stands.
#include "gather/model_damage.h"

#include <gtest/gtest.h>

#include "model_made.h"

namespace sx {
namespace {

using Kind = DamagedText::Kind;

// "kind place key" of all damage in a config.
std::string damage(const std::string& text) {
  Sources sources;
  const int source = sources.add({.name = "config.json", .text = text});
  std::string out;
  for (const DamagedText& one : damage_of(sources, source, DamagedText::Of::Config)) {
    const Place place = place_of(sources.at(source), one.place.begin);
    out += std::to_string(static_cast<int>(one.kind)) + ' ' + std::to_string(place.line) + ':' +
           std::to_string(place.column) + ' ' + one.key + one.what.english + '\n';
    EXPECT_LE(one.place.end, text.size());
    EXPECT_EQ(one.what.english.empty(), one.what.chinese.empty());
  }
  return out;
}

TEST(ModelDamage, OfTextThatPythonRefuses) {
  EXPECT_EQ(damage("{\"a\": 1,\n \"b\": 2,\n}"), "0 2:8 nothing follows this comma\n");
  EXPECT_EQ(damage("{\"a\": 1 // one\n}"), "0 1:9 JSON has no comments\n");
  EXPECT_EQ(damage("\xEF\xBB\xBF{}"), "0 1:1 a byte-order mark stands in front of it\n");
  EXPECT_EQ(damage("{\"a\": \"\xff\"}"), "0 1:8 this byte is no UTF-8\n");
  EXPECT_EQ(damage("{\"a\": 1\n"), "0 1:7 the text ends, and the { of line 1 is still open\n");
  EXPECT_EQ(damage("{'a': 1}"), "0 1:2 a name in quotes is missing\n");
}

TEST(ModelDamage, OfWhatStandsInItsPlace) {
  EXPECT_EQ(damage(""), "1 1:1 \n");
  EXPECT_EQ(damage(" \n"), "1 1:1 \n");
  EXPECT_EQ(damage("version https://git-lfs.github.com/spec/v1\nsize 5\n"), "2 1:1 \n");
  EXPECT_EQ(damage("<!DOCTYPE html><html>"), "3 1:1 \n");
  EXPECT_EQ(damage("[1, 2]"), "4 1:1 a list\n");
}

TEST(ModelDamage, OfValuesOfTheWrongKind) {
  EXPECT_EQ(damage(R"({"text_config": 5, "hidden_size": "4096"})"),
            "5 1:2 text_configa number\n5 1:20 hidden_sizea text\n");
  EXPECT_EQ(damage(R"({"text_config": {"num_hidden_layers": "3"}})"),
            "5 1:18 num_hidden_layersa text\n");
  EXPECT_EQ(damage(R"({"quantization_config": "awq"})"), "5 1:2 quantization_configa text\n");
}

TEST(ModelDamage, NotOfWhatPythonTakes) {
  EXPECT_EQ(damage(R"({"a": NaN, "a": -Infinity, "rope_scaling": null, "hidden_size": 4096})"), "");
  EXPECT_EQ(damage(R"({"rope_scaling": false, "quantization_config": [], "vision_config": null})"),
            "");
  EXPECT_EQ(damage(" {}\n"), "");
}

std::vector<std::string> damaged_files(
    const std::vector<std::pair<std::string, std::string>>& beside) {
  MemoryFiles files;
  files.add("/m/config.json", R"({"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]})");
  for (const auto& [name, text] : beside) files.add("/m/" + name, text);
  Sources sources;
  std::vector<std::string> names;
  for (const DamagedText& one : gather_model(sources, "/m", outside_of(files)).damaged_texts) {
    EXPECT_EQ(sources.at(one.place.source).name, one.file);
    names.push_back(one.file);
  }
  return names;
}

TEST(ModelDamage, OfTheTokenizersFilesAndTheIndex) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\nsize 11422654\n";
  using Names = std::vector<std::string>;
  EXPECT_EQ(damaged_files({{"tokenizer_config.json", "{,}"}}), Names{"tokenizer_config.json"});
  EXPECT_EQ(damaged_files({{"tokenizer.json", pointer}}), Names{"tokenizer.json"});
  EXPECT_EQ(damaged_files({{"tokenizer.json", "{}"}, {"tokenizer.model", pointer}}), Names{});
  EXPECT_EQ(damaged_files({{"tokenizer.model", pointer}}), Names{"tokenizer.model"});
  EXPECT_EQ(damaged_files({{"model.safetensors.index.json", "{\"weight_map\": {\"a\": "},
                           {"model-00001-of-00001.safetensors", "x"}}),
            Names{"model.safetensors.index.json"});
}

TEST(ModelDamage, OfAConfigThatIsNotReadIsNone) {
  EXPECT_EQ(damaged_files({{"config.json", "{,}"}}), std::vector<std::string>{"config.json"});
  EXPECT_EQ(damaged_files({{"config.json", "{,}"}, {"params.json", "{}"}}),
            std::vector<std::string>{});
}

}  // namespace
}  // namespace sx
