// What the commands for running deployments share: the deployment's folder, its daemon's answers,
// and the lines about its replicas.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "run/state_folder.h"

namespace sx {

// Exit codes of CLI.md for deployments.
inline constexpr int kNotServing = 3;
inline constexpr int kNoDeployment = 4;

struct DaemonAnswer {
  int status = 0;
  boost::json::object body;
};

// One question to the deployment's daemon. Absent: none runs; any other error: one does, and did
// not answer or said no.
Result<DaemonAnswer> ask_daemon(const StateFolder& folder, const std::string& method,
                                const std::string& target);
bool none_runs(const Result<DaemonAnswer>& answer);

// Where none runs: what to say, with the deployments that do run, and the exit code.
struct Nobody {
  Message message;
  int exit_code = kNoDeployment;
};
Nobody nobody_there(const StateFolder& folder, const Environment& environment,
                    const std::string& name);

// "default", or the word that names one.
std::string deployment_name(const Arguments& arguments);

// What names it in a command: " --name chat", nothing for the default one.
std::string name_flag_of(const std::string& name);

// What something took: "0.004", "2.31", "120.0".
std::string seconds_taken(std::chrono::milliseconds time);

// A line of a replica: "replica 0  ready      4.2 s  port 18100  GPU 0, 1".
std::string replica_line(const boost::json::object& replica, Language language);
// Of a replica's cause: its title in the language where it has one, else its name.
std::string cause_title(const boost::json::object& cause, Language language);
// The whole answer of `status` for people.
std::string status_page(const boost::json::object& status, Language language);
// Of a replica and of a deployment, for people: "starting", "启动中".
std::string state_name(std::string_view word, Language language);
std::string deployment_state(std::string_view word, Language language);
// 0 where there is no such number.
std::int64_t number_in(const boost::json::object& object, std::string_view name);
// Why a replica changed its state: a word of the journal, or the name of a cause.
std::string reason_name(std::string_view word, Language language);
// "serving" …
std::string state_of(const boost::json::object& status);

}  // namespace sx
