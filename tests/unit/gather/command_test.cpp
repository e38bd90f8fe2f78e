// Launches from argv, scripts and standard input, and the version of the engine that is installed.
#include <gtest/gtest.h>

#include "gather/gather_command.h"
#include "knowledge/flags.h"

namespace sx {
namespace {

struct World {
  MemoryFiles files;
  std::map<std::string, std::string, std::less<>> environment;
  std::string input;

  Outside outside() const {
    return {
        .files = &files,
        .environment = Environment(environment),
        .folder = "/srv",
        .nvml =
            [] { return Result<NvmlAnswer>(fail(Error::Kind::Absent, "no driver", "没有驱动")); },
        .standard_input = [this] { return Result<std::string>(input); }};
  }
};

Result<GatheredCommands> gathered(const World& world, const CommandAsk& ask) {
  Sources sources;
  return gather_commands(sources, ask, world.outside());
}

std::string error_of(const World& world, const CommandAsk& ask) {
  const auto result = gathered(world, ask);
  return result ? "no error" : result.error().what;
}

TEST(GatherCommands, ErrorsAreInChineseToo) {
  const auto chinese = [](const CommandAsk& ask) { return gathered({}, ask).error().chinese; };
  EXPECT_EQ(chinese({.argv = {"ls"}}),
            "'ls' 不是本程序认识的引擎启动命令（认识的引擎：vLLM、SGLang、llama.cpp）");
  EXPECT_TRUE(chinese({.file = "no.sh"}).ends_with("/no.sh：没有这个文件"));
}

TEST(GatherCommands, OneLaunchFromArgv) {
  const auto result =
      gathered({}, {.argv = {"env", "CUDA_VISIBLE_DEVICES=0,1", "vllm", "serve", "m", "-tp", "2"},
                    .engine_version = "0.8.5"});
  ASSERT_TRUE(result.has_value()) << result.error().what;
  ASSERT_EQ(result->launches.size(), 1U);
  const Launch& launch = result->launches[0];
  EXPECT_EQ(launch.engine->name, "vllm");
  EXPECT_EQ(launch.serve.version, (Version{0, 8, 5}));
  EXPECT_EQ(launch.serve.version_origin, Origin::Flag);
  EXPECT_EQ(launch.serve.tensor_parallel.value(), 2);
  EXPECT_EQ(launch.serve.visible_devices.value(), "0,1");
  EXPECT_EQ(one_line(launch.command), "CUDA_VISIBLE_DEVICES=0,1 vllm serve m -tp 2");
}

TEST(GatherCommands, AWholeLineInOneWordAndAShellInFront) {
  const std::string line = "vllm serve m --tensor-parallel-size 2";
  for (const std::vector<std::string>& argv : {std::vector<std::string>{line},
                                               {"bash", "-lc", "cd x && " + line},
                                               {"nohup", "sh", "-c", line}}) {
    const auto result = gathered({}, {.argv = argv});
    ASSERT_TRUE(result.has_value()) << result.error().what;
    ASSERT_EQ(result->launches.size(), 1U);
    EXPECT_EQ(one_line(result->launches[0].command), line);
  }
}

std::string engines_in(const std::string& script) {
  World world;
  world.files.add("/srv/x.sh", script);
  const auto result = gathered(world, {.file = "x.sh"});
  if (!result) return result.error().what;
  std::string engines;
  for (const Launch& launch : result->launches) engines += launch.serve.engine + ' ';
  return engines;
}

TEST(GatherCommands, OtherServersAreAnsweredToolsOnlyAlone) {
  EXPECT_EQ(engines_in("vllm serve m &\nollama serve\n"), "vllm ollama ");
  EXPECT_EQ(engines_in("vllm serve m &\nvllm bench serve --model m\n"), "vllm ");
  EXPECT_EQ(engines_in("vllm bench serve --model m\n"), "vllm-tool ");
  EXPECT_EQ(engines_in("python -m sglang_router.launch_router &\nsglang serve --model-path m\n"),
            "sglang ");
  EXPECT_EQ(engines_in("docker run ghcr.io/huggingface/text-generation-inference:3.0 --model-id m"),
            "tgi ");
  EXPECT_EQ(engines_in("docker run -d -p 11434:11434 ollama/ollama"), "ollama ");
}

TEST(GatherCommands, EveryLaunchOfAScriptInItsOrder) {
  World world;
  world.files.add(
      "/srv/serve.sh",
      "#!/bin/bash\npip install -U pip\nvllm serve a --port 8000 &\n# 第二个\nstrange-wrapper --x; "
      "python3 -m vllm.entrypoints.openai.api_server --model b &\nwait\n");
  Sources sources;
  const auto result = gather_commands(sources, {.file = "serve.sh"}, world.outside());
  ASSERT_TRUE(result.has_value()) << result.error().what;
  ASSERT_EQ(result->launches.size(), 2U);
  EXPECT_EQ(result->launches[0].serve.model.value(), "a");
  EXPECT_EQ(result->launches[1].serve.model.value(), "b");
  EXPECT_EQ(result->launches[1].command.line, 5);
  EXPECT_EQ(sources.at(0).name, "serve.sh");
  EXPECT_EQ(sources.at(0).uri, "/srv/serve.sh");
  EXPECT_EQ(result->launches[0].serve.version_origin, Origin::Default);
  EXPECT_EQ(result->launches[0].serve.version, engine_flags("vllm")->newest());
}

TEST(GatherCommands, StandardInput) {
  World world;
  world.input = "vllm serve m";
  Sources sources;
  const auto result = gather_commands(sources, {.file = "-"}, world.outside());
  ASSERT_TRUE(result.has_value()) << result.error().what;
  EXPECT_EQ(sources.at(0).kind, SourceKind::StandardInput);
}

TEST(GatherCommands, AFileOfFlagsIsReadOnceAndFromTheCurrentFolder) {
  World world;
  world.files.add("/srv/c.yaml", "tensor-parallel-size: 4\n");
  world.files.add("/srv/s.sh",
                  "vllm serve m --config c.yaml\nvllm serve n --config c.yaml\nvllm serve o "
                  "--config none.yaml\n");
  Sources sources;
  const auto result =
      gather_commands(sources, {.file = "s.sh", .engine_version = "0.11.0"}, world.outside());
  ASSERT_TRUE(result.has_value()) << result.error().what;
  ASSERT_EQ(result->launches.size(), 3U);
  EXPECT_EQ(result->launches[0].serve.tensor_parallel.value(), 4);
  EXPECT_EQ(result->launches[1].serve.tensor_parallel.value(), 4);
  EXPECT_EQ(sources.all().size(), 2U);
  EXPECT_EQ(sources.at(1).name, "c.yaml");
}

struct Refused {
  CommandAsk ask;
  std::string text;  // of x.sh or standard input
  std::string what;
};

class RefusedCommands : public testing::TestWithParam<Refused> {};

TEST_P(RefusedCommands, SayWhatWasFound) {
  World world;
  const std::string name = GetParam().ask.file.value_or("");
  if (!GetParam().text.empty()) world.files.add("/srv/" + name, GetParam().text);
  EXPECT_EQ(error_of(world, GetParam().ask), GetParam().what);
}

INSTANTIATE_TEST_SUITE_P(
    Asks, RefusedCommands,
    testing::Values(
        Refused{{.argv = {"ollama", "list"}},
                "",
                "not a launch of an engine this program knows: 'ollama' (known: vLLM, SGLang, "
                "llama.cpp)"},
        Refused{{.argv = {"/usr/bin/env", "A=1", "sglang"}},
                "",
                "'sglang' starts no server of SGLang; that is done with: sglang serve "
                "--model-path MODEL"},
        Refused{{.argv = {"vllm", "benchmark"}},
                "",
                "'vllm benchmark' starts no server of vLLM; that is done with: vllm serve MODEL"},
        Refused{{.argv = {"python3", "-u", "-m", "http.server"}},
                "",
                "not a launch of an engine this program knows: 'python3 -m http.server' (known: "
                "vLLM, SGLang, llama.cpp)"},
        Refused{{}, "", "no command was given: -- COMMAND or -f FILE"},
        Refused{
            {.argv = {""}},
            "",
            "not a launch of an engine this program knows: '' (known: vLLM, SGLang, llama.cpp)"},
        Refused{{.argv = {"vllm", "serve"}, .file = "x"},
                "",
                "a command after -- and -f x were both given"},
        Refused{{.argv = {"vllm", "serve", "m"}, .engine_version = "new"},
                "",
                "--engine-version 'new' is not a version such as 0.8.5"},
        Refused{{.file = "x.sh"},
                "pip install x\necho y; echo z\n",
                "no launch of vLLM, SGLang, llama.cpp in x.sh; the commands there are: pip, echo"},
        Refused{{.file = "x.sh"},
                "a\nb\nc\nd\ne\nf\ng\n",
                "no launch of vLLM, SGLang, llama.cpp in x.sh; the commands there are: a, b, c, d, "
                "e, f, …"},
        Refused{{.file = "x.sh"}, "# nothing\n", "there is no command in x.sh"},
        Refused{{.file = "x.sh"},
                "\x1b[2J\n",
                "no launch of vLLM, SGLang, llama.cpp in x.sh; the commands there are: ?[2J"},
        Refused{{.file = "c.yaml"}, "services: {}\n", "there is no command in c.yaml"},
        Refused{{.file = "c"},
                "apiVersion: v1\n",
                "c is YAML, but neither a compose file (services:) nor Kubernetes manifests "
                "(apiVersion:, kind:) nor a file of flags (model:, tensor-parallel-size:)"},
        Refused{{.file = "n.ipynb"},
                "{}\n",
                "n.ipynb is a notebook; what is taken: shell scripts, compose and Kubernetes YAML, "
                "systemd units, JSON, ps output"},
        Refused{{.file = "my box.toml"},
                "port = 8000\n[model]\nid = \"m\"\n",
                "my box.toml is a deployment file: `sextant config 'my box.toml'` reads it, and "
                "`sextant up 'my box.toml'` checks every launch of it before it starts any"},
        Refused{
            {.file = "pyproject.toml"},
            "[project]\nname = \"m\"\n",
            "pyproject.toml is TOML; what is taken: shell scripts, compose and Kubernetes YAML, "
            "systemd units, JSON, ps output"},
        Refused{{.file = "a.json"}, "{\"model\": \"m\"}\n", "there is no command in a.json"},
        Refused{
            {.file = "a.py"},
            "import vllm\n",
            "a.py is Python; what is taken: shell scripts, compose and Kubernetes YAML, systemd "
            "units, JSON, ps output"}));

TEST(GatherCommands, AFileThatIsNotThereIsNamed) {
  EXPECT_TRUE(error_of({}, {.file = "no.sh"}).contains("no.sh"));
}

std::string metadata(const std::string& version) {
  return "Metadata-Version: 2.1\nName: vllm\nVersion: " + version + "\n\nVersion: 9.9\n";
}

std::string version_for(const World& world, std::vector<std::string> argv) {
  Sources sources;
  const auto version = installed_version("vllm", command_from_argv(sources, argv), world.outside());
  return version ? version->text() : "none";
}

TEST(InstalledVersion, IsFoundWhereTheCommandWouldFindIt) {
  World world;
  world.files.add("/venv/lib/python3.11/site-packages/vllm-0.9.1.dist-info/METADATA",
                  metadata("0.9.1"));
  world.files.add("/opt/bin/vllm", "#!/opt/bin/python3\n");
  world.files.add("/opt/lib/python3.10/site-packages/vllm-0.6.6.post1.dist-info/METADATA",
                  metadata("0.6.6.post1"));
  world.files.add("/usr/bin/python3", "");
  world.files.add("/usr/lib/python3/dist-packages/vllm-0.7.0.dist-info/METADATA",
                  metadata("0.7.0"));
  world.files.add("/srv/.venv/bin/vllm", "");
  world.files.add("/srv/.venv/lib/python3.12/site-packages/vllm-0.8.5.dist-info/METADATA",
                  metadata("0.8.5+cu121"));
  EXPECT_EQ(version_for(world, {"vllm", "serve"}), "none");
  EXPECT_EQ(version_for(world, {"/opt/bin/vllm", "serve"}), "0.6.6.post1");
  EXPECT_EQ(version_for(world, {"/opt/bin/python3.10", "-m", "vllm"}), "0.6.6.post1");
  EXPECT_EQ(version_for(world, {".venv/bin/vllm", "serve"}), "0.8.5");
  EXPECT_EQ(version_for(world, {"/nowhere/bin/vllm", "serve"}), "none");
  world.environment["PATH"] = "/bin:/usr/bin:/opt/bin";
  EXPECT_EQ(version_for(world, {"python3", "-m", "vllm"}), "0.7.0");
  EXPECT_EQ(version_for(world, {"vllm", "serve"}), "0.6.6.post1");
  world.environment["CONDA_PREFIX"] = "/conda";
  EXPECT_EQ(version_for(world, {"vllm", "serve"}), "0.6.6.post1");
  world.environment["VIRTUAL_ENV"] = "/venv";
  EXPECT_EQ(version_for(world, {"vllm", "serve"}), "0.9.1");
  EXPECT_EQ(version_for(world, {"/opt/bin/vllm", "serve"}), "0.6.6.post1");
}

TEST(InstalledVersion, DamagedMetadataFallsBackToTheFolderName) {
  World world;
  world.environment["VIRTUAL_ENV"] = "/v";
  world.files.add("/v/lib/python3.11/site-packages/vllm-0.9.2.dist-info/METADATA", "<html>");
  world.files.add("/v/lib/python3.11/site-packages/vllm_flash-1.0.dist-info/METADATA",
                  metadata("1.0"));
  EXPECT_EQ(version_for(world, {"vllm"}), "0.9.2");
}

TEST(GatherCommands, TheInstalledVersionIsTaken) {
  World world;
  world.environment["VIRTUAL_ENV"] = "/venv";
  world.files.add("/venv/lib/python3.11/site-packages/vllm-0.9.1.dist-info/METADATA",
                  metadata("0.9.1"));
  const auto result = gathered(world, {.argv = {"vllm", "serve", "m"}});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->launches[0].serve.version, (Version{0, 9, 1}));
  EXPECT_EQ(result->launches[0].serve.version_origin, Origin::Environment);
}

TEST(GatherCommands, EachEngineLooksForItsOwnPackage) {
  World world;
  world.environment["VIRTUAL_ENV"] = "/venv";
  const std::string packages = "/venv/lib/python3.12/site-packages/";
  world.files.add(packages + "vllm-0.9.1.dist-info/METADATA", metadata("0.9.1"));
  world.files.add(packages + "sglang-0.4.6.post1.dist-info/METADATA",
                  "Metadata-Version: 2.4\nName: sglang\nVersion: 0.4.6.post1\n\n");
  world.files.add(packages + "sglang_router-0.3.2.dist-info/METADATA",
                  "Metadata-Version: 2.4\nName: sglang-router\nVersion: 0.3.2\n\n");
  const auto result = gathered(
      world, {.argv = {"python3", "-m", "sglang.launch_server", "--model-path", "m", "--tp", "2"}});
  ASSERT_TRUE(result.has_value());
  const ServeSpec& serve = result->launches[0].serve;
  EXPECT_EQ(serve.engine, "sglang");
  EXPECT_EQ(serve.version.text(), "0.4.6.post1");
  EXPECT_EQ(serve.version_origin, Origin::Environment);
  EXPECT_EQ(serve.tensor_parallel.value(), 2);
}

}  // namespace
}  // namespace sx
