// Launches that are written as names and values, in JSON and in YAML.
#include <gtest/gtest.h>

#include "facts/edit_command.h"
#include "gather/gather_command.h"

namespace sx {
namespace {

struct Read {
  Sources sources;
  std::vector<Launch> launches;
  std::string error;

  std::string line() const {
    return launches.size() == 1 ? one_line(launches[0].command, Wrappers::Shown) : error;
  }
};

Read read(const std::string& name, const std::string& text) {
  MemoryFiles files;
  files.add("/srv/" + name, text);
  const Outside outside{
      .files = &files, .folder = "/srv", .nvml = [] {
        return Result<NvmlAnswer>(fail(Error::Kind::Absent, "no driver", "没有驱动"));
      }};
  Read out;
  auto gathered = gather_commands(out.sources, {.file = name}, outside);
  if (gathered) {
    out.launches = std::move(gathered->launches);
  } else {
    out.error = gathered.error().what;
  }
  return out;
}

// The text of the file after a change.
std::string edited(const Read& from, const std::vector<Change>& changes) {
  const Launch& launch = from.launches.at(0);
  const auto done = edit_command(launch.command, launch.serve, changes);
  if (done.edits.empty()) return "no edits";
  std::string text = from.sources.at(launch.command.source).text;
  for (auto edit = done.edits.rbegin(); edit != done.edits.rend(); ++edit)
    text.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->text);
  return text;
}

TEST(ArgumentMap, AnObjectOfFlagsIsALaunch) {
  const Read launch = read("a.json",
                           "{\n  \"tensor_parallel_size\": 6,\n  \"model\": \"Qwen/Qwen3-8B\",\n"
                           "  \"enforce_eager\": true, \"dtype\": null\n}\n");
  EXPECT_EQ(launch.line(), "vllm serve Qwen/Qwen3-8B --tensor-parallel-size=6 --enforce-eager");
  const auto& tensor = launch.launches[0].serve.tensor_parallel;
  ASSERT_EQ(tensor.value(), 6);
  EXPECT_EQ(launch.sources.text(*tensor.span()), "\"tensor_parallel_size\": 6");
  EXPECT_EQ(launch.sources.text(*launch.launches[0].serve.model.span()), "\"Qwen/Qwen3-8B\"");
}

TEST(ArgumentMap, WhoseNamesTheyAreDecidesTheEngine) {
  EXPECT_EQ(
      read("a.json", R"({"model_path": "m", "tp_size": 2, "mem_fraction_static": 0.8})").line(),
      "sglang serve --model-path=m --tp-size=2 --mem-fraction-static=0.8");
  EXPECT_EQ(read("a.json", R"({"engine_args": {"model": "m", "max_model_len": 8192}})").line(),
            "vllm serve m --max-model-len=8192");
}

TEST(ArgumentMap, ValuesOfEveryKindBecomeWords) {
  EXPECT_EQ(read("a.json", R"({"model": "m", "served_model_name": ["a", "b c"],
      "enable_prefix_caching": false, "trust_remote_code": false, "seed": 7,
      "speculative_config": {"method": "ngram",
         "num_speculative_tokens": 3}})")
                .line(),
            "vllm serve m --served-model-name a 'b c' --no-enable-prefix-caching --seed=7 "
            R"('--speculative-config={"method":"ngram","num_speculative_tokens":3}')");
}

TEST(ArgumentMap, ARequestIsNoLaunch) {
  EXPECT_EQ(read("a.json", R"({"model": "m", "messages": [], "max_tokens": 5, "seed": 1})").error,
            "there is no command in a.json");
  EXPECT_EQ(read("a.json", R"({"model": "m"})").error, "there is no command in a.json");
  EXPECT_EQ(read("a.json", R"({"tensor_parallel_size": 2, "seed": 1})").error,
            "there is no command in a.json");
}

TEST(ArgumentMap, AnEditIsOfTheMember) {
  const Read one = read("a.json", R"({"model": "m", "tensor_parallel_size": 6, "seed": 1})");
  EXPECT_EQ(edited(one, {set_flag("--tensor-parallel-size", "4")}),
            R"({"model": "m", "tensor_parallel_size": 4, "seed": 1})");
  EXPECT_EQ(edited(one, {remove_flag("--tensor-parallel-size")}), R"({"model": "m", "seed": 1})");
  EXPECT_EQ(edited(one, {set_flag("--dtype", "float16"), add_switch("--enforce-eager")}),
            R"({"model": "m", "tensor_parallel_size": 6, "seed": 1, "dtype": "float16", )"
            R"("enforce_eager": true})");
  EXPECT_EQ(edited(one, {set_model("n")}),
            R"({"model": "n", "tensor_parallel_size": 6, "seed": 1})");
}

TEST(ArgumentMap, AFileForConfigIsOneToo) {
  const Read one = read("serve.yaml",
                        "# on the small machine\nmodel: Qwen/Qwen3-8B\ntensor-parallel-size: 6\n"
                        "enable-expert-parallel: true\n");
  EXPECT_EQ(one.line(),
            "vllm serve Qwen/Qwen3-8B --tensor-parallel-size=6 --enable-expert-parallel");
  EXPECT_EQ(one.sources.text(*one.launches[0].serve.tensor_parallel.span()),
            "tensor-parallel-size: 6");
  EXPECT_EQ(edited(one, {set_flag("--tensor-parallel-size", "4"), set_flag("--seed", "1")}),
            "# on the small machine\nmodel: Qwen/Qwen3-8B\ntensor-parallel-size: 4\n"
            "enable-expert-parallel: true\nseed: 1\n");
}

TEST(ArgumentMap, VariablesBesideTheFlagsCount) {
  const Read one =
      read("a.json",
           R"({"env": {"CUDA_VISIBLE_DEVICES": "0,1"}, "model": "m", "seed": 1, "dtype": "auto"})");
  ASSERT_EQ(one.launches.size(), 1U);
  EXPECT_EQ(one.launches[0].serve.visible_devices.value(), "0,1");
}

}  // namespace
}  // namespace sx
