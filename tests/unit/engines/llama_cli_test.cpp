// llama-server's command line: what it takes and refuses, as builds 11434 and 11549 were seen to
// do, and what it means.
#include <gtest/gtest.h>

#include <limits>

#include "llama_cli_line.h"

namespace sx {
namespace {

using testing_llama::problems;
using testing_llama::read;

bool launches(const std::string& text) {
  Sources sources;
  const Command command = testing_llama::command_of(sources, text);
  return llamacpp::engine.recognises(command.words).has_value();
}

TEST(LlamaCli, ItsLaunchesAreKnown) {
  for (const char* text :
       {"llama-server -m x.gguf", "./build/bin/llama-server", "/usr/bin/llama-server -hf a/b",
        "llama serve -m x.gguf", "llama server -m x", "./llama.cpp/server -m x.gguf",
        "/opt/llama.cpp/build/bin/server -m x", "llama-server.exe -m x"})
    EXPECT_TRUE(launches(text)) << text;
  for (const char* text :
       {"llama-cli -m x.gguf", "llama-bench", "llama run x", "server -m x", "llama-server --help",
        "llama-server -m x --version", "llama-server --list-devices", "llama", "vllm serve m"})
    EXPECT_FALSE(launches(text)) << text;
}

TEST(LlamaCli, ItsOtherProgramsAreNamed) {
  for (const char* program : {"llama-cli", "llama-bench", "llama-quantize"})
    EXPECT_TRUE(llamacpp::engine.serves_nothing(program)) << program;
  for (const char* program : {"llama-server", "llama", "vllm", "llama-server.exe"})
    EXPECT_FALSE(llamacpp::engine.serves_nothing(program)) << program;
}

struct Refused {
  const char* words;
  const char* problems;
};

// Each was given to the program itself.
TEST(LlamaCli, RefusesWhatTheProgramRefuses) {
  for (const Refused& row : std::initializer_list<Refused>{
           {"-m x.gguf", ""},
           {"-m x --ctx_size 100", ""},
           {"-m x -c 512abc", ""},
           {"-m x -ngl 99x", ""},
           {"-m x -ngl all", ""},
           {"-m x -ngl auto", ""},
           {"-m x -ngl none", "wrong type -ngl"},
           {"-m x -lv 4 -fit off", ""},
           {"-m x -fa 1", ""},
           {"-m x --flash-attn true", ""},
           {"-m x --defrag-thold abc", ""},
           {"-m x -ts 1/2,3", ""},
           {"-m x --seed 4294967295", ""},
           {"-m x -a -v", ""},
           {"-m x --control-vector-layer-range 1 5", ""},
           {"-m x --temp .5x", ""},
           {"-m x -nkvo --no-mmproj", ""},
           {"-m x --ctx-size=100", "unknown --ctx-size=100"},
           {"-m x --ctx-siz 100", "unknown --ctx-siz"},
           {"-m x stray", "extra word stray"},
           {"-m", "missing value -m"},
           {"-m x -c abc", "wrong type -c"},
           {"-m x -c 5000000000", "wrong type -c"},
           {"-m x --temp abc", "wrong type --temp"},
           {"-m x -fa ON", "not a choice -fa"},
           {"-m x -fa", "missing value -fa"},
           {"-m x -fa --port 80", "missing value -fa"},
           {"-m x -c -c", "missing value -c; missing value -c"},
           {"-m x -ctk q6_K", "not a choice -ctk"},
           {"-m x -sm layers", "not a choice -sm"},
           {"-m x -np 0", "wrong type -np"},
           {"-m x --fit auto", "not a choice --fit"},
           {"-m x -ts 1,a", "wrong type -ts"},
           {"-m x -ts ,,", "wrong type -ts"},
           {"-m x --override-kv a=int:3", ""},
           {"-m x --override-kv a", "wrong type --override-kv"},
           {"-m x --lora-scaled x", "wrong type --lora-scaled"},
           {"-m x --lora-scaled x.gguf:0.5", ""},
           {"-m x -ts 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "wrong type -ts"},
           {"-m x --chat-template-kwargs {a}", "bad json --chat-template-kwargs"},
           {"-m x --no-mmap", "removed --no-mmap"},
           {"-m x --mlock -c 5", "removed --mlock"},
           {"-m x --draft-max 16", "removed --draft-max"},
           {"-m x --tensor-parallel-size 2", "unknown --tensor-parallel-size"},
       })
    EXPECT_EQ(problems(read(row.words).serve), row.problems) << row.words;
}

TEST(LlamaCli, TellsWhatIsInForce) {
  const auto all = read(
      "-m /m/x.gguf -c 32k -np 4 -b 1024 -ub 256 -ctk q8_0 -ctv q4_0 -fa on -ngl 40 -sm row "
      "-ts 3,1 -mg 1 --host 0.0.0.0 --port 9000 --api-key k -a name,other");
  const ServeSpec& serve = all.serve;
  EXPECT_EQ(serve.engine, "llamacpp");
  EXPECT_EQ(serve.model.value(), "/m/x.gguf");
  EXPECT_EQ(all.text(serve.model.span()), "-m /m/x.gguf");
  EXPECT_EQ(serve.max_model_len.value(), Tokens{32});
  EXPECT_EQ(serve.max_num_seqs.value(), 4);
  EXPECT_EQ(serve.max_batched_tokens.value(), Tokens{1024});
  EXPECT_EQ(serve.physical_batch.value(), Tokens{256});
  EXPECT_EQ(serve.kv_dtype.value() + ' ' + serve.value_kv_dtype.value(), "q8_0 q4_0");
  EXPECT_EQ(serve.flash_attention.value(), "on");
  EXPECT_EQ(serve.gpu_layers.value(), 40);
  EXPECT_EQ(serve.split_mode.value(), "row");
  EXPECT_EQ(serve.tensor_split.value(), (std::vector<double>{3, 1}));
  EXPECT_EQ(serve.main_gpu.value(), 1);
  EXPECT_EQ(serve.host.value(), "0.0.0.0");
  EXPECT_EQ(serve.port.value(), 9000);
  EXPECT_TRUE(serve.has_api_key.value());
  EXPECT_EQ(serve.served_name.value(), "name");
  EXPECT_EQ(serve.use_of("--ctx-size")->typed, "-c");
}

TEST(LlamaCli, HasDefaults) {
  const ServeSpec serve = read("-m x").serve;
  EXPECT_FALSE(serve.max_model_len.known());
  EXPECT_FALSE(serve.max_num_seqs.known());
  EXPECT_FALSE(serve.gpu_layers.known());
  EXPECT_EQ(serve.host.value(), "127.0.0.1");
  EXPECT_EQ(serve.port.value(), 8080);
  EXPECT_EQ(serve.split_mode.value(), "layer");
  EXPECT_EQ(serve.flash_attention.value(), "auto");
  EXPECT_EQ(serve.kv_dtype.value(), "f16");
  EXPECT_FALSE(serve.has_api_key.value());
  EXPECT_EQ(serve.world_size(), 1);
  EXPECT_FALSE(serve.host.asked());
}

TEST(LlamaCli, FindsItsModelInManyPlaces) {
  EXPECT_EQ(read("-hf ggml-org/gemma-3-4b-it-GGUF:Q8_0").serve.model.value(),
            "ggml-org/gemma-3-4b-it-GGUF:Q8_0");
  EXPECT_EQ(read("-hfr a/b-GGUF -hff b-Q4_K_M.gguf").serve.model.value(), "a/b-GGUF:Q4_K_M");
  EXPECT_EQ(read("", {{"LLAMA_ARG_MODEL", "/m/x.gguf"}}).serve.model.value(), "/m/x.gguf");
  EXPECT_FALSE(read("").serve.model.known());
  EXPECT_FALSE(read("-mu https://example.org/x.gguf").serve.model.known());
  EXPECT_FALSE(read("-m $MODEL").serve.model.known());
}

TEST(LlamaCli, VariablesStandInForFlags) {
  const std::vector<std::pair<std::string, std::string>> set{
      {"LLAMA_ARG_CTX_SIZE", "8192"},       {"LLAMA_ARG_N_PARALLEL", "2"},
      {"LLAMA_ARG_N_GPU_LAYERS", "all"},    {"LLAMA_ARG_HOST", "/run/llama.sock"},
      {"LLAMA_ARG_FLASH_ATTN", "disabled"}, {"LLAMA_API_KEY", "k"}};
  const ServeSpec serve = read("-m x -np 3", set).serve;
  EXPECT_EQ(serve.max_model_len.value(), Tokens{8192});
  EXPECT_EQ(serve.max_model_len.origin(), Origin::Environment);
  EXPECT_EQ(serve.max_num_seqs.value(), 3);  // the flag wins
  EXPECT_EQ(serve.gpu_layers.value(), std::numeric_limits<int>::max());
  EXPECT_EQ(serve.host.value(), "unix:/run/llama.sock");
  EXPECT_EQ(serve.flash_attention.value(), "off");
  EXPECT_TRUE(serve.has_api_key.value());
}

TEST(LlamaCli, OlderBuildsAreNotJudged) {
  Sources sources;
  const Command command = testing_llama::command_of(sources, "llama-server -m x --no-mmap -fa");
  const ServeSpec serve = llamacpp::understand(command, *parse_version("b4719"), sources, {});
  EXPECT_FALSE(serve.flags_checked);
  EXPECT_TRUE(serve.problems.empty());
  EXPECT_EQ(serve.model.value(), "x");
}

TEST(LlamaCli, HostileWordsAreOnlyWords) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "--no-such-flag" + std::to_string(i) + ' ';
  const ServeSpec serve = read(many).serve;
  EXPECT_LE(serve.problems.size(), 200U);
  EXPECT_GT(serve.problems_left_out, 2000U);
  EXPECT_EQ(problems(read("-c " + std::string(100'000, '9')).serve), "wrong type -c");
  EXPECT_EQ(problems(read("--temp " + std::string(100'000, '9')).serve), "wrong type --temp");
  EXPECT_EQ(problems(read("-- - --= -=").serve).substr(0, 10), "unknown --");
}

}  // namespace
}  // namespace sx
