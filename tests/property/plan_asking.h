// A model and a machine by their names, gathered as the program gathers them, asked of the planner
// and of the checker.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "check/run_rules.h"
#include "gather/gather_case.h"
#include "plan/plan.h"
#include "rules/all.h"
#include "sys/files.h"

namespace sx::testing {

inline constexpr const char* kScript = "/home/user/serve.sh";

// What is typed after `--on` and `--topology`.
struct Machine {
  std::string name;
  std::string topology;  // text of nvidia-smi topo -m; empty: not known
};

// Nothing is found when the name is not known.
inline std::unique_ptr<GatheredCases> gathered(const Machine& machine, CommandAsk command,
                                               const std::string& script = {}) {
  MemoryFiles files;
  HostAsk host{.on = machine.name};
  if (!machine.topology.empty()) {
    files.add("/home/user/topo.txt", machine.topology);
    host.topology = "/home/user/topo.txt";
  }
  if (!script.empty()) {
    files.add(kScript, script + '\n');
    command.file = kScript;
  }
  Outside outside;
  outside.files = &files;
  outside.folder = "/home/user";
  outside.nvml = [] {
    return Result<NvmlAnswer>(fail(Error::Kind::Absent, "no driver", "没有驱动"));
  };
  auto cases = gather_cases(command, host, outside);
  return cases ? std::move(*cases) : nullptr;
}

inline std::set<std::string> errors_of(const Case& c) {
  std::set<std::string> codes;
  for (const Diagnostic& d : run_rules(rules::all(), c).diagnostics) {
    if (d.severity == Severity::Error) codes.insert(std::string(d.code));
  }
  return codes;
}

// The codes of the errors that `check` says of a pasted command; "unread" when it is no launch.
inline std::set<std::string> errors_of_text(const Machine& machine, const std::string& text) {
  const auto cases = gathered(machine, {}, text);
  if (!cases || cases->cases.size() != 1) return {"unread"};
  return errors_of(cases->cases.front());
}

struct PlanQuestion {
  std::unique_ptr<GatheredCases> cases;
  PlanAsk ask;

  PlanQuestion(const std::string& model, const Machine& machine)
      : cases(gathered(machine, {.argv = {"vllm", "serve", model},
                                 .file = {},
                                 .pid = {},
                                 .engine_version = {},
                                 .without_learned = true})) {
    ask.launches = {&cases->cases.front()};
    ask.load = {.users = 4, .input = Tokens{512}, .output = Tokens{128}};
    ask.context = Tokens{2048};
    if (const auto& most = bare().model().max_positions; most.known())
      ask.context = std::min(ask.context, most.value());
    ask.load.input = std::min(ask.load.input, Tokens{ask.context.count() / 2});
    ask.load.output = std::min(ask.load.output, Tokens{ask.context.count() / 4});
    ask.all = true;
  }
  const Case& bare() const { return *ask.launches.front(); }
  PlanAnswer answer() const { return make_plans(ask); }
};

}  // namespace sx::testing
