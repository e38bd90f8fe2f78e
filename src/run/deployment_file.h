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
#include "run/image_command.h"

namespace sx {

// One model of the deployment: [model], or each [[model]].
struct ModelSettings {
  std::string id;                     // a model to plan for, or
  std::vector<std::string> command;   // the words of a launch; with {model} it starts `id`
  int replicas = 1;                   // of the command
  std::vector<int> weights;           // of its replicas: one for all, or one for each; empty: 1
  std::string layout;                 // label of the plan; empty: the best one
  std::vector<std::string> fallback;  // labels of the plan, in order; empty: as the plan says
  std::optional<std::int64_t> users, context;
  std::string goal, engine, version;  // version: of the engine; empty: the installed one
  std::string venv;                   // a Python environment with the engine in it
  std::vector<int> gpus;              // indices it may use; empty: all
  std::map<std::string, std::string> environment;  // on top of what is passed on
  ImageSettings image;                             // the container it runs in
};

// As it is written; what is not there has its built-in value.
struct DeploymentFile {
  std::string name = "default";
  std::string host = "127.0.0.1";
  int port = 8000;
  std::string key_file;
  std::map<std::string, std::string> keys;  // by name: the key, or "$VARIABLE" that holds it
  GatewayPolicy gateway;
  std::optional<bool> ladder;  // empty: where the layout has not worked here yet
  std::vector<ModelSettings> models;

  RestartPolicy restart;
  PatiencePolicy patience;
  LogPolicy log;

  // Where another name stands, and the model that it means.
  struct AliasPlace {
    std::string name;
    Span name_span, model_span;
  };
  std::vector<AliasPlace> alias_places;

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
  bool secret = false;  // its line holds keys or tokens, and is not to be shown
};

struct DeploymentRead {
  DeploymentFile file;
  std::vector<FileFault> faults;    // all of them; empty: `file` can be used
  std::vector<FileFault> warnings;  // what is better not done
};

DeploymentRead read_deployment_file(const Sources& sources, int source);

// The keys it knows, for help and the schema: "model.replicas", what it takes, what it means.
struct DeploymentKey {
  std::string_view key;
  // text, words, number, numbers, each (a number, or numbers), ratio, truth, table, seconds
  std::string_view takes;
  Text means;
  std::string_view otherwise;               // the built-in value as TOML; empty: none, or found out
  Text without{};                           // what holds where there is no such value: "no limit"
  std::vector<std::string_view> choices{};  // of a text; empty: any
  std::int64_t least = 0, most = 0;         // of numbers
};
const std::vector<DeploymentKey>& deployment_keys();

// The JSON schema of the file, for editors.
std::string deployment_schema();

}  // namespace sx
