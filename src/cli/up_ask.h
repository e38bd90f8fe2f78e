// What `up` was asked to run, made into a deployment: from a command, a deployment file or a plan.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "run/deployment.h"

namespace sx {

struct UpAsk {
  std::string name = "default";
  std::string host = "127.0.0.1";
  int port = 8000;
  int replicas = 1;
  bool ladder = false;
  std::string wanted;                              // label or name of a plan; empty: the first
  std::map<std::string, std::string> environment;  // of the engine, on top of what is passed on
  RestartPolicy restart;
  LogPolicy log;
  std::string key_file;
};

struct UpMade {
  Deployment deployment;
  std::vector<std::vector<std::string>> commands;  // of the layout to serve, as they will be
                                                   // started: what `check` looks at
};

// N replicas of one command.
Result<UpMade> deployment_of_command(const std::vector<std::string>& command, const UpAsk& ask,
                                     const Outside& outside);
// Of JSON sextant.plan/1: the wanted plan first, then those that need fewer GPUs a replica.
Result<UpMade> deployment_of_plan(std::string_view json, const UpAsk& ask, const Outside& outside);

}  // namespace sx
