// Weight files: whole, cut off, missing, replaced by something else; and what their headers add up
// to.
#include <gtest/gtest.h>

#include "unit/gather/model_made.h"

namespace sx {
namespace {

const std::string kIndex = "/m/model.safetensors.index.json";
const std::string kOne = "model-00001-of-00002.safetensors";
const std::string kTwo = "model-00002-of-00002.safetensors";
const std::string kFirst =
    safetensors_file({{"model.a.weight", "BF16", {2, 3}, 12}, {"model.b.weight", "BF16", {4}, 8}});
const std::string kSecond = safetensors_file({{"lm_head.weight", "BF16", {5}, 10}});

std::string index_of(const std::string& map) {
  return "{\"metadata\": {\"total_size\": 30}, \"weight_map\": {" + map + "}}";
}
std::string good_index() {
  return index_of("\"model.a.weight\": \"" + kOne + "\", \"model.b.weight\": \"" + kOne +
                  "\", \"lm_head.weight\": \"" + kTwo + "\"");
}

MemoryFiles good_folder() {
  MemoryFiles files;
  files.add("/m/config.json", R"({"model_type": "new"})").add(kIndex, good_index());
  files.add("/m/" + kOne, kFirst).add("/m/" + kTwo, kSecond);
  return files;
}

ModelSpec gathered(const MemoryFiles& files) {
  Sources sources;
  return gather_model(sources, "/m", outside_of(files));
}

std::string both(const std::string& one, const std::string& two) {
  return kOne + " " + one + ", " + kTwo + " " + two;
}

TEST(ModelWeights, AGoodFolder) {
  const MemoryFiles files = good_folder();
  const ModelSpec m = gathered(files);
  EXPECT_EQ(files_of(m), both("ok", "ok"));
  EXPECT_EQ(m.tensors.size(), 3U);
  EXPECT_EQ(told(m.weight_format), "safetensors");
  EXPECT_EQ(m.checkpoint_bytes.value(), Bytes{30});
  EXPECT_EQ(m.checkpoint_bytes.origin(), Origin::Header);
  EXPECT_DOUBLE_EQ(m.parameters_billion.value(), 15e-9);
  EXPECT_EQ(told(m.tied_embeddings), "no");  // an output matrix is there
  EXPECT_EQ(m.tied_embeddings.origin(), Origin::Header);
  EXPECT_TRUE(m.index_without_file.empty());
  for (const auto& [path, count] : files.reads()) EXPECT_EQ(count, 1) << path;
}

TEST(ModelWeights, WhatCanBeWrongWithAShard) {
  const struct {
    std::string bytes;
    std::string state;
    std::string detail;
    std::int64_t expected;
  } rows[] = {
      {kSecond, "ok", "", static_cast<std::int64_t>(kSecond.size())},
      {kSecond.substr(0, kSecond.size() - 1), "truncated", "it ends inside its tensors",
       static_cast<std::int64_t>(kSecond.size())},
      {kSecond.substr(0, 40), "truncated", "it ends inside its header",
       static_cast<std::int64_t>(kSecond.size()) - 10},
      {kSecond + "x", "damaged", "it is longer than its header tells",
       static_cast<std::int64_t>(kSecond.size())},
      {"", "truncated", "it is empty", 0},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 77\n", "pointer",
       "a git-lfs pointer: the weights themselves were not fetched", 77},
      {"<!doctype html><title>404</title>", "web page", "a web page was saved in its place", 0},
      {"Entry not found", "text", "it is a text, not weights", 0},
      {std::string(16, '\xFF'), "damaged",
       "it begins with a header length of 18446744073709551615 bytes, more than any safetensors "
       "file has",
       0},
      {std::string("\x04\0\0\0\0\0\0\0nope", 12), "damaged",
       "its header is not readable: line 1, column 1: a value is missing", 0},
      {std::string("\x04\0\0", 3), "damaged",
       "it is shorter than the 8 bytes that each safetensors file begins with", 0},
  };
  for (const auto& row : rows) {
    MemoryFiles files = good_folder();
    files.add("/m/" + kTwo, row.bytes);
    const ModelSpec m = gathered(files);
    EXPECT_EQ(files_of(m), both("ok", row.state)) << row.detail;
    EXPECT_EQ(m.files[1].detail.english, row.detail);
    EXPECT_EQ(m.files[1].expected, Bytes{row.expected}) << row.detail;
    EXPECT_EQ(m.files[1].bytes, Bytes{static_cast<std::int64_t>(row.bytes.size())});
    EXPECT_EQ(m.checkpoint_bytes.value(), Bytes{30}) << row.detail;  // by headers, or by the index
  }
}

TEST(ModelWeights, MissingRefusedAndDangling) {
  MemoryFiles missing;
  missing.add("/m/config.json", "{}").add(kIndex, good_index()).add("/m/" + kOne, kFirst);
  EXPECT_EQ(files_of(gathered(missing)), both("ok", "missing"));
  missing.add_link("/m/" + kTwo, "../blobs/gone");
  EXPECT_EQ(files_of(gathered(missing)), both("ok", "missing"));
  EXPECT_EQ(gathered(missing).files[1].detail.english,
            "a link to a file that is not there: its download was not finished");
  missing.add_refused("/m/" + kTwo);
  EXPECT_EQ(files_of(gathered(missing)), both("ok", "unreadable"));
}

TEST(ModelWeights, WithoutAnIndexTheNamesTell) {
  MemoryFiles files;
  files.add("/m/config.json", "{}").add("/m/" + kTwo, kSecond);
  EXPECT_EQ(files_of(gathered(files)), both("missing", "ok"));
  MemoryFiles single;
  single.add("/m/config.json", "{}").add("/m/model.safetensors", kFirst);
  EXPECT_EQ(files_of(gathered(single)), "model.safetensors ok");
  EXPECT_EQ(told(gathered(single).tied_embeddings), "yes");  // no output matrix in complete files
  MemoryFiles hostile;
  hostile.add("/m/config.json", "{}").add("/m/model-00001-of-99999999.safetensors", kFirst);
  EXPECT_EQ(files_of(gathered(hostile)), "model-00001-of-99999999.safetensors ok");
}

TEST(ModelWeights, FilesThatTheIndexDoesNotName) {
  MemoryFiles files = good_folder();
  files.add("/m/old-00001-of-00003.safetensors", kFirst)
      .add("/m/consolidated.safetensors", kFirst)
      .add("/m/adapter_model.safetensors", kFirst);
  EXPECT_EQ(files_of(gathered(files)), both("ok", "ok") + ", old-00001-of-00003.safetensors extra");
  EXPECT_EQ(gathered(files).tensors.size(), 3U);
  MemoryFiles mistral;
  mistral.add("/m/config.json", "{}").add("/m/consolidated.safetensors", kFirst);
  EXPECT_EQ(files_of(gathered(mistral)), "consolidated.safetensors ok");
  EXPECT_TRUE(gathered(mistral).second_copy.empty());
  mistral.add("/m/model.safetensors", kFirst).add("/m/consolidated-2.safetensors", kFirst);
  const auto twice = gathered(mistral);
  EXPECT_EQ(files_of(twice), "model.safetensors ok");
  ASSERT_EQ(twice.second_copy.size(), 2U);
  EXPECT_EQ(twice.second_copy.back().path, "consolidated.safetensors");
  EXPECT_GT(twice.second_copy.back().bytes, Bytes{0});
}

TEST(ModelWeights, PromisesThatTheIndexDoesNotKeep) {
  MemoryFiles files = good_folder();
  files.add(kIndex, index_of("\"model.a.weight\": \"" + kTwo + "\", \"model.b.weight\": \"" + kOne +
                             "\", \"model.c.weight\": \"" + kTwo +
                             "\", \"lm_head\\u002eweight\": \"" + kTwo + "\""));
  EXPECT_EQ(gathered(files).index_without_file,
            (std::vector<std::string>{"model.a.weight", "model.c.weight"}));
}

TEST(ModelWeights, AnIndexThatIsDamaged) {
  for (const std::string& index : {std::string("{\"weight_map\": {\"a\": "), std::string(),
                                   std::string("[]"), std::string("{\"weight_map\": 3}")}) {
    MemoryFiles files = good_folder();
    files.add(kIndex, index);
    const ModelSpec m = gathered(files);
    EXPECT_EQ(files_of(m), both("ok", "ok")) << index;
    EXPECT_FALSE(m.index_problem.empty()) << index;
  }
  MemoryFiles outside = good_folder();
  outside.add(kIndex, index_of("\"a\": \"../../etc/passwd\", \"b\": \"/etc/passwd\", \"c\": 7"));
  const ModelSpec m = gathered(outside);
  EXPECT_EQ(m.files[0].path, "../../etc/passwd");
  EXPECT_EQ(m.files[0].state, FileState::Missing);
  EXPECT_EQ(m.files[0].detail.english, "the index points outside the model's folder");
}

TEST(ModelWeights, AHeaderLongerThanTheFirstLook) {
  std::vector<MadeTensor> tensors;
  for (int i = 0; i < 2000; ++i)
    tensors.push_back(
        {"model.layers." + std::to_string(i) + ".mlp.down_proj.weight", "U8", {1}, 1});
  MemoryFiles files;
  files.add("/m/config.json", "{}").add("/m/model.safetensors", safetensors_file(tensors));
  const ModelSpec m = gathered(files);
  EXPECT_EQ(files_of(m), "model.safetensors ok");
  EXPECT_EQ(m.tensors.size(), 2000U);
}

TEST(ModelWeights, PackedTensorsAreNotCountedAsParameters) {
  MemoryFiles files = good_folder();
  files.add("/m/config.json", R"({"quantization_config": {"quant_method": "awq", "bits": 4}})");
  EXPECT_FALSE(gathered(files).parameters_billion.known());
}

TEST(ModelWeights, OtherFormats) {
  MemoryFiles pytorch;
  pytorch.add("/m/config.json", "{}")
      .add("/m/pytorch_model-00001-of-00002.bin", std::string("PK\x03\x04 zip", 8));
  pytorch.add("/m/training_args.bin", "PK");
  EXPECT_EQ(told(gathered(pytorch).weight_format), "pytorch");
  EXPECT_EQ(files_of(gathered(pytorch)),
            "pytorch_model-00001-of-00002.bin ok, pytorch_model-00002-of-00002.bin missing");
  MemoryFiles gguf;
  gguf.add("/m/config.json", "{}").add("/m/q4.gguf", std::string("GGUF\x03\0\0\0", 8));
  EXPECT_EQ(told(gathered(gguf).weight_format), "gguf");
  MemoryFiles none;
  none.add("/m/config.json", "{}");
  EXPECT_EQ(reason_of(gathered(none).weight_format.why_unknown()),
            "the folder has no weight files");
}

}  // namespace
}  // namespace sx
