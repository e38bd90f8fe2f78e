// What a folder says of its tokenizer and its chat template.
#include <gtest/gtest.h>

#include "model_made.h"

namespace sx {
namespace {

std::string seen(const std::vector<std::pair<std::string, std::string>>& beside) {
  MemoryFiles files;
  files.add("/m/config.json", R"({"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]})");
  for (const auto& [name, text] : beside) files.add("/m/" + name, text);
  Sources sources;
  const ModelSpec model = gather_model(sources, "/m", outside_of(files));
  return told(model.tokenizer) + ' ' + told(model.chat_template);
}

TEST(ModelTokenizer, TheFolderTells) {
  const std::string unknown = told(Fact<bool>());
  EXPECT_EQ(seen({}), "no " + unknown);
  EXPECT_EQ(seen({{"tokenizer.json", "{}"}}), "yes " + unknown);
  EXPECT_EQ(seen({{"vocab.json", "{}"}, {"merges.txt", ""}}), "yes " + unknown);
  EXPECT_EQ(seen({{"qwen.tiktoken", ""}}), "yes " + unknown);
  EXPECT_EQ(seen({{"tokenizer_config.json", "{}"}}), "no no");
  EXPECT_EQ(seen({{"tekken.json", "{}"}}), "yes yes");
}

TEST(ModelTokenizer, ATemplateStandsInTheConfigOrBesideIt) {
  const std::pair<std::string, std::string> vocabulary{"tokenizer.json", "{}"};
  const auto with = [&](const std::string& config) {
    return seen({vocabulary, {"tokenizer_config.json", config}});
  };
  EXPECT_EQ(with(R"({"chat_template": "{{ messages }}"})"), "yes yes");
  EXPECT_EQ(with(R"({"chat_template": [{"name": "default", "template": "x"}]})"), "yes yes");
  EXPECT_EQ(with(R"({"chat_template": null})"), "yes no");
  EXPECT_EQ(with("{}"), "yes no");
  EXPECT_EQ(seen({vocabulary, {"tokenizer_config.json", "{}"}, {"chat_template.jinja", "x"}}),
            "yes yes");
  const std::string unknown = told(Fact<bool>());
  EXPECT_EQ(with(R"({"auto_map": {"AutoTokenizer": ["a.B", null]}})"), "yes " + unknown);
  EXPECT_EQ(with("not JSON"), "yes " + unknown);
  EXPECT_EQ(with("[]"), "yes " + unknown);
}

}  // namespace
}  // namespace sx
