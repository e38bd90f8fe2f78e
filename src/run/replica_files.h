// What lies in the folder of one replica, and the records that the daemon and the replica's keeper
// leave each other there. They outlive both.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/deployment.h"
#include "run/oom_watch.h"
#include "run/supervisor.h"
#include "sys/process_identity.h"

namespace sx {

// spec.json: what the keeper is to start. For this user's eyes alone: it holds the environment.
struct KeeperSpec {
  Attempt of;
  std::string mark;  // value of kMarkVariable in the engine's environment; of this start alone
  EngineLaunch launch;
  LogPolicy log;
  std::string group;  // control group to be made for it (sys/control_group.h); empty: none may be
};

// The keeper finds a pipe there and tells who runs.
inline constexpr int kKeeperReports = 3;

// Every process of a replica carries it, also those that left its session.
inline constexpr const char* kMarkVariable = "SEXTANT_REPLICA";

// keeper.json: who runs.
struct KeeperRecord {
  Attempt of;
  std::string mark;
  ProcessIdentity keeper, engine;
  std::string group;                    // that holds all of it; empty: none does
  std::vector<ProcessIdentity> family;  // seen last of what came of the engine, where no group does
};

// exit.json: how the engine ended.
struct ExitRecord {
  Attempt of;
  std::optional<int> code, signal;
  bool asked = false;   // somebody wanted it to end
  bool killed = false;  // it did not end by itself in time
  int swept = 0;        // processes that it had left behind, ended with it
  std::string error;    // it could not be started; then neither code nor signal
  std::string error_chinese;
  bool absent = false;  // because there is no such program
  OomKills oom_kills;   // processes that the kernel ended for lack of memory while it ran
};

struct ReplicaFiles {
  explicit ReplicaFiles(std::string in) : folder(std::move(in)) {}
  std::string folder;
  std::string spec() const { return folder + "/spec.json"; }
  std::string keeper() const { return folder + "/keeper.json"; }
  std::string ending() const { return folder + "/exit.json"; }
  std::string socket() const { return folder + "/keeper.sock"; }
  std::string log() const { return folder + "/engine.log"; }
};

std::string spec_json(const KeeperSpec& spec);
Result<KeeperSpec> read_spec(std::string_view json);
std::string record_json(const KeeperRecord& record);
Result<KeeperRecord> read_record(std::string_view json);
std::string exit_json(const ExitRecord& record);
Result<ExitRecord> read_exit(std::string_view json);

}  // namespace sx
