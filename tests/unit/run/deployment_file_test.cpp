// sextant.toml: what is written is taken, what is wrong is underlined, nothing is guessed.
#include "run/deployment_file.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

#include "run/supervisor.h"

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
version = "0.11.0"
venv = "/opt/vllm"
gpus = [2, 3]
environment = { A = "b", C = "" }
[restart]
tries = 5
backoff_s = [1, 2]
stop_grace_s = 7
healed_s = 60
[patience]
stall_s = 900
stages_s = { load = 1800 }
warm_up_s = 10
drain_s = 20
[log]
file_mib = 2
files = 9
)");
  ASSERT_TRUE(w.read.faults.empty()) << w.fault();
  const DeploymentFile& file = w.read.file;
  EXPECT_EQ(file.name, "box");
  EXPECT_EQ(file.host, "0.0.0.0");
  EXPECT_EQ(file.port, 9000);
  EXPECT_EQ(file.ladder, true);
  ASSERT_EQ(file.models.size(), 1U);
  const ModelSettings& model = file.models.front();
  EXPECT_EQ(model.command, (std::vector<std::string>{"llama-server", "-m", "a b.gguf"}));
  EXPECT_EQ(model.replicas, 3);
  EXPECT_EQ(model.version, "0.11.0");
  EXPECT_EQ(model.venv, "/opt/vllm");
  EXPECT_EQ(model.gpus, (std::vector<int>{2, 3}));
  EXPECT_EQ(model.environment.at("A"), "b");
  using std::chrono::seconds;
  EXPECT_EQ(file.restart.tries, 5);
  EXPECT_EQ(file.restart.backoff.at(1), seconds(2));
  EXPECT_EQ(file.restart.stop_grace, seconds(7));
  EXPECT_EQ(file.restart.healed, seconds(60));
  EXPECT_EQ(file.patience.stall, seconds(900));
  EXPECT_EQ(file.patience.stages.at("load"), seconds(1800));
  EXPECT_EQ(file.patience.warm_up, seconds(10));
  EXPECT_EQ(file.patience.drain, seconds(20));
  EXPECT_EQ(file.log.file_bytes, 2 << 20);
  EXPECT_EQ(file.log.files, 9);
  EXPECT_EQ(file.settings.size(), 20U);
  EXPECT_EQ(w.sources.text(file.settings.at(1).span), "\"0.0.0.0:9000\"");
}

TEST(DeploymentFile, AModelToPlanFor) {
  const Written w(
      "[model]\nid = \"Qwen/Qwen2.5-7B-Instruct\"\nlayout = \"B\"\nusers = 8\ncontext = 32768\n"
      "fallback = [\"TP2\", \"TP1\"]\n");
  ASSERT_TRUE(w.read.faults.empty()) << w.fault();
  const ModelSettings& model = w.read.file.models.at(0);
  EXPECT_EQ(model.id, "Qwen/Qwen2.5-7B-Instruct");
  EXPECT_EQ(model.users, 8);
  EXPECT_EQ(model.context, 32768);
  EXPECT_EQ(model.fallback, (std::vector<std::string>{"TP2", "TP1"}));
}

TEST(DeploymentFile, SeveralModelsEachWithItsOwn) {
  const Written w(
      "[[model]]\nid = \"a\"\ngpus = [0]\n[[model]]\ncommand = [\"vllm\", \"serve\", \"b\"]\n"
      "replicas = 2\n[model.environment]\nX = \"1\"\n");
  ASSERT_TRUE(w.read.faults.empty()) << w.fault();
  ASSERT_EQ(w.read.file.models.size(), 2U);
  EXPECT_EQ(w.read.file.models[0].id, "a");
  EXPECT_EQ(w.read.file.models[1].replicas, 2);
  EXPECT_EQ(w.read.file.models[1].environment.at("X"), "1");
  EXPECT_EQ(w.read.file.settings.at(2).model, 1);
  EXPECT_EQ(Written("[[model]]\nid = \"a\"\n[[model]]\nusers = 3\n").fault(),
            "it says nothing to run @ [[model]]: model.id or model.command is wanted");
  EXPECT_EQ(Written("model = 3\n").fault(),
            "model does not take this value @ model: one table [model], or up to 16 of "
            "[[model]]");
  EXPECT_FALSE(Written("model = []\n").read.faults.empty());
}

TEST(DeploymentFile, WhatAPlanIsToldSaysNothingForACommand) {
  EXPECT_EQ(Written("[model]\ncommand = \"vllm serve m\"\nusers = 3\n").fault(),
            "model.users says nothing for a command @ 3: this model runs a command");
}

TEST(DeploymentFile, ChoicesAndStagesAreNamed) {
  EXPECT_EQ(Written("[model]\nid = \"m\"\ngoal = \"speed\"\n").fault(),
            "model.goal does not take this value @ \"speed\": it takes one of balanced, "
            "throughput, latency, context, safest");
  const std::string said =
      Written("[model]\nid = \"m\"\n[patience]\nstages_s = { lod = 3 }\n").fault();
  EXPECT_NE(said.find("stages are start"), std::string::npos) << said;
}

TEST(DeploymentFile, AnyKindOfValueForAnyKeyIsTakenOrRefusedWithWords) {
  for (const DeploymentKey& key : deployment_keys()) {
    int refused = 0;
    for (const char* value : {"3", "-1", "\"x\"", "\"\"", "true", "1.5", "[]", "[1]", "[\"a\"]",
                              "{}", "{ a = 1 }", "{ a = \"b\" }", "1979-05-27"}) {
      const Written w(std::string(key.key) + " = " + value + '\n');
      for (const FileFault& fault : w.read.faults) {
        EXPECT_FALSE(rendered(fault.title, Language::Chinese).empty());
        EXPECT_FALSE(rendered(fault.title, Language::English).empty());
        for (const Label& label : fault.labels) {
          refused += rendered(label.text, Language::English).empty() ? 0 : 1;
          EXPECT_FALSE(rendered(label.text, Language::Chinese).empty()) << key.key << value;
        }
      }
    }
    EXPECT_GT(refused, 5) << key.key;
  }
}

// A file that says what is built in is a file that says nothing.
TEST(DeploymentFile, WhatIsBuiltInIsWhatIsSaidToBe) {
  for (const DeploymentKey& key : deployment_keys()) {
    if (key.otherwise.empty() || key.key == "key_file") continue;
    const bool of_model = key.key.starts_with("model.");
    const std::string line = std::string(key.key) + " = " + std::string(key.otherwise) + '\n';
    const std::string model = "model.id = \"m\"\nmodel.image = \"a/b\"\n";
    const Written plain(model);
    const Written told((of_model ? model : "") + line + (of_model ? "" : model));
    ASSERT_TRUE(told.read.faults.empty()) << key.key << told.fault();
    const DeploymentFile& a = plain.read.file;
    DeploymentFile b = told.read.file;
    // Ours stand in run/supervisor.h, and are not written down for each deployment.
    const Patience ours;
    if (b.patience.stall == ours.start_stall) b.patience.stall.reset();
    if (b.patience.warm_up == ours.warm_up) b.patience.warm_up.reset();
    if (b.patience.drain == ours.drain) b.patience.drain.reset();
    EXPECT_TRUE(a.name == b.name && a.host == b.host && a.port == b.port &&
                a.restart == b.restart && a.log == b.log && a.patience == b.patience &&
                a.models.at(0).replicas == b.models.at(0).replicas &&
                a.models.at(0).image == b.models.at(0).image)
        << key.key;
  }
}

// One text that each kind of value is and one that it is not, by the schema; the reader agrees.
TEST(DeploymentFile, TheSchemaAndTheReaderKnowTheSame) {
  const auto schema = boost::json::parse(deployment_schema()).as_object();
  const auto& root = schema.at("properties").as_object();
  const auto& model =
      root.at("model").as_object().at("anyOf").as_array()[0].as_object().at("properties");
  std::size_t in_schema = 0;
  for (const auto& [name, value] : root) {
    const auto* below = value.as_object().if_contains("properties");
    in_schema += name == "model"    ? model.as_object().size()
                 : below != nullptr ? below->as_object().size()
                                    : 1;
  }
  EXPECT_EQ(in_schema, deployment_keys().size());
  for (const DeploymentKey& key : deployment_keys()) {
    const std::size_t dot = key.key.find('.');
    const boost::json::value* found = root.if_contains(key.key);
    if (dot != std::string_view::npos) {
      const std::string_view table = key.key.substr(0, dot);
      const auto& in = table == "model" ? model.as_object()
                                        : root.at(table).as_object().at("properties").as_object();
      found = in.if_contains(key.key.substr(dot + 1));
    }
    ASSERT_NE(found, nullptr) << key.key;
    const auto* most = found->as_object().if_contains("maximum");
    if (most == nullptr) continue;
    const auto written = [&](std::int64_t number) {
      const bool planned = key.key != "model.replicas";
      const std::string what =
          planned ? "model.id = \"m\"\nmodel.image = \"a/b\"\n" : "model.command = \"m\"\n";
      return Written(what + std::string(key.key) + " = " + std::to_string(number) + '\n');
    };
    const auto least = found->as_object().at("minimum").as_int64();
    EXPECT_TRUE(written(most->as_int64()).read.faults.empty()) << key.key;
    EXPECT_TRUE(written(least).read.faults.empty()) << key.key;
    EXPECT_FALSE(written(most->as_int64() + 1).read.faults.empty()) << key.key;
    EXPECT_FALSE(written(least - 1).read.faults.empty()) << key.key;
  }
}

TEST(DeploymentFile, AllMistakesAreSaidEachAtItsPlace) {
  const Written w(
      "nam = \"x\"\nlisten = \"8000\"\n[model]\nid = 7\nreplicas = 65\n[restart]\nbackoff_s = "
      "[\"1\"]\n");
  ASSERT_EQ(w.read.faults.size(), 5U);
  EXPECT_EQ(w.fault(0), "there is no setting nam @ nam: did you mean name?");
  EXPECT_EQ(
      w.fault(1),
      "listen does not take this value @ \"8000\": an address and a port, as in 127.0.0.1:8000");
  EXPECT_EQ(w.fault(2), "model.id does not take this value @ 7: it takes text in quotes");
  EXPECT_EQ(w.fault(3),
            "model.replicas does not take this value @ 65: it takes a whole number from 1 to 64");
}

// By letters `tls_key` is nearer to it.
TEST(DeploymentFile, TheBeginningOfASettingMeansIt) {
  const auto fault = [](const std::string& line) {
    return Written("[model]\nid = \"m\"\n[gateway]\n" + line + "\n").fault();
  };
  EXPECT_EQ(fault("tls_cert = \"x\""),
            "there is no setting gateway.tls_cert @ tls_cert: did you mean "
            "gateway.tls_certificate?");
  EXPECT_EQ(fault("tls_kee = \"x\""),
            "there is no setting gateway.tls_kee @ tls_kee: did you mean gateway.tls_key?");
}

// `config` shows the settings, and who asks for help copies them.
TEST(DeploymentFile, KeysAmongTheWordsOfACommandAreNotShown) {
  const auto shown = [](const std::string& command) {
    return Written("[model]\ncommand = " + command + "\n").read.file.settings.at(0).value;
  };
  EXPECT_EQ(
      shown("[\"vllm\", \"serve\", \"m\", \"--api-key\", \"sk-1\", \"sk-2\", \"--port\", \"1\"]"),
      "[\"vllm\", \"serve\", \"m\", \"--api-key\", \"…\", \"…\", \"--port\", \"1\"]");
  EXPECT_EQ(
      shown("[\"env\", \"VLLM_API_KEY=sk-1\", \"vllm\", \"serve\", \"m\", \"--api-key=sk-2\"]"),
      "[\"env\", \"VLLM_API_KEY=…\", \"vllm\", \"serve\", \"m\", \"--api-key=…\"]");
  EXPECT_EQ(shown("\"VLLM_API_KEY=sk-1 vllm serve m --api-key sk-2\"").find("sk-"),
            std::string::npos);
  EXPECT_EQ(shown("[\"llama-server\", \"--api-key-file\", \"keys\"]"),
            "[\"llama-server\", \"--api-key-file\", \"keys\"]");
}

TEST(DeploymentFile, ARatioIsANumberFromZeroToOne) {
  const auto written = [](const std::string& ratio) {
    return Written("gateway.otlp_sample = " + ratio + "\n[model]\nid = \"m\"\n");
  };
  EXPECT_FALSE(Written("[model]\nid = \"m\"\n").read.file.gateway.otlp_sample);
  EXPECT_EQ(written("0.25").read.file.gateway.otlp_sample, 0.25);
  EXPECT_EQ(written("1").read.file.gateway.otlp_sample, 1.0);
  EXPECT_EQ(written("0").read.file.gateway.otlp_sample, 0.0);
  EXPECT_EQ(written("1.5").fault(),
            "gateway.otlp_sample does not take this value @ 1.5: it takes a number from 0 to 1");
  for (const char* wrong : {"-0.1", "2", "nan", "inf", "\"0.5\"", "true"})
    EXPECT_EQ(written(wrong).read.faults.size(), 1U) << wrong;
}

TEST(DeploymentFile, OneFileOfTlsWantsTheOther) {
  const auto fault = [](const std::string& lines) {
    return Written("[model]\nid = \"m\"\n[gateway]\n" + lines + "\n");
  };
  EXPECT_EQ(fault("tls_key = \"k.pem\"").fault(),
            "gateway.tls_key stands there without gateway.tls_certificate @ \"k.pem\": TLS needs "
            "both files: the certificate and its key");
  EXPECT_EQ(fault("tls_certificate = \"c.pem\"\ntls_key = \"\"").fault(),
            "gateway.tls_certificate stands there without gateway.tls_key @ \"c.pem\": TLS needs "
            "both files: the certificate and its key");
  EXPECT_TRUE(fault("tls_certificate = \"c\"\ntls_key = \"k\"").read.faults.empty());
  EXPECT_TRUE(fault("tls_certificate = \"\"\ntls_key = \"\"").read.faults.empty());
}

TEST(DeploymentFile, ACollectorThatNobodyReachesIsSaidAtItsPlace) {
  const auto written = [](const std::string& url) {
    return Written("gateway.otlp_endpoint = \"" + url + "\"\n[model]\nid = \"m\"\n");
  };
  for (const char* good : {"", "http://127.0.0.1:4318", "https://[::1]:4318/v1/traces", "http://a",
                           "http://a:1?key=x", "http://a:65535/"})
    EXPECT_TRUE(written(good).read.faults.empty()) << good;
  EXPECT_EQ(written("http://127.0.0.1:99999").fault(),
            "gateway.otlp_endpoint does not take this value @ \"http://127.0.0.1:99999\": 99999 in "
            "http://127.0.0.1:99999 is no port: it takes 1 to 65535");
  EXPECT_EQ(written("grpc://a:4317").fault(),
            "gateway.otlp_endpoint does not take this value @ \"grpc://a:4317\": traces go to "
            "http://HOST:PORT or https://HOST:PORT, not to grpc://a:4317");
  for (const char* wrong :
       {"a:4318", "http://", "http://:4318", "http://a:", "http://a:0", "http://a:+1",
        "http://a:43 18", "http://a:1:2", "http://[::1:4318", "http://[]:1", "http://u:p@a:1",
        "ftp://a:1", "http:/a:1", "http://模型:1", "http://a:1/\xc3\xa9", "http://a:1/\\u007f"})
    EXPECT_EQ(written(wrong).read.faults.size(), 1U) << wrong;
  EXPECT_FALSE(written("http://a:0").read.faults.front().secret);
  EXPECT_TRUE(written("http://u:sk-1@a:1").read.faults.front().secret) << "its line is not shown";
}

TEST(DeploymentFile, NothingToRunAndTooMuch) {
  EXPECT_EQ(Written("").fault(), "it says nothing to run @ : model.id or model.command is wanted");
  EXPECT_EQ(
      Written("[model]\nid = \"m\"\ncommand = \"vllm serve m\"\n").fault(),
      "model.id and model.command stand both there @ \"vllm serve m\": a command for it says where "
      "it goes: {model}");
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

// Whatever takes them ends a text at the NUL, and a name of a variable at the '='.
TEST(DeploymentFile, WhatTheSystemWouldCutIsRefused) {
  const std::string model = "[model]\ncommand = [\"llama-server\", \"-m\", \"a\"]\n";
  for (const std::string& text :
       {std::string("[model]\ncommand = [\"llama-server\", \"a\\u0000b\"]\n"),
        model + "environment = { A = \"a\\u0000b\" }\n",
        model + "environment = { \"A\\u0000\" = \"b\" }\n", model + "venv = \"/a\\u0000\"\n",
        "key_file = \"a\\u0000b\"\n" + model}) {
    const Written w(text);
    ASSERT_EQ(w.read.faults.size(), 1U) << text;
    EXPECT_TRUE(w.fault().ends_with("a NUL character can stand in no word, variable or path"))
        << w.fault();
  }
  for (const char* name : {"\"A=B\"", "\"\""}) {
    const Written w(model + "environment = { " + name + " = \"b\" }\n");
    ASSERT_EQ(w.read.faults.size(), 1U) << name;
    EXPECT_TRUE(w.fault().starts_with("model.environment does not take this value")) << w.fault();
  }
}

TEST(DeploymentFile, ASettingThatIsNoneIsToldWhatCanStandThere) {
  const std::string model = "[model]\nid = \"m\"\n";
  EXPECT_TRUE(
      Written("port = 1\n" + model)
          .fault()
          .starts_with("there is no setting port @ port: what can stand here: name, listen, "))
      << Written("port = 1\n" + model).fault();
  EXPECT_EQ(
      Written(model + "[restart]\nzzz = 1\n").fault(),
      "there is no setting restart.zzz @ zzz: what can stand here: tries, backoff_s, healed_s, "
      "stop_grace_s");
  EXPECT_TRUE(Written(model + "tpp = 3\n").fault().find("what can stand here: id, command") !=
              std::string::npos)
      << Written(model + "tpp = 3\n").fault();
  EXPECT_EQ(Written(model + "replicsa = 3\n").fault(),
            "there is no setting model.replicsa @ replicsa: did you mean model.replicas?");
}

// docker reads the words before anybody sees what it made of them.
TEST(DeploymentFile, ContainerOptionsThatWouldBreakItAreRefusedAtTheirPlace) {
  const auto fault = [](const std::string& options, const std::string& more = "") {
    const Written w("[model]\nid = \"m\"\nimage = \"vllm/vllm-openai:v0.11.0\"\n" + more +
                    "container_options = " + options + "\n");
    return w.read.faults.empty() ? std::string("good") : w.fault();
  };
  EXPECT_EQ(fault("[\"--ulimit\", \"memlock=-1\", \"--ulimit\"]"),
            "--ulimit of docker needs a value @ \"--ulimit\": it would take what stands behind it, "
            "in the end the image");
  EXPECT_EQ(fault("[\"--name\"]"),
            "--name cannot stand among the container options @ \"--name\": each replica has a name "
            "of its own, by which it is found again");
  EXPECT_EQ(
      fault("[\"--init\", \"memlock=-1\"]"),
      "memlock=-1 is no option and no value of one @ \"memlock=-1\": docker would take it for "
      "the image, in place of vllm/vllm-openai:v0.11.0");
  EXPECT_EQ(fault("[\"--ulimt\", \"memlock=-1\"]"),
            "docker run has no option --ulimt @ \"--ulimt\": did you mean --ulimit?");
  EXPECT_EQ(fault("[\"--init\", \"--\"]"),
            "behind -- no option can stand @ \"--\": others are put there: it has to go");
  EXPECT_EQ(fault("\"--init --network none\""),
            "--network cannot stand among the container options @ \"--init --network none\": "
            "without a network nobody reaches its port");
  for (const char* ours :
       {"[\"--rm\"]", "[\"-d\"]", "[\"-it\"]", "[\"-p\", \"1:1\"]", "[\"-P\"]", "[\"--gpus=all\"]",
        "[\"--restart=always\"]", "[\"--net=host\"]", "[\"--entrypoint\", \"sh\"]",
        "[\"--shm-size\", \"1g\"]", "[\"--name=x\"]", "[\"--network\", \"container:a\"]"})
    EXPECT_NE(fault(ours).find(" cannot stand among the container options"), std::string::npos)
        << ours;
  for (const char* good : {"[\"--init\"]", "[\"--network\", \"llm\"]", "[\"--ipc=private\"]",
                           "[\"-v\", \"/a:/a\", \"--cap-add=SYS_NICE\"]",
                           "\"--ulimit memlock=-1 --ulimit stack=67108864\""})
    EXPECT_EQ(fault(good), "good") << good;
  EXPECT_EQ(
      fault("[\"--network\", \"llm\"]", "network = \"host\"\n"),
      "--network cannot stand among the container options @ \"--network\": model.network says "
      "it: \"host\" or \"published\"");
}

TEST(DeploymentFile, AContainerIsTakenWithWhatItSees) {
  const Written w(
      "[model]\nid = \"m\"\nimage = \"vllm/vllm-openai:v0.11.0\"\ncontainer = \"podman\"\n"
      "mounts = [\"/data/models:/models:ro\", \"~/x:/x\"]\nshm_gib = 16\nnetwork = \"host\"\n"
      "container_options = [\"--ulimit\", \"memlock=-1\"]\n");
  ASSERT_TRUE(w.read.faults.empty()) << w.fault();
  const ImageSettings wanted{.image = "vllm/vllm-openai:v0.11.0",
                             .program = "podman",
                             .mounts = {"/data/models:/models:ro", "~/x:/x"},
                             .shm_gib = 16,
                             .host_network = true,
                             .options = {"--ulimit", "memlock=-1"}};
  EXPECT_EQ(w.read.file.models.at(0).image, wanted);
}

TEST(DeploymentFile, WhatIsNoContainerIsUnderlined) {
  const std::string model = "[model]\nid = \"m\"\n";
  EXPECT_EQ(Written(model + "image = \"-v /:/x y\"\n").fault(),
            "model.image does not take this value @ \"-v /:/x y\": an image as docker and podman "
            "name it: vllm/vllm-openai:v0.11.0");
  EXPECT_EQ(Written(model + "image = \"a/b\"\nmounts = [\"/data\"]\n").fault(),
            "model.mounts does not take this value @ [\"/data\"]: a list of folders as docker "
            "writes them: [\"/data/models:/models:ro\"]");
  EXPECT_EQ(Written(model + "shm_gib = 3\n").fault(),
            "model.shm_gib says nothing without model.image @ 3: it does not run in a container");
  EXPECT_EQ(Written(model + "image = \"a/b\"\nvenv = \"/v\"\n").fault(),
            "model.venv says nothing for a container @ \"/v\": the image has the engine in it");
}

TEST(DeploymentFile, ACommandHasPlacesForWhatAReplicaIsGiven) {
  const Written w(
      "[model]\nid = \"m\"\ncommand = [\"vllm\", \"serve\", \"{model}\", \"--port={port}\"]\n");
  ASSERT_TRUE(w.read.faults.empty()) << w.fault();
  EXPECT_EQ(w.read.file.models.at(0).id, "m");
  EXPECT_EQ(Written("[model]\ncommand = [\"vllm\", \"serve\", \"{modle}\"]\n").fault(),
            "{modle} stands for nothing @ \"{modle}\": did you mean {model}?");
  EXPECT_EQ(Written("[model]\ncommand = \"vllm serve m --seed {zzzzzz}\"\n").fault(),
            "{zzzzzz} stands for nothing @ \"vllm serve m --seed {zzzzzz}\": what a command may "
            "have: {model} {host} {port} {gpus} {replica}");
  EXPECT_EQ(Written("[model]\ncommand = \"vllm serve {model}\"\n").fault(),
            "the command asks for a model, and none is named @ \"vllm serve {model}\": model.id is "
            "what {model} stands for");
  EXPECT_EQ(Written("[model]\nid = \"m\"\nusers = 3\ncommand = \"vllm serve {model}\"\n").fault(),
            "model.users says nothing for a command @ 3: this model runs a command");
}

// A file is copied, shown and committed, and what stands in it too.
TEST(DeploymentFile, SecretsInTheFileAreWarnedOfAndNotShown) {
  const std::string model = "[model]\nid = \"m\"\n";
  const std::string key = "0123456789abcdef";
  const Written w("keys = { alice = \"" + key + "\", bob = \"$BOB\" }\n" + model +
                  "environment = { HF_TOKEN = \"hf_" + key + "\", NCCL_DEBUG = \"INFO\" }\n");
  ASSERT_TRUE(w.read.faults.empty()) << w.fault();
  EXPECT_EQ(w.read.file.keys.at("bob"), "$BOB");
  ASSERT_EQ(w.read.warnings.size(), 2U);
  EXPECT_EQ(rendered(w.read.warnings[0].title, Language::English),
            "the key of alice stands in the file itself");
  EXPECT_EQ(rendered(w.read.warnings[1].title, Language::English),
            "the value of HF_TOKEN stands in the file itself");
  for (const auto& setting : w.read.file.settings)
    EXPECT_EQ(setting.value.find(key), std::string::npos) << setting.value;
  EXPECT_EQ(w.read.file.settings[0].value, "{ alice = \"…\", bob = \"$BOB\" }");
  EXPECT_TRUE(Written("keys = { bob = \"$BOB\" }\n" + model).read.warnings.empty());
  for (const char* wrong : {"{ alice = \"short\" }", "{}", "{ \"a b\" = \"$A\" }", "{ a = \"$\" }",
                            "{ a = \"0123456789 abcdef\" }"}) {
    const Written bad("keys = " + std::string(wrong) + '\n' + model);
    ASSERT_EQ(bad.read.faults.size(), 1U) << wrong;
    EXPECT_TRUE(bad.read.faults[0].secret);
  }
  EXPECT_EQ(Written("keys = { a = \"$A\" }\nkey_file = \"f\"\n" + model).read.faults.size(), 1U);
}

}  // namespace
}  // namespace sx
