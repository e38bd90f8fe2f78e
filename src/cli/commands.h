// The commands; each file reads as the story of its command. Every one returns the exit code.
#pragma once

#include "cli/arguments.h"
#include "gather/outside.h"

namespace sx {

// Exit codes of CLI.md.
inline constexpr int kDone = 0;
inline constexpr int kFindings = 1;
inline constexpr int kCouldNot = 2;
inline constexpr int kInterrupted = 130;

// What a command works with, besides its arguments.
struct Session {
  const Outside& outside;
  Output& output;
};

int check_command(const Arguments& arguments, Session& session);
int fix_command(const Arguments& arguments, Session& session);
int plan_command(const Arguments& arguments, Session& session);
int diagnose_command(const Arguments& arguments, Session& session);
int explain_command(const Arguments& arguments, Session& session);
int inspect_command(const Arguments& arguments, Session& session);
int learn_command(const Arguments& arguments, Session& session);
int host_command(const Arguments& arguments, Session& session);
int completion_command(const Arguments& arguments, Session& session);
int man_command(const Arguments& arguments, Session& session);
int up_command(const Arguments& arguments, Session& session);
int status_command(const Arguments& arguments, Session& session);
int logs_command(const Arguments& arguments, Session& session);
int restart_command(const Arguments& arguments, Session& session);
int reload_command(const Arguments& arguments, Session& session);
int config_command(const Arguments& arguments, Session& session);
int drain_command(const Arguments& arguments, Session& session);
int down_command(const Arguments& arguments, Session& session);
int smoke_command(const Arguments& arguments, Session& session);
int bench_command(const Arguments& arguments, Session& session);
int daemon_command(const Arguments& arguments, Session& session);
int route_command(const Arguments& arguments, Session& session);
int gateway_command(const Arguments& arguments, Session& session);
int keys_command(const Arguments& arguments, Session& session);
int version_command(const Arguments& arguments, Session& session);

// The whole program: reads argv, runs a command, returns the exit code. Nothing else ends the
// process.
int run_program(const std::vector<std::string>& argv);

}  // namespace sx
