// Files that stand around a launch: variables of docker and compose, what is said when they cannot
// be read, files with keys, and a report that tells the engine's version.
#include <gtest/gtest.h>

#include <algorithm>

#include "gather/gather_case.h"
#include "sys/files.h"

namespace sx {
namespace {

class FilesAround : public testing::Test {
 protected:
  FilesAround() {
    outside_.files = &files_;
    outside_.environment = Environment({{"HOME", "/home/user"}});
    outside_.folder = "/srv";
    outside_.nvml = [] {
      return Result<NvmlAnswer>(fail(Error::Kind::Absent, "no driver", "没有驱动"));
    };
    outside_.standard_input = [] { return Result<std::string>(std::string()); };
  }

  const Case& ask(const CommandAsk& command, const HostAsk& host = {}) {
    auto gathered = gather_cases(command, host, outside_);
    EXPECT_TRUE(gathered.has_value()) << (gathered ? "" : gathered.error().what);
    gathered_ = std::move(*gathered);
    return gathered_->cases.front();
  }

  static std::string value_of(const Case& c, std::string_view name) {
    std::string value = "(not set)";
    for (const Setting& setting : c.command.environment) {
      if (setting.name == name) value = setting.value;
    }
    return value;
  }

  static bool told(const Case& c, std::string_view part) {
    return std::ranges::any_of(c.around.remarks, [part](const Message& remark) {
      return rendered(remark, Language::English).contains(part);
    });
  }

  MemoryFiles files_;
  Outside outside_;
  std::unique_ptr<GatheredCases> gathered_;
};

CommandAsk line(std::string text) { return {.argv = {std::move(text)}}; }
CommandAsk file(std::string name) {
  CommandAsk ask;
  ask.file = std::move(name);
  return ask;
}

TEST_F(FilesAround, DockersEnvFileIsReadInFrontOfTheLinesOwnSettings) {
  files_.add("/srv/vllm.env",
             "# comment\nHF_TOKEN=\"hf_x\"\nVLLM_LOGGING_LEVEL=DEBUG\nexport A=1\n");
  const Case& c =
      ask(line("docker run --env-file vllm.env -e VLLM_LOGGING_LEVEL=INFO "
               "vllm/vllm-openai:v0.11.0 --model Qwen/Qwen3-8B"));
  EXPECT_EQ(value_of(c, "HF_TOKEN"), "\"hf_x\"");  // docker keeps quotes
  EXPECT_EQ(value_of(c, "VLLM_LOGGING_LEVEL"), "INFO");
  EXPECT_TRUE(c.around.remarks.empty());
}

TEST_F(FilesAround, AnEnvFileThatIsNotThereIsSaid) {
  const Case& c =
      ask(line("docker run --env-file gone.env vllm/vllm-openai:v0.11.0 --model Qwen/Qwen3-8B"));
  EXPECT_TRUE(told(c, "gone.env"));
}

TEST_F(FilesAround, ComposeSaysWhatItDidNotRead) {
  files_.add("/srv/compose.yaml",
             "include: [other.yaml]\n"
             "services:\n"
             "  llm:\n"
             "    profiles: [gpu]\n"
             "    extends: {file: gone.yaml, service: base}\n"
             "    env_file: [gone.env, {path: maybe.env, required: false}]\n"
             "    image: vllm/vllm-openai:v0.11.0\n"
             "    command: --model Qwen/Qwen3-8B\n");
  const Case& c = ask(file("compose.yaml"));
  for (const char* part : {"include", "profiles: gpu", "gone.yaml", "gone.env"})
    EXPECT_TRUE(told(c, part)) << part;
  EXPECT_FALSE(told(c, "maybe.env"));
}

TEST_F(FilesAround, ComposeVariablesBeyondTheLimitAreSaid) {
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "V" + std::to_string(i) + "=1\n";
  files_.add("/srv/.env", many);
  files_.add("/srv/compose.yaml",
             "services:\n  llm:\n    image: vllm/vllm-openai:v0.11.0\n"
             "    command: --model Qwen/Qwen3-8B\n");
  EXPECT_TRUE(told(ask(file("compose.yaml")), ".env"));
}

TEST_F(FilesAround, ServicesThatExtendEachOtherEnd) {
  files_.add("/srv/compose.yaml",
             "services:\n  a:\n    extends: b\n    image: vllm/vllm-openai:v0.11.0\n"
             "    command: --model Qwen/Qwen3-8B\n  b:\n    extends: a\n");
  EXPECT_TRUE(told(ask(file("compose.yaml")), "extend one another"));
}

TEST_F(FilesAround, AKeyFileIsOpenWhenEveryFolderAboveItIs) {
  files_.add("/srv/keys.txt", "k\n").set_permissions("/srv/keys.txt", 0644);
  const auto launch = line("llama-server -hf ggml-org/Qwen3-8B-GGUF --api-key-file keys.txt");
  EXPECT_TRUE(ask(launch).around.secret_files.empty());  // the folder's are not known
  files_.set_permissions("/srv", 0755);
  ASSERT_EQ(ask(launch).around.secret_files.size(), 1U);
  EXPECT_TRUE(gathered_->cases.front().around.secret_files.front().others_read);
  files_.set_permissions("/srv", 0750);
  EXPECT_FALSE(ask(launch).around.secret_files.front().others_read);
  files_.set_permissions("/srv", 0755).set_permissions("/srv/keys.txt", 0640);
  EXPECT_FALSE(ask(launch).around.secret_files.front().others_read);
}

TEST_F(FilesAround, AnotherMachinesFilesAreNotLookedAt) {
  files_.add("/srv/keys.txt", "k\n").set_permissions("/srv/keys.txt", 0644);
  files_.set_permissions("/srv", 0755);
  HostAsk host;
  host.on = "1xL40S";
  EXPECT_TRUE(ask(line("llama-server -hf ggml-org/Qwen3-8B-GGUF --api-key-file keys.txt"), host)
                  .around.secret_files.empty());
}

TEST_F(FilesAround, AFileThatAFlagNamesIsMissedOnlyWhereItCannotBe) {
  const auto absent = [this](const std::string& command) {
    std::string all;
    for (const AbsentFile& file : ask(line(command)).around.absent_files) all += file.path + ' ';
    return all;
  };
  files_.add("/srv/t.jinja", "{{ x }}").add_refused("/srv/closed.jinja");
  EXPECT_EQ(absent("vllm serve org/m --chat-template t.jinja"), "");
  EXPECT_EQ(absent("vllm serve org/m --chat-template closed.jinja"), "");
  EXPECT_EQ(absent("vllm serve org/m --chat-template u.jinja"), "/srv/u.jinja ");
  EXPECT_EQ(absent("vllm serve org/m --chat-template '{{ x }}/y.jinja'"), "");
  EXPECT_EQ(absent("vllm serve org/m --chat-template template_chatml.jinja"), "");
  EXPECT_EQ(absent("vllm serve org/m --chat-template \"$T/u.jinja\""), "");
  EXPECT_EQ(absent("vllm serve org/m --ssl-keyfile k.pem --ssl-certfile c.pem"),
            "/srv/k.pem /srv/c.pem ");
  EXPECT_EQ(absent("llama-server -m t.jinja --lora t.jinja,a.gguf,/b.gguf"),
            "/srv/a.gguf /b.gguf ");
  EXPECT_EQ(absent("docker run --gpus all vllm/vllm-openai:v0.11.0 --model org/m --chat-template "
                   "/u.jinja"),
            "");
}

TEST_F(FilesAround, AReportTellsTheEnginesVersion) {
  files_.add("/srv/report.txt",
             "Collecting environment information...\nPyTorch version: 2.7.0+cu126\n"
             "GPU models and configuration: GPU 0: NVIDIA L40S\n"
             "vLLM Version: 0.9.2\n");
  HostAsk host;
  host.on = "report.txt";
  const Case& c = ask(line("vllm serve Qwen/Qwen3-8B"), host);
  EXPECT_EQ(c.serve.version.text(), "0.9.2");
  EXPECT_EQ(c.serve.version_origin, Origin::Device);
  EXPECT_TRUE(told(c, "0.9.2"));
  CommandAsk said = line("vllm serve Qwen/Qwen3-8B");
  said.engine_version = "0.11.0";
  EXPECT_EQ(ask(said, host).serve.version.text(), "0.11.0");
}

TEST_F(FilesAround, AUnitGetsItsOwnLimits) {
  files_.add("/srv/vllm.service",
             "[Service]\nLimitMEMLOCK=infinity\nMemoryMax=64G\n"
             "ExecStart=/opt/vllm/bin/vllm serve Qwen/Qwen3-8B\n");
  HostAsk host;
  host.on = "1xL40S";
  const Case& c = ask(file("vllm.service"), host);
  EXPECT_EQ(c.host().memory_limit.value_or(Bytes{0}), gib(64));
  EXPECT_TRUE(c.host().locked_memory.known());
  EXPECT_FALSE(c.host().open_files.known());
}

}  // namespace
}  // namespace sx
