// Launches in JSON, in what docker inspect and ps print, and of running processes.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/strings.h"
#include "facts/edit_command.h"
#include "gather/gather_case.h"
#include "gather/gather_command.h"
#include "read/shell_words.h"

namespace sx {
namespace {

struct World {
  MemoryFiles files;

  Outside outside() const {
    return {
        .files = &files,
        .environment = Environment({{"HOME", "/home/user"}}),
        .folder = "/srv",
        .nvml =
            [] { return Result<NvmlAnswer>(fail(Error::Kind::Absent, "no driver", "没有驱动")); },
        .standard_input = [] { return Result<std::string>(std::string()); }};
  }
};

struct Read {
  World world;
  Sources sources;
  Result<GatheredCommands> result = fail(Error::Kind::Absent, "", "");
};

std::unique_ptr<Read> read_text(const std::string& name, const std::string& text) {
  auto read = std::make_unique<Read>();
  read->world.files.add("/srv/" + name, text);
  read->result = gather_commands(read->sources, {.file = name}, read->world.outside());
  return read;
}

std::string applied(std::string text, std::vector<Edit> edits) {
  std::ranges::reverse(edits);
  for (const auto& edit : edits)
    text.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.text);
  return text;
}

std::string after(const Launch& launch, const std::string& text,
                  const std::vector<Change>& changes) {
  const auto edited = edit_command(launch.command, launch.serve, changes);
  return edited.edits.empty() ? "-" : applied(text, edited.edits);
}

struct JsonScene {
  std::string text;
  std::string line;    // of the launch
  std::string edited;  // after --tensor-parallel-size 4 and --enforce-eager; "-": cannot be edited
};

class JsonLaunch : public testing::TestWithParam<JsonScene> {};

TEST_P(JsonLaunch, IsReadAndEdited) {
  const auto& scene = GetParam();
  const auto read = read_text("launch.json", scene.text);
  ASSERT_TRUE(read->result.has_value()) << read->result.error().what;
  ASSERT_EQ(read->result->launches.size(), 1U);
  const Launch& launch = read->result->launches[0];
  EXPECT_EQ(one_line(launch.command), scene.line);
  EXPECT_EQ(after(launch, scene.text,
                  {set_flag("--tensor-parallel-size", "4"), add_switch("--enforce-eager")}),
            scene.edited);
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, JsonLaunch,
    testing::Values(
        JsonScene{R"(["vllm", "serve", "m", "-tp", "2"])", "vllm serve m -tp 2",
                  R"(["vllm", "serve", "m", "-tp", "4", "--enforce-eager"])"},
        JsonScene{"[\n  \"vllm\",\n  \"serve\",\n  \"m\"\n]", "vllm serve m",
                  "[\n  \"vllm\",\n  \"serve\",\n  \"m\",\n  \"--tensor-parallel-size\",\n  "
                  "\"4\",\n  \"--enforce-eager\"\n]"},
        JsonScene{
            R"({"command": ["vllm", "serve", "m", "--tensor-parallel-size=2"]})",
            "vllm serve m --tensor-parallel-size=2",
            R"({"command": ["vllm", "serve", "m", "--tensor-parallel-size=4", "--enforce-eager"]})"},
        JsonScene{
            R"({"command": "vllm", "args": ["serve", "m"], "env": {"A": "b"}})", "A=b vllm serve m",
            R"({"command": "vllm", "args": ["serve", "m", "--tensor-parallel-size", "4", "--enforce-eager"], "env": {"A": "b"}})"},
        JsonScene{R"({"cmd": "A=b vllm serve m -tp 2"})", "A=b vllm serve m -tp 2",
                  R"({"cmd": "A=b vllm serve m -tp 4 --enforce-eager"})"},
        JsonScene{R"({"command": "vllm serve \"m\" -tp 2"})", "vllm serve m -tp 2", "-"},
        JsonScene{
            R"({"image": "vllm/vllm-openai:v0.9.2", "args": ["--model", "m", "-tp", "2"]})",
            "python3 -m vllm.entrypoints.openai.api_server --model m -tp 2",
            R"({"image": "vllm/vllm-openai:v0.9.2", "args": ["--model", "m", "-tp", "4", "--enforce-eager"]})"},
        JsonScene{
            R"({"jobs": [{"note": "x"}, {"argv": ["vllm", "serve", "m", "-tp", "2"]}]})",
            "vllm serve m -tp 2",
            R"({"jobs": [{"note": "x"}, {"argv": ["vllm", "serve", "m", "-tp", "4", "--enforce-eager"]}]})"},
        JsonScene{R"({"argv": ["bash", "-c", "vllm serve m -tp 2"]})", "vllm serve m -tp 2",
                  R"({"argv": ["bash", "-c", "vllm serve m -tp 4 --enforce-eager"]})"},
        JsonScene{
            R"(["docker", "run", "--gpus", "all", "vllm/vllm-openai:v0.9.2", "--model", "m"])",
            "docker run --gpus all vllm/vllm-openai:v0.9.2 --model m",
            R"(["docker", "run", "--gpus", "all", "vllm/vllm-openai:v0.9.2", "--model", "m", "--tensor-parallel-size", "4", "--enforce-eager"])"}));

TEST(JsonLaunch, SettingsAreEditedWhereTheyStand) {
  const std::string text =
      R"({"args": ["vllm", "serve", "m"], "env": {"CUDA_VISIBLE_DEVICES": "0"}})";
  const auto read = read_text("launch.json", text);
  ASSERT_TRUE(read->result.has_value());
  const Launch& launch = read->result->launches[0];
  EXPECT_EQ(after(launch, text, {set_environment("CUDA_VISIBLE_DEVICES", "0,1")}),
            R"({"args": ["vllm", "serve", "m"], "env": {"CUDA_VISIBLE_DEVICES": "0,1"}})");
  EXPECT_EQ(
      after(launch, text, {set_environment("NCCL_DEBUG", "INFO")}),
      R"({"args": ["vllm", "serve", "m"], "env": {"CUDA_VISIBLE_DEVICES": "0", "NCCL_DEBUG": "INFO"}})");
}

TEST(DockerInspect, SaysWhatRunsAndWhatItWasGiven) {
  const auto read = read_text("inspect.json", R"([{"Id": "4f", "Name": "/qwen",
    "Config": {"Image": "vllm/vllm-openai:v0.8.5", "User": "",
      "Env": ["PATH=/usr/bin", "VLLM_USE_V1=0", "HF_TOKEN=hf_secret"],
      "Cmd": ["--model", "/models/q", "-tp", "2"],
      "Entrypoint": ["python3", "-m", "vllm.entrypoints.openai.api_server"]},
    "HostConfig": {"ShmSize": 67108864, "IpcMode": "private", "NetworkMode": "bridge",
      "Binds": ["/data:/models:ro"], "Memory": 0,
      "PortBindings": {"8000/tcp": [{"HostIp": "127.0.0.1", "HostPort": "9000"}]},
      "DeviceRequests": [{"Count": 0, "DeviceIDs": ["0", "1"]}],
      "Ulimits": [{"Name": "memlock", "Soft": -1, "Hard": -1}], "Privileged": false}}])");
  ASSERT_TRUE(read->result.has_value()) << read->result.error().what;
  ASSERT_EQ(read->result->launches.size(), 1U);
  const Launch& launch = read->result->launches[0];
  EXPECT_EQ(one_line(launch.command),
            "VLLM_USE_V1=0 HF_TOKEN=$HF_TOKEN python3 -m vllm.entrypoints.openai.api_server "
            "--model /models/q -tp 2");
  EXPECT_EQ(launch.serve.version, (Version{0, 8, 5}));
  EXPECT_EQ(launch.around.gpu_devices.value(), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(launch.around.shared_memory.value(), mib(64));
  ASSERT_EQ(launch.around.ports.size(), 1U);
  EXPECT_EQ(launch.around.ports[0].host, 9000);
  EXPECT_EQ(launch.around.ports[0].inside, 8000);
  EXPECT_EQ(launch.around.mounts.at(0).host, "/data");
  EXPECT_FALSE(launch.around.memory_limit.known());
}

TEST(ProcessList, LaunchesAreFoundUnderEachHeader) {
  const std::string line =
      "/opt/venv/bin/python3 /opt/venv/bin/vllm serve m --hf-overrides {\"a\": 1, \"b\": [2, 3]} "
      "-tp 2";
  for (const std::string& text :
       {"USER  PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\nroot 1 0.0 0.0 9 9 ? Ss Nov12 "
        "0:01 /sbin/init\nme 7 99 1.0 9 9 ? Sl 10:11 1:00 " +
            line + "\n",
        "UID PID PPID C STIME TTY TIME CMD\r\nme 7 1 0 10:11 ? 00:01:00 " + line +
            "\r\nme 8 7 0 10:11 ? 00:01:00 VLLM::EngineCore\r\n",
        "  PID COMMAND\n 6 /bin/sh -c vllm serve m -tp 2\n 7 \\_ " + line + "\n",
        "COMMAND\n" + line,
        // What is left behind `| grep vllm`, and what `pgrep -a` prints.
        "me 7 4600 1.0 9 9 ? Sl Nov12 99:10 " + line +
            "\nme 9 0.0 0.0 9 9 pts/0 S+ 10:12 0:00 grep --color=auto vllm\n",
        "me 7 1 99 10:11 ? 1-02:03:04 " + line, "  7 " + line + "\n"}) {
    const auto read = read_text("ps.txt", text);
    ASSERT_TRUE(read->result.has_value()) << text << read->result.error().what;
    ASSERT_EQ(read->result->launches.size(), 1U) << text;
    const Launch& launch = read->result->launches[0];
    EXPECT_EQ(
        one_line(launch.command),
        "/opt/venv/bin/python3 /opt/venv/bin/vllm serve m --hf-overrides '{\"a\": 1, \"b\": [2, "
        "3]}' -tp 2");
    EXPECT_EQ(launch.around.remarks.size(), 1U);
    EXPECT_EQ(after(launch, text, {set_flag("--tensor-parallel-size", "4")}), "-");
  }
}

std::string with_nuls(std::string text) {
  std::ranges::replace(text, '|', '\0');
  return text;
}

World world_of_processes() {
  World world;
  world.files.add("/proc/41/cmdline", with_nuls("bash|-c|vllm serve m|"))
      .add("/proc/41/task/41/children", "42 43 ")
      .add("/proc/42/cmdline", with_nuls("/usr/bin/python3|/opt/bin/vllm|serve|/models/a b|-tp|2|"))
      .add("/proc/42/environ",
           with_nuls("PATH=/usr/bin|VLLM_API_KEY=secret|NCCL_DEBUG=INFO|MY_PASSWORD=x|"))
      .add("/proc/42/limits",
           "Limit                     Soft Limit           Hard Limit           Units\n"
           "Max open files            1024                 4096                 files\n"
           "Max locked memory         65536                65536                bytes\n")
      .add("/proc/43/cmdline", with_nuls("sleep|9|"))
      .add("/proc/44/cmdline", "")
      .add("/proc/45/cmdline", with_nuls("vllm|serve|m|"))
      .add_refused("/proc/45/environ");
  return world;
}

TEST(RunningProcess, IsReadWithWhatConcernsEngines) {
  const World world = world_of_processes();
  for (const char* pid : {"42", "41"}) {
    Sources sources;
    const auto result = gather_commands(sources, {.pid = pid}, world.outside());
    ASSERT_TRUE(result.has_value()) << result.error().what;
    ASSERT_EQ(result->launches.size(), 1U);
    const Launch& launch = result->launches[0];
    EXPECT_EQ(one_line(launch.command),
              "VLLM_API_KEY=$VLLM_API_KEY NCCL_DEBUG=INFO /usr/bin/python3 /opt/bin/vllm serve "
              "'/models/a b' -tp 2");
    EXPECT_EQ(launch.around.kind, Surroundings::Kind::Process);
    EXPECT_EQ(launch.around.open_files.value(), 1024);
    EXPECT_EQ(launch.around.locked_memory.value(), kib(64));
    for (const auto& source : sources.all())
      EXPECT_EQ(source.text.find("secret"), std::string::npos);
  }
}

TEST(RunningProcess, SaysWhatMayNotBeRead) {
  const World world = world_of_processes();
  Sources sources;
  const auto result = gather_commands(sources, {.pid = "45"}, world.outside());
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->launches[0].around.remarks.size(), 1U);
  const auto error = [&](const char* pid) {
    Sources none;
    const auto failed = gather_commands(none, {.pid = pid}, world.outside());
    return failed ? "no error" : failed.error().what;
  };
  EXPECT_EQ(error("99"), "there is no process 99");
  EXPECT_EQ(error("44"), "process 44 has no command line: it is the kernel's, or has ended");
  EXPECT_EQ(error("-1"), "--pid '-1' is not the number of a process");
  EXPECT_EQ(error("x"), "--pid 'x' is not the number of a process");
}

TEST(DockerLine, IsEditedWhereItStands) {
  const std::string text =
      "docker run --gpus all \\\n  -e CUDA_VISIBLE_DEVICES=0 \\\n  vllm/vllm-openai:v0.9.2 --model "
      "m\n";
  const auto read = read_text("run.sh", text);
  ASSERT_TRUE(read->result.has_value());
  const Launch& launch = read->result->launches[0];
  EXPECT_EQ(after(launch, text, {set_environment("CUDA_VISIBLE_DEVICES", "0,1")}),
            "docker run --gpus all \\\n  -e CUDA_VISIBLE_DEVICES=0,1 \\\n  vllm/vllm-openai:v0.9.2 "
            "--model m\n");
  EXPECT_EQ(after(launch, text, {set_environment("NCCL_DEBUG", "INFO")}),
            "docker run --gpus all \\\n  -e CUDA_VISIBLE_DEVICES=0 -e NCCL_DEBUG=INFO \\\n  "
            "vllm/vllm-openai:v0.9.2 --model m\n");
  EXPECT_EQ(after(launch, text, {remove_environment("CUDA_VISIBLE_DEVICES")}),
            "docker run --gpus all \\\n  vllm/vllm-openai:v0.9.2 --model m\n");
  EXPECT_EQ(
      after(launch, text, {set_flag("--tensor-parallel-size", "2"), add_option("--ipc", "host")}),
      "docker run --gpus all \\\n  -e CUDA_VISIBLE_DEVICES=0 --ipc host \\\n  "
      "vllm/vllm-openai:v0.9.2 --model m --tensor-parallel-size 2\n");
}

TEST(SeenFromAContainer, GpusAreThoseHandedInAndMountsLeadToTheModel) {
  World world;
  world.files.add("/data/q/config.json", R"({"model_type": "qwen2", "num_attention_heads": 8})");
  const auto all = gather_cases(
      {.argv = {"docker run --gpus '\"device=1,3\"' -v /data:/models vllm/vllm-openai:v0.9.2 "
                "--model /models/q"}},
      {.on = "4xL40S"}, world.outside());
  ASSERT_TRUE(all.has_value()) << all.error().what;
  const Case& c = (*all)->cases.at(0);
  EXPECT_EQ(c.host().gpu_count.value(), 2);
  EXPECT_EQ(c.machine().gpu_count.value(), 4);
  EXPECT_EQ(c.host().gpus.at(1).index, 1);
  EXPECT_EQ(c.host().shared_memory.value(), mib(64));
  EXPECT_EQ(c.host().shared_memory.origin(), Origin::Default);
  EXPECT_TRUE(c.host().container.value());
  EXPECT_EQ(c.model().heads.value(), 8);
}

}  // namespace
}  // namespace sx
