// What `up` was asked to run, made into a deployment: from a command, a deployment file or a plan.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "run/deployment.h"
#include "run/image_command.h"
#include "sys/port_claim.h"

namespace sx {

struct UpAsk {
  std::string name = "default";
  std::string host = "127.0.0.1";
  int port = 8000;
  int replicas = 1;
  bool ladder = false;                // also where the layout worked here before
  bool rungs = true;                  // that lead up to the layout of a plan are made at all
  std::string wanted;                 // label or name of a plan; empty: the first
  std::vector<std::string> fallback;  // labels of what stands in for it; empty: all
  std::string version;                // of the engine; empty: found out
  std::vector<int> gpus;              // the only ones it may use; empty: all
  int first_gpu = 0;                  // those below are another model's
  std::vector<int> taken_ports;       // by other replicas
  PortClaims* claims = nullptr;       // hold what is chosen until the daemon does; null: nothing
  std::map<std::string, std::string> environment;  // of the engine, on top of what is passed on
  std::string model;                               // what {model} of a command stands for
  ImageSettings image;                             // the container it runs in
  bool hands_in_gpus = false;                      // to that container
  DeploymentOrigin origin;                         // with what is passed on
  RestartPolicy restart;
  PatiencePolicy patience;
  LogPolicy log;
  std::string key_file;
  std::map<std::string, std::string>
      keys;  // by name, to be put into `key_file`; empty: it is there
  GatewayPolicy gateway;
  std::vector<Error> notes;  // what is to be said before it begins
};

struct UpMade {
  Deployment deployment;
  std::vector<std::vector<std::string>> commands;  // of the layout to serve, as they will be
                                                   // started: what `check` looks at
  // Of each rung, where nobody has yet looked at whether it can work.
  std::vector<std::vector<std::string>> rung_commands = {};
  std::vector<Message> remarks = {};  // what of the commands is left out
};

// Several models behind one address: every way to step down with one of them at a time.
Result<UpMade> joined(std::vector<UpMade> parts);
// Replicas that are launched as they run already keep their ports.
void keep_ports(Deployment& made, const std::vector<EngineLaunch>& running);

// N replicas of one command.
Result<UpMade> deployment_of_command(const std::vector<std::string>& command, const UpAsk& ask,
                                     const Outside& outside);
// Of JSON sextant.plan/1: the wanted plan first, then those that need fewer GPUs a replica.
Result<UpMade> deployment_of_plan(std::string_view json, const UpAsk& ask, const Outside& outside);

}  // namespace sx
