// What may be planned: the question, one way to serve the model, and why others are out.
#pragma once

#include <memory>
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
  // The bare launch of each engine asked for ("vllm serve MODEL"), preferred first: model, machine
  // and version are theirs. Owned by whoever gathered them.
  std::vector<const Case*> launches;
  int gpus = 0;  // use at most so many; 0: all there are
  Workload load;
  Tokens context;  // longest request; 0: as long as fits, and at least what the load needs
  Goal goal = Goal::Balanced;
  bool fp8_cache = false;  // --kv-dtype fp8; false: the checkpoint's own
  bool all = false;        // also layouts beaten everywhere

  bool context_asked() const { return context > Tokens{0}; }
  // What a plan must hold at least.
  Tokens needed() const { return context_asked() ? context : load.input + load.output; }
};

// A part of a model of unlike parts.
struct PlanPart {
  Text name;
  Bytes bytes;            // on each of its GPUs; the largest where they differ
  std::vector<int> gpus;  // of all replicas
  bool cut = false;       // each GPU holds some of it; false: all of it
};

// One way to serve the model.
struct Plan {
  std::string label;  // "TP2 x PP3", "3 x TP2", "TP4"
  Both shown;         // the label for people: "layers over 2 GPUs" where layers are shared out
  std::string named;  // "A", "B", "C" of six GPUs; empty otherwise
  const Engine* engine = nullptr;
  Version version;
  std::string model;  // differs from the question's for a sibling in fewer bits
  bool fits = true;
  Message why_not;           // of a named plan that does not fit: the first rule it breaks
  std::string why_code;      // and that rule's code
  Layout layout;             // `data` counts replicas and data-parallel ranks
  int attention_groups = 1;  // of requests, each with a pool of its own, in one launch
  bool small_cache = false;  // KV cache in 8 bits, as it has too little room in 16
  int replicas = 1;          // launches beside one another, each on its own GPUs
  std::vector<int> stages;   // layers
  std::vector<std::vector<int>> gpus;  // GPU indices, one group a stage, replica after replica
  std::vector<int> idle;               // GPU indices left free
  // The memory of one replica, the tightest one, counted by position in it, and the machine's GPUs
  // at these positions. Shared with all plans of the same sizes: of 64 GPUs there are hundreds.
  std::shared_ptr<const Budget> ledger;
  std::vector<int> ledger_gpus;
  Tokens kv_tokens;  // of one replica, as the engine prints it; of one group of requests there
  double max_concurrency = 0;  // requests of the longest length at once, all replicas
  Tokens max_context;          // the longest request that fits
  bool doubtful = false;       // memory is enough by best estimate only
  double cost = 0;             // by the goal; smaller is better
  std::optional<Speed> speed;  // of the load
  std::optional<Speed> alone;  // of one user
  Message no_speed;            // why there is none
  std::vector<std::pair<std::string, std::string>> environment;  // that all processes share
  std::vector<std::string> commands;    // one a process to start; each is complete in itself
  std::vector<Diagnostic> diagnostics;  // what the checker says of the command: no errors
  std::vector<PlanPart> parts;          // of a model of unlike parts; empty: it has one
  std::vector<Message> notes;           // "two GPUs stay free: …", "the stages' layers were …"

  const Budget& budget() const;     // empty where none was worked out
  Budget budget_by_number() const;  // the same with the machine's own numbers of the GPUs
};

// A candidate that is out: the first rule it breaks, and the smallest change that clears it.
struct Rejected {
  std::string label;
  Both shown;  // for people
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
  bool memory_unknown = false;  // then nothing is known to fit, and nothing not to
  int candidates = 0;
  int fitting = 0;  // layouts that fit, shown or not

  bool any_fits() const;
};

PlanAnswer make_plans(const PlanAsk& ask);

}  // namespace sx
