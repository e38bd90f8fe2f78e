// sextant.toml: what is written is taken, what is wrong is underlined, nothing is guessed.
#include "run/deployment_file.h"

#include <gtest/gtest.h>

#include <set>

namespace sx {
namespace {

struct Written {
  Sources sources;
  DeploymentRead read;
  explicit Written(std::string text) {
    sources.add({.kind = SourceKind::File, .name = "sextant.toml", .text = std::move(text)});
    read = read_deployment_file(sources, 0);
  }
  // "title @ underlined: label"
  std::string fault(std::size_t at = 0) const {
    const FileFault& one = read.faults.at(at);
    return rendered(one.title, Language::English) + " @ " +
           std::string(sources.text(one.labels.at(0).span)) + ": " +
           rendered(one.labels.at(0).text, Language::English);
  }
};

TEST(DeploymentFile, EverySettingIsTaken) {
  const Written w(R"(
name = "box"
listen = "0.0.0.0:9000"
key_file = "keys.txt"
ladder = true
[model]
command = ["llama-server", "-m", "a b.gguf"]
replicas = 3
environment = { A = "b", C = "" }
[restart]
tries = 5
backoff_s = [1, 2]
stop_grace_s = 7
[log]
file_mib = 2
files = 9
)");
  ASSERT_TRUE(w.read.faults.empty()) << w.fault();
  const DeploymentFile& file = w.read.file;
  EXPECT_EQ(file.name, "box");
  EXPECT_EQ(file.host, "0.0.0.0");
  EXPECT_EQ(file.port, 9000);
  EXPECT_TRUE(file.ladder);
  EXPECT_EQ(file.command, (std::vector<std::string>{"llama-server", "-m", "a b.gguf"}));
  EXPECT_EQ(file.replicas, 3);
  EXPECT_EQ(file.environment.at("A"), "b");
  EXPECT_EQ(file.restart.tries, 5);
  EXPECT_EQ(file.restart.backoff.at(1), std::chrono::seconds(2));
  EXPECT_EQ(file.restart.stop_grace, std::chrono::seconds(7));
  EXPECT_EQ(file.log.file_bytes, 2 << 20);
  EXPECT_EQ(file.log.files, 9);
  EXPECT_EQ(file.settings.size(), 12U);
  EXPECT_EQ(w.sources.text(file.settings.at(1).span), "\"0.0.0.0:9000\"");
}

TEST(DeploymentFile, AModelToPlanFor) {
  const Written w(
      "[model]\nid = \"Qwen/Qwen2.5-7B-Instruct\"\nlayout = \"B\"\nusers = 8\ncontext = 32768\n");
  ASSERT_TRUE(w.read.faults.empty()) << w.fault();
  EXPECT_EQ(w.read.file.model, "Qwen/Qwen2.5-7B-Instruct");
  EXPECT_EQ(w.read.file.users, 8);
  EXPECT_EQ(w.read.file.context, 32768);
}

TEST(DeploymentFile, AllMistakesAreSaidEachAtItsPlace) {
  const Written w(
      "nam = \"x\"\nlisten = \"8000\"\n[model]\nid = 7\nreplicas = 65\n[restart]\nbackoff_s = "
      "[\"1\"]\n");
  ASSERT_EQ(w.read.faults.size(), 5U);
  EXPECT_EQ(w.fault(0), "there is no setting nam @ nam: did you mean name?");
  EXPECT_EQ(
      w.fault(1),
      "listen takes another kind of value @ \"8000\": an address and a port, as in 127.0.0.1:8000");
  EXPECT_EQ(w.fault(2), "model.id takes another kind of value @ 7: it takes text in quotes");
  EXPECT_EQ(
      w.fault(3),
      "model.replicas takes another kind of value @ 65: it takes a whole number from 1 to 64");
}

TEST(DeploymentFile, NothingToRunAndTooMuch) {
  EXPECT_EQ(Written("").fault(), "it says nothing to run @ : model.id or model.command is wanted");
  EXPECT_EQ(
      Written("[model]\nid = \"m\"\ncommand = \"vllm serve m\"\n").fault(),
      "model.id and model.command stand both there @ \"vllm serve m\": model.id or model.command "
      "is wanted");
  EXPECT_TRUE(Written("[model\n").fault().starts_with("the file is not TOML"));
  for (const char* name : {"", ".x", "a/b", "名"})
    EXPECT_FALSE(
        Written("name = \"" + std::string(name) + "\"\n[model]\nid=\"m\"\n").read.faults.empty())
        << name;
}

TEST(DeploymentFile, EveryKeyIsExplainedInTwoLanguages) {
  std::set<std::string_view> seen;
  for (const DeploymentKey& key : deployment_keys()) {
    EXPECT_TRUE(seen.insert(key.key).second) << key.key;
    EXPECT_FALSE(key.means.in(Language::English).empty());
    EXPECT_FALSE(key.means.in(Language::Chinese).empty());
  }
}

}  // namespace
}  // namespace sx
