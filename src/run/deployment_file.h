// sextant.toml: what a person wants to run, read with the place of every mistake.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "diag/diagnostic.h"
#include "run/deployment.h"

namespace sx {

// One model of the deployment: [model], or each [[model]].
struct ModelSettings {
  std::string id;                     // a model to plan for, or
  std::vector<std::string> command;   // the words of a launch
  int replicas = 1;                   // of the command
  std::string layout;                 // label of the plan; empty: the best one
  std::vector<std::string> fallback;  // labels of the plan, in order; empty: as the plan says
  std::optional<std::int64_t> users, context;
  std::string goal, engine, version;  // version: of the engine; empty: the installed one
  std::string venv;                   // a Python environment with the engine in it
  std::vector<int> gpus;              // indices it may use; empty: all
  std::map<std::string, std::string> environment;  // on top of what is passed on
};

// As it is written; what is not there has its built-in value.
struct DeploymentFile {
  std::string name = "default";
  std::string host = "127.0.0.1";
  int port = 8000;
  std::string key_file;
  GatewayPolicy gateway;
  std::optional<bool> ladder;  // empty: where the layout has not worked here yet
  std::vector<ModelSettings> models;

  RestartPolicy restart;
  PatiencePolicy patience;
  LogPolicy log;

  struct Setting {
    std::string key;  // "model.replicas"
    std::string value;
    Span span;
    int model = -1;  // which [[model]], from 0; -1: of the whole deployment
  };
  std::vector<Setting> settings;  // those that are written, for `config --origin`
};

struct FileFault {
  Message title;
  std::vector<Label> labels;
};

struct DeploymentRead {
  DeploymentFile file;
  std::vector<FileFault> faults;  // all of them; empty: `file` can be used
};

DeploymentRead read_deployment_file(const Sources& sources, int source);

// The keys it knows, for help and the schema: "model.replicas", what it takes, what it means.
struct DeploymentKey {
  std::string_view key;
  std::string_view takes;  // text, words, number, numbers, truth, table, seconds
  Text means;
  std::string_view otherwise;               // the built-in value as TOML; empty: none, or found out
  std::vector<std::string_view> choices{};  // of a text; empty: any
  std::int64_t least = 0, most = 0;         // of numbers
};
const std::vector<DeploymentKey>& deployment_keys();

// The JSON schema of the file, for editors.
std::string deployment_schema();

}  // namespace sx
