// What may be planned: the question, one way to serve the model, and why others are out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/run_rules.h"
#include "engines/engine.h"
#include "fit/budget.h"
#include "fit/throughput.h"

namespace sx {

enum class Goal { Balanced, Throughput, Latency, Context, Safest };

struct PlanAsk {
  const ModelSpec* model = nullptr;
  const HostSpec* host = nullptr;  // the machine as given
  Sources* sources = nullptr;      // texts that commands are made of are added here
  std::string model_word;          // as the user named it; goes into the commands
  std::vector<std::pair<const Engine*, Version>> engines;  // those asked for, preferred first
  int gpus = 0;                                            // use at most so many; 0: all there are
  Workload load;
  Tokens context;  // longest request; 0: what the load needs, at least
  bool context_asked = false;
  Goal goal = Goal::Balanced;
  bool fp8_cache = false;  // --kv-dtype fp8; false: the checkpoint's own
  bool all = false;        // also layouts beaten everywhere
  // Another model by catalogue id, for siblings in fewer bits.
  std::function<const ModelSpec*(const std::string& id)> find_model;
};

// One way to serve the model.
struct Plan {
  std::string label;  // "TP2 x PP3", "3 x TP2", "TP4"
  std::string named;  // "A", "B", "C" of six GPUs; empty otherwise
  const Engine* engine = nullptr;
  Version version;
  std::string model;  // differs from the question's for a sibling in fewer bits
  bool fits = true;
  Layout layout;                       // `data` counts replicas
  std::vector<int> stages;             // layers
  std::vector<std::vector<int>> gpus;  // GPU indices, one group a stage, replica after replica
  std::vector<int> idle;               // GPU indices left free
  Budget budget;                       // of one replica: the tightest one
  Tokens kv_tokens;                    // of one replica, as the engine prints it
  double max_concurrency = 0;          // requests of `context` at once, all replicas together
  Tokens max_context;                  // the longest request that fits
  std::optional<Speed> speed;
  Message no_speed;  // why there is none
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> commands;    // one a process to start; each is complete in itself
  std::vector<Diagnostic> diagnostics;  // what the checker says of the command: no errors
  std::vector<Message> notes;           // "two GPUs stay free: …", "the stages' layers were …"
};

// A candidate that is out: the first rule it breaks, and the smallest change that clears it.
struct Rejected {
  std::string label;
  const Engine* engine = nullptr;
  Layout layout;
  std::string code, name;  // of a rule
  Message why;
  Message nearest_fix;  // empty: nothing small does
};

struct PlanAnswer {
  std::vector<Plan> plans;  // best first by the goal
  std::vector<Rejected> rejected;
  std::vector<Message> advice;  // "fewer GPUs are better here: …"
  Message nothing;              // why there is no plan at all, and what would do
  int candidates = 0;
};

PlanAnswer make_plans(const PlanAsk& ask);

}  // namespace sx
