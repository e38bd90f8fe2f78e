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

// As it is written; what is not there has its built-in value.
struct DeploymentFile {
  std::string name = "default";
  std::string host = "127.0.0.1";
  int port = 8000;
  std::string key_file;

  std::string model;                 // a model to plan for, or
  std::vector<std::string> command;  // the words of a launch
  int replicas = 1;                  // of the command
  std::string layout;                // label of the plan; empty: the best one
  std::optional<std::int64_t> users, context;
  std::string goal, engine;
  std::map<std::string, std::string> environment;  // on top of what is passed on
  bool ladder = false;

  RestartPolicy restart;
  LogPolicy log;

  struct Setting {
    std::string key;  // "model.replicas"
    std::string value;
    Span span;
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
  std::string_view takes;  // text, words, number, truth, table, numbers
  Text means;
};
const std::vector<DeploymentKey>& deployment_keys();

}  // namespace sx
