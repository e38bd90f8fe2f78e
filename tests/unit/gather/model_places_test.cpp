// Where a model is looked for, and what is said when it is nowhere.
#include <gtest/gtest.h>

#include "../read/gguf_made.h"
#include "unit/gather/model_made.h"

namespace sx {
namespace {

const std::string kConfig =
    R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 2,
  "num_attention_heads": 4, "hidden_size": 64})";

ModelSpec gathered(const std::string& model, const Outside& outside) {
  Sources sources;
  return gather_model(sources, model, outside);
}

TEST(ModelPlaces, AFolderInAllSpellings) {
  MemoryFiles files;
  files.add("/srv/models/tiny/config.json", kConfig).add("/home/u/m/config.json", kConfig);
  const Outside outside = outside_of(files);
  for (const std::string& said :
       {std::string("models/tiny"), std::string("./models/tiny/"), std::string("/srv/models/tiny"),
        std::string("../srv/models/tiny")}) {
    const ModelSpec m = gathered(said, outside);
    EXPECT_EQ(m.from, ModelFrom::Directory) << said;
    EXPECT_EQ(m.folder, "/srv/models/tiny") << said;
    EXPECT_EQ(m.id, said);
    EXPECT_EQ(told(m.layers), "2") << said;
  }
  EXPECT_EQ(gathered("~/m", outside).folder, "/home/u/m");
}

TEST(ModelPlaces, TheConfigBecomesASource) {
  MemoryFiles files;
  files.add("/m/config.json", kConfig);
  Sources sources;
  const ModelSpec m = gather_model(sources, "/m", outside_of(files));
  ASSERT_TRUE(m.heads.span());
  const Source& source = sources.at(m.heads.span()->source);
  EXPECT_EQ(source.kind, SourceKind::File);
  EXPECT_EQ(source.name, "config.json");
  EXPECT_EQ(source.uri, "/m/config.json");
  EXPECT_EQ(sources.text(*m.heads.span()), "\"num_attention_heads\": 4");
}

TEST(ModelPlaces, AFileStandsForItsFolder) {
  MemoryFiles files;
  files.add("/m/config.json", kConfig)
      .add("/m/q4.gguf", made_gguf().file())
      .add("/m/notes.txt", "");
  const Outside outside = outside_of(files);
  EXPECT_EQ(told(gathered("/m/config.json", outside).layers), "2");
  const ModelSpec gguf = gathered("/m/q4.gguf", outside);
  EXPECT_EQ(told(gguf.weight_format), "gguf");
  EXPECT_EQ(files_of(gguf), "q4.gguf ok");
  EXPECT_EQ(reason_of(gathered("/m/notes.txt", outside).why_unknown),
            "/m/notes.txt is neither a folder nor a model file");
}

TEST(ModelPlaces, APathThatIsNotThereSaysSo) {
  MemoryFiles files;
  files.add("/srv/x", "").add_link("/c1", "c1");
  const Outside outside = outside_of(files);
  const ModelSpec m = gathered("/models/Qwen2.5-72B-Instruct", outside);
  EXPECT_EQ(m.from, ModelFrom::Nowhere);
  EXPECT_EQ(reason_of(m.why_unknown), "there is no file or folder /models/Qwen2.5-72B-Instruct");
  EXPECT_TRUE(m.closest_ids.empty());
  EXPECT_EQ(reason_of(gathered("./a", outside).why_unknown), "there is no file or folder /srv/a");
  EXPECT_EQ(reason_of(gathered("/c1", outside).why_unknown),
            "cannot look at /c1: too many links lead to each other");
  EXPECT_EQ(gathered("", outside).from, ModelFrom::Nowhere);
  EXPECT_EQ(gathered(std::string(100'000, 'a'), outside).from, ModelFrom::Nowhere);
}

TEST(ModelPlaces, AFolderWithoutAConfig) {
  MemoryFiles files;
  files.add("/m/readme", "").add("/d/model_index.json", "{}");
  const ModelSpec m = gathered("/m", outside_of(files));
  EXPECT_EQ(m.from, ModelFrom::Directory);
  EXPECT_EQ(reason_of(m.why_unknown), "/m has no config.json");
  const ModelSpec pipeline = gathered("/d", outside_of(files));
  EXPECT_EQ(told(pipeline.generates), "no");
}

TEST(ModelPlaces, TheHuggingFaceCacheFollowsItsVariables) {
  const std::string inside = "/models--org--name/snapshots/abc/config.json";
  const struct {
    std::map<std::string, std::string, std::less<>> environment;
    std::string root;
  } rows[] = {
      {{}, "/home/u/.cache/huggingface/hub"},
      {{{"XDG_CACHE_HOME", "/xdg"}}, "/xdg/huggingface/hub"},
      {{{"HF_HOME", "/hf"}, {"XDG_CACHE_HOME", "/xdg"}}, "/hf/hub"},
      {{{"HF_HUB_CACHE", "/hub"}, {"HF_HOME", "/hf"}}, "/hub"},
      {{{"HF_HUB_CACHE", "relative"}}, "/srv/relative"},
  };
  for (const auto& row : rows) {
    MemoryFiles files;
    files.add(row.root + inside, kConfig);
    const ModelSpec m = gathered("org/name", outside_of(files, row.environment));
    EXPECT_EQ(m.from, ModelFrom::Cache) << row.root;
    EXPECT_EQ(m.folder, row.root + "/models--org--name/snapshots/abc");
  }
}

TEST(ModelPlaces, TheSnapshotIsTheOneThatMainNames) {
  const std::string repository = "/home/u/.cache/huggingface/hub/models--org--name";
  MemoryFiles files;
  files.add(repository + "/snapshots/aaa/config.json", "{}");
  files.add(repository + "/blobs/11", kConfig)
      .add_link(repository + "/snapshots/bbb/config.json", "../../blobs/11");
  files.add(repository + "/refs/main", "bbb\n");
  const ModelSpec m = gathered("org/name", outside_of(files));
  EXPECT_EQ(m.folder, repository + "/snapshots/bbb");
  EXPECT_EQ(told(m.layers), "2");
  files.add(repository + "/refs/main", "../../../elsewhere");
  EXPECT_EQ(gathered("org/name", outside_of(files)).folder, repository + "/snapshots/aaa");
}

TEST(ModelPlaces, ModelScopeWritesDotsAsUnderscores) {
  for (const std::string& folder :
       {std::string("/home/u/.cache/modelscope/hub/models/Org/Name-2___5"),
        std::string("/home/u/.cache/modelscope/hub/Org/Name-2___5"),
        std::string("/home/u/.cache/modelscope/hub/Org/Name-2.5")}) {
    MemoryFiles files;
    files.add(folder + "/config.json", kConfig);
    const ModelSpec m = gathered("Org/Name-2.5", outside_of(files));
    EXPECT_EQ(m.from, ModelFrom::Cache);
    EXPECT_EQ(m.folder, folder);
  }
  MemoryFiles files;
  files.add("/ms/models/Org/Name-2___5/config.json", kConfig);
  EXPECT_EQ(gathered("Org/Name-2.5", outside_of(files, {{"MODELSCOPE_CACHE", "/ms"}})).from,
            ModelFrom::Cache);
}

TEST(ModelPlaces, ModelScopeFirstWhenTheEngineIsToldSo) {
  MemoryFiles files;
  files.add("/home/u/.cache/huggingface/hub/models--o--n/snapshots/a/config.json", kConfig);
  files.add("/home/u/.cache/modelscope/hub/o/n/config.json", kConfig);
  EXPECT_EQ(gathered("o/n", outside_of(files)).folder,
            "/home/u/.cache/huggingface/hub/models--o--n/snapshots/a");
  EXPECT_EQ(gathered("o/n", outside_of(files, {{"VLLM_USE_MODELSCOPE", "True"}})).folder,
            "/home/u/.cache/modelscope/hub/o/n");
  // Of vLLM's switch only the word counts; of SGLang's the number as well.
  EXPECT_EQ(gathered("o/n", outside_of(files, {{"VLLM_USE_MODELSCOPE", "1"}})).folder,
            "/home/u/.cache/huggingface/hub/models--o--n/snapshots/a");
  EXPECT_EQ(gathered("o/n", outside_of(files, {{"SGLANG_USE_MODELSCOPE", "1"}})).folder,
            "/home/u/.cache/modelscope/hub/o/n");
}

TEST(ModelPlaces, ThenTheCatalogueThenNowhere) {
  MemoryFiles files;
  const ModelSpec known = gathered("Qwen/Qwen2.5-72B-Instruct", outside_of(files));
  EXPECT_EQ(known.from, ModelFrom::Catalogue);
  EXPECT_EQ(shape_of(known), "80x8192 64/8x128 29568 152064");
  const ModelSpec unknown = gathered("Qwen/Qwen2.5-71B-Instruct", outside_of(files));
  EXPECT_EQ(unknown.from, ModelFrom::Nowhere);
  EXPECT_EQ(reason_of(unknown.why_unknown),
            "no local copy of Qwen/Qwen2.5-71B-Instruct was found, and the built-in catalogue does "
            "not have it: --online asks the hub");
  EXPECT_FALSE(unknown.closest_ids.empty());
}

TEST(ModelPlaces, ACacheThatHasNothingYetGivesWayToTheCatalogue) {
  MemoryFiles files;
  files.add(
      "/home/u/.cache/huggingface/hub/models--Qwen--Qwen2.5-72B-Instruct/snapshots/a/README.md",
      "");
  EXPECT_EQ(gathered("Qwen/Qwen2.5-72B-Instruct", outside_of(files)).from, ModelFrom::Catalogue);
}

TEST(ModelPlaces, AFolderKnowsItsSiblingsByNameAndShape) {
  MemoryFiles files;
  files.add("/a/Qwen2.5-72B-Instruct/config.json",
            R"({"num_hidden_layers": 80, "num_attention_heads": 64, "hidden_size": 8192})");
  files.add("/b/Qwen2.5-72B-Instruct/config.json",
            R"({"num_hidden_layers": 2, "num_attention_heads": 64, "hidden_size": 8192})");
  EXPECT_FALSE(gathered("/a/Qwen2.5-72B-Instruct/", outside_of(files)).siblings.empty());
  EXPECT_TRUE(gathered("/b/Qwen2.5-72B-Instruct", outside_of(files)).siblings.empty());
}

}  // namespace
}  // namespace sx
