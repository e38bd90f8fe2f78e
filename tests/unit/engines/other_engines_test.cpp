// Engines that are only recognised: by which words, with which sizes, and what they are in the
// words of one that is checked.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "cli_line.h"
#include "engines/other/other.h"

namespace sx {
namespace {

std::string recognised(const std::string& line) {
  Sources sources;
  const auto launch = other::find_launch(testing_cli::command_of(sources, line).words);
  return launch ? std::string(launch->engine->id) : "nothing";
}

struct Shape {
  std::string line, engine;
};

class Shapes : public testing::TestWithParam<Shape> {};

TEST_P(Shapes, AreRecognised) { EXPECT_EQ(recognised(GetParam().line), GetParam().engine); }

INSTANTIATE_TEST_SUITE_P(
    Lines, Shapes,
    testing::Values(
        Shape{"text-generation-launcher --model-id m", "tgi"},
        Shape{"/usr/local/bin/text-generation-launcher", "tgi"},
        Shape{"text-generation-server serve m", "tgi"}, Shape{"trtllm-serve m", "trtllm"},
        Shape{"trtllm-serve serve m --tp_size 4", "trtllm"},
        Shape{"trtllm-llmapi-launch trtllm-serve m", "trtllm"},
        Shape{"python3 -m tensorrt_llm.commands.serve m", "trtllm"},
        Shape{"trtllm-build --checkpoint_dir x", "trtllm-build"},
        Shape{"tritonserver --model-repository=/m", "tritonserver"},
        Shape{"python3 scripts/launch_triton_server.py --world_size 4", "tritonserver"},
        Shape{"lmdeploy serve api_server m", "lmdeploy"},
        Shape{"python -m lmdeploy serve api_server m", "lmdeploy"},
        Shape{"lmdeploy serve proxy", "lmdeploy-tool"}, Shape{"lmdeploy chat m", "lmdeploy-tool"},
        Shape{"ollama serve", "ollama"}, Shape{"ollama", "ollama"},
        Shape{"/bin/ollama start", "ollama"}, Shape{"ollama run llama3", "ollama-client"},
        Shape{"deepspeed --num_gpus 8 train.py", "deepspeed"},
        Shape{"accelerate launch --num_processes 4 x.py", "accelerate"},
        Shape{"torchrun --nproc_per_node=8 x.py", "torchrun"},
        Shape{"python -m torch.distributed.run x.py", "torchrun"},
        Shape{"python main.py --listen 0.0.0.0", "comfyui"},
        Shape{"python3.11 -u /opt/ComfyUI/main.py --port 8188", "comfyui"},
        Shape{"./llama-cli -m a.gguf -p hi", "llama-cli"},
        Shape{"koboldcpp-linux-x64 --model a.gguf", "koboldcpp"},
        Shape{"python koboldcpp.py --model a.gguf", "koboldcpp"},
        Shape{"python3 -m llama_cpp.server --model a.gguf", "llama-cpp-python"},
        Shape{"python server.py --api --loader=exllamav2", "webui"},
        Shape{"python tabbyAPI/main.py", "tabbyapi"}, Shape{"aphrodite run m -tp 2", "aphrodite"},
        Shape{"mlc_llm serve HF://mlc-ai/m", "mlc"},
        Shape{"python -m vllm.entrypoints.api_server --model m", "vllm-demo"},
        Shape{"python vllm/entrypoints/api_server.py --model m", "vllm-demo"},
        Shape{"vllm bench serve --model m", "vllm-tool"},
        Shape{"vllm run-batch -i a -o b", "vllm-tool"},
        Shape{"python -m sglang_router.launch_router --worker-urls u", "sglang-router"},
        Shape{"vllm-router --port 8000", "vllm-router"},
        Shape{"xinference-local -H 0.0.0.0", "xinference"},
        Shape{"python3 -m fastchat.serve.vllm_worker --model-path m", "fastchat"},
        Shape{"python3 -m fastchat.serve.controller", "fastchat-tool"},
        Shape{"serve run app:app", "ray-serve"}));

INSTANTIATE_TEST_SUITE_P(
    NotThese, Shapes,
    testing::Values(Shape{"vllm serve m", "nothing"}, Shape{"ollama list", "nothing"},
                    Shape{"python main.py", "nothing"}, Shape{"python train.py", "nothing"},
                    Shape{"python notmain.py --listen x", "nothing"},
                    Shape{"python -c x --listen", "nothing"}, Shape{"serve -s build", "nothing"},
                    Shape{"text-generation-launcher --help", "nothing"},
                    Shape{"accelerate config", "nothing"}, Shape{"lmdeploy", "nothing"},
                    Shape{"python server.py", "nothing"}, Shape{"nginx", "nothing"},
                    Shape{"python -m vllm.entrypoints.openai.api_server --model m", "nothing"}));

testing_cli::Understood read(const std::string& line) {
  return testing_cli::read(other::engine, line, {});
}

TEST(OtherEngines, SizesAndPlacesAreFacts) {
  const auto all = read("text-generation-launcher --model-id org/m --num-shard 6 -p 8081");
  EXPECT_EQ(all.serve.engine, "tgi");
  EXPECT_EQ(all.serve.model.value(), "org/m");
  EXPECT_EQ(all.serve.tensor_parallel.value(), 6);
  EXPECT_EQ(all.text(all.serve.tensor_parallel.span()), "--num-shard 6");
  EXPECT_EQ(all.serve.port.value(), 8081);
  EXPECT_EQ(all.serve.gpus_wanted(), 6);
}

TEST(OtherEngines, WhatIsNotSaidIsTheEnginesOwnDefault) {
  const auto serve = read("lmdeploy serve api_server org/m").serve;
  EXPECT_EQ(serve.tensor_parallel.value(), 1);
  EXPECT_EQ(serve.tensor_parallel.origin(), Origin::Default);
  EXPECT_EQ(serve.port.value(), 23333);
  EXPECT_EQ(read("torchrun x.py").serve.gpus_wanted(), 1);
  EXPECT_FALSE(read("deepspeed x.py").serve.tensor_parallel.known());  // all that it finds
}

TEST(OtherEngines, OfALauncherOnlyItsOwnFlagsCount) {
  EXPECT_EQ(
      read("torchrun --standalone --nproc_per_node=2 x.py --nproc_per_node 8").serve.gpus_wanted(),
      2);
  EXPECT_EQ(read("torchrun -m pkg.chat --nproc-per-node 8").serve.gpus_wanted(), 1);
  EXPECT_EQ(read("deepspeed --num_gpus 4 --num_nodes 2 x.py").serve.gpus_wanted(), 4);
  EXPECT_EQ(read("accelerate launch --num_machines 2 --num_processes 8 x.py").serve.gpus_wanted(),
            4);
  EXPECT_FALSE(read("torchrun --nproc_per_node gpu x.py").serve.gpus_wanted().has_value());
  EXPECT_FALSE(
      read("accelerate launch --cpu --num_processes 8 x.py").serve.gpus_wanted().has_value());
}

TEST(OtherEngines, ASizeThatIsNoNumberIsUnknownAndNotOne) {
  EXPECT_FALSE(read("trtllm-serve m --tp_size $TP").serve.tensor_parallel.known());
  EXPECT_FALSE(read("trtllm-serve m --tp_size eight").serve.tensor_parallel.known());
  EXPECT_FALSE(read("trtllm-serve m --tp_size 99999999999999").serve.tensor_parallel.known());
  EXPECT_EQ(read("trtllm-serve m --tp_size").serve.world_size(), std::nullopt);
}

TEST(OtherEngines, VariablesCountAndFlagsCountMore) {
  Sources sources;
  Command command = testing_cli::command_of(sources, "text-generation-launcher --num-shard 4");
  testing_cli::set(command, "NUM_SHARD", "2");
  testing_cli::set(command, "MODEL_ID", "org/m");
  const auto serve = other::engine.understand(command, {}, sources, {});
  EXPECT_EQ(serve.tensor_parallel.value(), 4);
  EXPECT_EQ(serve.model.value(), "org/m");
  EXPECT_EQ(serve.model.origin(), Origin::Environment);
}

int ranks_of_tgi(const std::string& line, const std::string& mask) {
  Sources sources;
  Command command = testing_cli::command_of(sources, line);
  testing_cli::set(command, "CUDA_VISIBLE_DEVICES", mask);
  return other::engine.understand(command, {}, sources, {}).tensor_parallel.value_or(-1);
}

TEST(OtherEngines, TgiCountsTheGpusOfTheMaskWhereNoNumberIsSaid) {
  EXPECT_EQ(ranks_of_tgi("text-generation-launcher --model-id m", "0,1,2,3"), 4);
  EXPECT_EQ(ranks_of_tgi("text-generation-launcher --model-id m --num-shard 2", "0,1,2,3"), 2);
  EXPECT_EQ(ranks_of_tgi("lmdeploy serve api_server m", "0,1,2,3"), 1);
}

TEST(OtherEngines, OllamaSaysItsAddressInOneVariable) {
  Sources sources;
  Command command = testing_cli::command_of(sources, "ollama serve");
  testing_cli::set(command, "OLLAMA_HOST", "http://0.0.0.0:11500");
  const auto serve = other::engine.understand(command, {}, sources, {});
  EXPECT_EQ(serve.host.value(), "0.0.0.0");
  EXPECT_EQ(serve.port.value(), 11500);
}

struct Same {
  std::string line, words, left_out;
};

class Translations : public testing::TestWithParam<Same> {};

TEST_P(Translations, AreTheNearestLaunch) {
  Sources sources;
  const auto made = other::translate(testing_cli::command_of(sources, GetParam().line));
  EXPECT_EQ(made ? join(made->words, " ") : "none", GetParam().words);
  EXPECT_EQ(made ? join(made->left_out, " ") : "", GetParam().left_out);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, Translations,
    testing::Values(
        Same{"text-generation-launcher --model-id org/m --num-shard 2 --max-total-tokens 8192 "
             "--cuda-memory-fraction 0.8 --max-batch-prefill-tokens 4096 --trust-remote-code",
             "vllm serve org/m --tensor-parallel-size 2 --max-model-len 8192 "
             "--gpu-memory-utilization 0.8 --trust-remote-code",
             "--max-batch-prefill-tokens"},
        Same{"text-generation-launcher --model-id org/m-AWQ --quantize awq --hostname 0.0.0.0",
             "vllm serve org/m-AWQ --host 0.0.0.0", ""},
        Same{"text-generation-launcher --model-id org/m --quantize eetq", "vllm serve org/m",
             "--quantize"},
        Same{"trtllm-serve org/m --tp_size 4 --pp_size 2 --max_batch_size 64 --max_seq_len=16384 "
             "--kv_cache_free_gpu_memory_fraction 0.9 --backend pytorch",
             "vllm serve org/m --tensor-parallel-size 4 --pipeline-parallel-size 2 "
             "--max-num-seqs 64 --max-model-len 16384",
             "--kv_cache_free_gpu_memory_fraction --backend"},
        Same{"lmdeploy serve api_server org/m --tp 2 --session-len 32768 --server-port 23333 "
             "--quant-policy 8 --api-keys a b",
             "vllm serve org/m --tensor-parallel-size 2 --max-model-len 32768 --port 23333 "
             "--kv-cache-dtype fp8 --api-key a",
             ""},
        Same{"lmdeploy serve api_server org/m --quant-policy 4", "vllm serve org/m",
             "--quant-policy"},
        Same{"aphrodite run org/m -tp 4 --enforce-eager --max-model-len 4096 --single-user-mode",
             "vllm serve org/m --tensor-parallel-size 4 --enforce-eager --max-model-len 4096",
             "--single-user-mode"},
        Same{"python -m vllm.entrypoints.api_server --model org/m -tp 2 --enforce-eager",
             "vllm serve org/m --tensor-parallel-size 2 --enforce-eager", ""},
        Same{"python -m fastchat.serve.vllm_worker --model-path org/m --num-gpus 2",
             "vllm serve org/m --tensor-parallel-size 2", ""},
        Same{"llama-cli -m a.gguf -ngl 99 -c 4096 -p hello",
             "llama-server --model a.gguf -ngl 99 -c 4096", "-p"},
        Same{"koboldcpp --model a.gguf --gpulayers 40 --contextsize 8192 --usecublas normal 0",
             "llama-server --model a.gguf --n-gpu-layers 40 --ctx-size 8192", "--usecublas"},
        Same{"python -m llama_cpp.server --model a.gguf --n_gpu_layers -1 --n_ctx 8192 "
             "--chat_format "
             "chatml",
             "llama-server --model a.gguf --n-gpu-layers -1 --ctx-size 8192", "--chat_format"},
        Same{"text-generation-launcher --num-shard 2", "none", ""},
        Same{"ollama run llama3", "none", ""}, Same{"torchrun x.py", "none", ""},
        Same{"vllm serve m", "none", ""}));

TEST(OtherEngines, TheChosenGpusGoAlong) {
  Sources sources;
  Command command = testing_cli::command_of(sources, "trtllm-serve org/m --tp_size 2");
  testing_cli::set(command, "CUDA_VISIBLE_DEVICES", "2,3");
  EXPECT_EQ(join(other::translate(command)->words, " "),
            "env CUDA_VISIBLE_DEVICES=2,3 vllm serve org/m --tensor-parallel-size 2");
}

TEST(OtherEngines, TheTablesNameOnlyEachOther) {
  for (const OtherEngine& row : other_engines()) {
    EXPECT_FALSE(row.forms.empty()) << row.id;
    EXPECT_FALSE(row.checked.english.empty() || row.checked.chinese.empty()) << row.id;
    EXPECT_FALSE(row.left.english.empty() || row.left.chinese.empty()) << row.id;
    EXPECT_TRUE(row.nearest.empty() || find_engine(row.nearest) != nullptr) << row.id;
    EXPECT_EQ(find_other_engine(row.id), &row);
    EXPECT_EQ(find_engine(row.id), &other::engine) << row.id;
  }
}

}  // namespace
}  // namespace sx
