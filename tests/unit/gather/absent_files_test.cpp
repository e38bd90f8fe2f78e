// Files that a launch names and that are not there: where they are looked for, how sure that is,
// and what lies beside them.
#include "gather/absent_files.h"

#include <gtest/gtest.h>

#include "engines/engine.h"
#include "gather/gather_case.h"
#include "gather/near_files.h"
#include "knowledge/file_flags.h"
#include "knowledge/flags.h"
#include "sys/files.h"

namespace sx {
namespace {

class AbsentFiles : public testing::Test {
 protected:
  AbsentFiles() {
    outside_.files = &files_;
    const std::map<std::string, std::string, std::less<>> variables{{"HOME", "/home/user"}};
    outside_.environment = Environment(variables);
    outside_.folder = "/srv";
    outside_.nvml = [] {
      return Result<NvmlAnswer>(fail(Error::Kind::Absent, "no driver", "没有驱动"));
    };
    outside_.standard_input = [this] { return Result<std::string>(input_); };
    files_.add("/srv/t.gguf", "GGUF").add("/opt/llm/own.gguf", "GGUF");
  }

  // "/srv/a.gguf" of what is not there, "/srv/a.gguf?" of what the launch may see all the same.
  std::string of(const CommandAsk& command, const HostAsk& host = {}) {
    const auto gathered = gather_cases(command, host, outside_);
    EXPECT_TRUE(gathered.has_value()) << (gathered ? "" : gathered.error().what);
    std::string all;
    if (!gathered) return all;
    for (const AbsentFile& file : (*gathered)->cases.front().around.absent_files)
      all += file.path + (file.unsure.empty() ? " " : "? ");
    return all;
  }
  std::string typed(const std::string& command) { return of({.argv = {command}}); }
  std::string of_file(const std::string& name, const std::string& text) {
    files_.add(name.starts_with('/') ? name : "/srv/" + name, text);
    CommandAsk ask;
    ask.file = name;
    return of(ask);
  }

  MemoryFiles files_;
  Outside outside_;
  std::string input_;
};

TEST_F(AbsentFiles, ATypedCommandBeginsInTheCurrentFolder) {
  EXPECT_EQ(typed("llama-server -m t.gguf"), "");
  EXPECT_EQ(typed("llama-server -m ./u.gguf"), "/srv/u.gguf ");
  EXPECT_EQ(typed("llama-server -m models/u.gguf --mmproj /opt/p.gguf"),
            "/srv/models/u.gguf /opt/p.gguf ");
  EXPECT_EQ(typed("vllm serve ./models/u"), "/srv/models/u ");
  EXPECT_EQ(typed("vllm serve org/u"), "");
  EXPECT_EQ(of({.argv = {"llama-server -m u.gguf"}}, {.on = "1xL40S"}), "");
}

TEST_F(AbsentFiles, WhatGoesElsewhereIsNotAsked) {
  for (const char* command : {"cd /opt/llm && llama-server -m own.gguf",
                              "bash -c 'cd /opt/llm; llama-server -m u.gguf'",
                              "env -C /opt/llm llama-server -m u.gguf",
                              "sudo -i llama-server -m u.gguf",
                              "sudo --chdir=/opt/llm llama-server -m own.gguf",
                              "sudo -u llm -i llama-server -m u.gguf",
                              "uv run --directory /opt vllm serve ./u",
                              "conda run --cwd /opt vllm serve ./u",
                              "tmux new -d -c /opt llama-server -m u.gguf",
                              "llama-server -hf org/m --api-key-file /dev/fd/9",
                              "llama-server -m 'C:\\models\\u.gguf'",
                              "llama-server -m /opt/*.gguf",
                              "vllm serve /hub/snapshots/*",
                              "vllm serve ./{a,b}",
                              "llama-server -hf org/m --api-key-file <(pass show llm)",
                              "vllm serve /opt/llm:Q8_0 --tokenizer org/m",
                              "vllm serve org/u/u-Q8_0.gguf",
                              "mpirun -H a vllm serve /u",
                              "vllm serve org/u --lora-modules a=s3://b/c",
                              "srun llama-server -m /u.gguf",
                              "llama-server -m \"$M\"",
                              "llama-server -m ~/u.gguf",
                              "llama-server -m u.gguf -hf ggml-org/m-GGUF",
                              "llama-server -m org/m",
                              "LLAMA_ARG_HF_REPO=ggml-org/m-GGUF llama-server -m u.gguf"})
    EXPECT_EQ(typed(command), "") << command;
  // A name that only looks like it moves nothing.
  EXPECT_EQ(typed("llama-server -m abcd.gguf --alias cd-rom"), "/srv/abcd.gguf ");
}

TEST_F(AbsentFiles, WhatTheSameTextMayBringIsNotSure) {
  const std::string launch = "llama-server -m /opt/u.gguf --api-key-file /run/key\n";
  EXPECT_EQ(of_file("run.sh", "echo start\n" + launch), "/opt/u.gguf /run/key ");
  for (const char* before :
       {"huggingface-cli download org/u --local-dir /opt\n", "wget -O \"$M\" https://h/u.gguf\n",
        "[ -d /opt ] || mkdir /opt\n", "#SBATCH --gpus=8\n", "./prepare.sh\n",
        "python3 fetch.py org/u\n", "docker pull x && curl -L h -o /opt/u.gguf\n",
        "[ -f /opt/u.gguf ] || exit 1\n", "if ! test -e \"$M\"; then exit 1; fi\n"})
    EXPECT_EQ(of_file("run.sh", before + launch), "/opt/u.gguf? /run/key? ") << before;
  EXPECT_EQ(of_file("run.sh", "echo \"$K\" > '/run/key'\n" + launch), "/opt/u.gguf /run/key? ");
  EXPECT_EQ(typed("bash -c 'hf download org/u --local-dir /opt && " + launch + "'"),
            "/opt/u.gguf? /run/key? ");
  const std::string unit = "[Service]\nExecStart=/usr/bin/" + launch;
  EXPECT_EQ(of_file("a.service", unit), "/opt/u.gguf /run/key ");
  for (const char* more : {"ExecStartPre=/usr/bin/prepare\n", "RuntimeDirectory=a\n",
                           "BindReadOnlyPaths=/data:/opt\n", "RootDirectory=/data\n"})
    EXPECT_EQ(of_file("a.service", unit + more), "/opt/u.gguf? /run/key? ") << more;
}

TEST_F(AbsentFiles, AScriptMayBeCalledFromAnywhere) {
  files_.add("/opt/llm/beside.gguf", "GGUF");
  EXPECT_EQ(of_file("run.sh", "llama-server -m u.gguf --lora /opt/a.gguf\n"),
            "/srv/u.gguf? /opt/a.gguf ");
  EXPECT_EQ(of_file("/opt/llm/run.sh", "llama-server -m beside.gguf\n"), "");
  EXPECT_EQ(of_file("moved.sh", "cd \"$(dirname \"$0\")\"\nllama-server -m u.gguf\n"), "");
  input_ = "llama-server -m u.gguf\n";
  EXPECT_EQ(of_file("-", ""), "/srv/u.gguf? ");
}

TEST_F(AbsentFiles, AUnitSaysWhereItWorks) {
  const std::string unit = "[Service]\nExecStart=/usr/bin/llama-server -m own.gguf -md u.gguf\n";
  EXPECT_EQ(of_file("a.service", unit), "");
  EXPECT_EQ(of_file("b.service", unit + "WorkingDirectory=/opt/llm\n"), "/opt/llm/u.gguf ");
  EXPECT_EQ(of_file("c.service", unit + "WorkingDirectory=%h/llm\n"), "");
  EXPECT_EQ(of_file("d.service", unit + "WorkingDirectory=~\n"), "");
}

TEST_F(AbsentFiles, AContainerSeesItsMounts) {
  const std::string run = "docker run --gpus all ";
  const std::string image = " ghcr.io/ggml-org/llama.cpp:server-cuda -m ";
  EXPECT_EQ(typed(run + "-v /opt/llm:/m" + image + "/m/own.gguf"), "");
  EXPECT_EQ(typed(run + "-v /opt/llm:/m" + image + "/m/u.gguf"), "/opt/llm/u.gguf? ");
  EXPECT_EQ(typed(run + "-v ./llm:/m" + image + "/m/u.gguf"), "/srv/llm/u.gguf? ");
  EXPECT_EQ(typed(run + "-v models:/m" + image + "/m/u.gguf"), "");
  EXPECT_EQ(typed(run + image + "/m/u.gguf"), "");
  EXPECT_EQ(typed(run + "-v /opt/llm:/m -w /m" + image + "u.gguf"), "/opt/llm/u.gguf? ");
  EXPECT_EQ(typed("docker exec llm llama-server -m /opt/llm/u.gguf"), "");
}

TEST_F(AbsentFiles, AComposeFilesOwnFolderIsWhereItsMountsBegin) {
  EXPECT_EQ(of_file("/opt/compose.yaml",
                    "services:\n  a:\n    image: ghcr.io/ggml-org/llama.cpp:server\n"
                    "    volumes: [./llm:/m]\n    command: -m /m/own.gguf --mmproj /m/p.gguf\n"),
            "/opt/llm/p.gguf? ");
}

TEST_F(AbsentFiles, APodRunsOnSomeMachine) {
  EXPECT_EQ(of_file("/srv/pod.yaml",
                    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n"
                    "    - name: a\n      image: ghcr.io/ggml-org/llama.cpp:server\n"
                    "      args: [-m, /m/u.gguf]\n"
                    "      volumeMounts: [{name: m, mountPath: /m}]\n"
                    "  volumes: [{name: m, hostPath: {path: /opt/llm}}]\n"),
            "");
}

TEST_F(AbsentFiles, VariablesOfLlamaCppMeanTheSame) {
  EXPECT_EQ(typed("LLAMA_ARG_MODEL=u.gguf LLAMA_ARG_MMPROJ=p.gguf llama-server"),
            "/srv/u.gguf /srv/p.gguf ");
  EXPECT_EQ(typed("LLAMA_ARG_MODEL=u.gguf llama-server -m t.gguf"), "");
}

TEST_F(AbsentFiles, ListsAddUpAndOfTheRestTheLastCounts) {
  EXPECT_EQ(typed("llama-server -m u.gguf -m t.gguf"), "");
  EXPECT_EQ(typed("llama-server -m t.gguf --lora a.gguf --lora t.gguf,b.gguf "
                  "--lora-scaled t.gguf:0.5,c.gguf:1"),
            "/srv/a.gguf /srv/b.gguf /srv/c.gguf ");
  EXPECT_EQ(typed("vllm serve org/m --lora-modules a=/x/a b=org/b c=./c"), "/x/a /srv/c ");
  EXPECT_EQ(typed("llama-server -m t.gguf --ssl-key-file k.pem"), "");
  EXPECT_EQ(typed("llama-server -m t.gguf --ssl-key-file k.pem --ssl-cert-file c.pem"),
            "/srv/k.pem /srv/c.pem ");
}

TEST(NearFiles, AreSlipsPartsAndOtherCases) {
  MemoryFiles files;
  files.add("/m/Qwen3-8B-Q4_K_M.gguf", "").add("/m/Qwen3-8B-Q4_K_M.txt", "");
  files.add("/m/big-00001-of-00002.gguf", "").add("/m/big-00002-of-00002.gguf", "");
  using Names = std::vector<std::string>;
  EXPECT_EQ(near_files(files, "/m/qwen3-8b-q4_k_m.gguf", "qwen3-8b-q4_k_m.gguf"),
            Names{"Qwen3-8B-Q4_K_M.gguf"});
  EXPECT_EQ(near_files(files, "/m/big.gguf", "./m/big.gguf"), Names{"./m/big-00001-of-00002.gguf"});
  EXPECT_EQ(near_files(files, "/m/something-else.gguf", "/m/something-else.gguf"), Names{});
  EXPECT_EQ(near_files(files, "/none/a.gguf", "/none/a.gguf"), Names{});
  files.add_link("/m/gone-model.gguf", "/none/gone-model.gguf");
  EXPECT_EQ(near_files(files, "/m/gone-mode.gguf", "gone-mode.gguf"), Names{});
}

// A flag that no version has would never be looked at.
TEST(FileFlags, AreFlagsOfTheirEngines) {
  for (const Engine* engine : all_engines()) {
    const EngineFlags* flags = engine_flags(engine->name);
    ASSERT_NE(flags, nullptr);
    EXPECT_FALSE(file_flags(engine->name).empty());
    for (const FileFlag& file : file_flags(engine->name)) {
      EXPECT_NE(flags->find(file.flag), nullptr) << engine->name << ' ' << file.flag;
      EXPECT_FALSE(file.words.empty()) << file.flag;
      for (const std::string_view other : file.unless)
        EXPECT_NE(flags->find(other), nullptr) << other;
      if (file.needs.empty()) continue;
      EXPECT_NE(flags->find(file.needs), nullptr) << file.needs;
    }
  }
}

}  // namespace
}  // namespace sx
