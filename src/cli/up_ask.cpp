// Ports are chosen here, once, so that replicas keep theirs over restarts.
#include "cli/up_ask.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "cli/up_rungs.h"
#include "gather/gather_command.h"
#include "run/container_launch.h"
#include "run/engine_launch.h"
#include "run/free_ports.h"
#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostPlans = 10'000;
constexpr std::size_t kMostFallbacks = 8;
constexpr RecordName kPlan{"the plan", "方案"};

Result<Launch> launch_of(const std::vector<std::string>& command, Sources& sources,
                         const UpAsk& ask, const Outside& outside) {
  CommandAsk question{.argv = command};
  if (!ask.version.empty()) question.engine_version = ask.version;
  SX_TRY(auto gathered, gather_commands(sources, question, outside));
  if (gathered.launches.size() != 1)
    return fail(Error::Kind::Usage, "one launch is wanted here, not several",
                "这里只能有一个启动命令");
  return std::move(gathered.launches.front());
}

// Which of the machine's GPUs the n-th is that a model may use.
Result<int> gpu_at(int nth, const UpAsk& ask) {
  if (ask.gpus.empty()) return ask.first_gpu + nth;
  if (nth < static_cast<int>(ask.gpus.size())) return ask.gpus[static_cast<std::size_t>(nth)];
  return fail(Error::Kind::Usage,
              "it takes more GPUs than the " + std::to_string(ask.gpus.size()) +
                  " that model.gpus gives it",
              "它需要的 GPU 多于 model.gpus 给出的 " + std::to_string(ask.gpus.size()) + " 张");
}

Result<std::vector<int>> gpus_at(const std::vector<int>& places, const UpAsk& ask) {
  std::vector<int> gpus;
  for (const int place : places) {
    SX_TRY(const int gpu, gpu_at(place, ask));
    gpus.push_back(gpu);
  }
  return gpus;
}

// CUDA_VISIBLE_DEVICES of the n-th replica of a command that does not say which GPUs it takes.
Result<std::vector<int>> gpus_of(const Launch& launch, int nth, const UpAsk& ask) {
  const auto wanted = launch.serve.gpus_wanted();
  std::vector<int> places;
  if (!wanted || launch.serve.engine == "llamacpp") return places;
  for (int i = 0; i < *wanted; ++i) places.push_back(nth * *wanted + i);
  return gpus_at(places, ask);
}

Deployment empty_deployment(const UpAsk& ask) {
  Deployment deployment{.name = ask.name};
  deployment.host = ask.host;
  deployment.port = ask.port;
  deployment.restart = ask.restart;
  deployment.patience = ask.patience;
  deployment.origin = ask.origin;
  deployment.log = ask.log;
  deployment.key_file = ask.key_file;
  deployment.gateway = ask.gateway;
  return deployment;
}

struct PlanPart {
  std::string label, named;
  std::vector<std::string> commands;
  std::vector<std::vector<int>> gpus;  // of each command
  std::size_t gpus_each = 0;
};

Result<PlanPart> read_plan(const json::object& object) {
  JsonFields fields(object, kPlan);
  PlanPart part{.label = fields.text("label"),
                .named = fields.text_or("named", ""),
                .commands = fields.texts("commands"),
                .gpus = {}};
  std::vector<int> all;
  if (const auto* groups = fields.array("gpus", kMostPlans)) {
    for (const json::value& group : *groups) {
      if (!group.is_array()) continue;
      for (const json::value& gpu : group.get_array()) {
        json::error_code error;
        all.push_back(gpu.to_number<int>(error));
        if (error || all.back() < 0) fields.wrong("gpus");
      }
    }
  }
  if (part.commands.empty() || part.commands.size() > kMostInLayout) fields.wrong("commands");
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  part.gpus_each = all.size() / part.commands.size();
  for (std::size_t i = 0; i < part.commands.size(); ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * part.gpus_each);
    part.gpus.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(part.gpus_each));
  }
  return part;
}

void add_environment(EngineLaunch& launch, const UpAsk& ask) {
  for (const auto& [name, value] : ask.environment) set_variable(launch, name, value);
}

// What the daemon will not read is refused before anything is written.
Result<UpMade> readable(UpMade made) {
  SX_TRY(made.deployment, read_deployment(deployment_json(made.deployment)));
  return made;
}

enum class Context { AsPlanned, Short };

Result<DeployedLayout> layout_of(const PlanPart& part, FreePorts& ports, const UpAsk& ask,
                                 const Outside& outside, Context context = Context::AsPlanned) {
  DeployedLayout layout{.label = part.label, .replicas = {}, .proves = ""};
  for (std::size_t i = 0; i < part.commands.size(); ++i) {
    Sources sources;
    SX_TRY(Launch launch, launch_of({part.commands[i]}, sources, ask, outside));
    if (context == Context::Short) shorten(launch);
    SX_TRY(const int port, ports.next());
    SX_TRY(const auto gpus, gpus_at(part.gpus[i], ask));
    SX_TRY(auto made, engine_launch(launch, {.port = port,
                                             .environment = ask.origin.environment,
                                             .folder = ask.origin.folder,
                                             .gpus = gpus}));
    if (gpus != part.gpus[i]) bind_to_gpus(made);
    add_environment(made, ask);
    layout.replicas.push_back(std::move(made));
  }
  return layout;
}

// One replica of each smaller size that fits, smallest first: what works there is no longer a
// suspect when a larger one fails.
Result<std::vector<DeployedLayout>> rungs_below(std::size_t gpus_each, std::vector<PlanPart> parts,
                                                FreePorts& ports, const UpAsk& ask,
                                                const Outside& outside) {
  std::vector<DeployedLayout> rungs;
  std::map<std::size_t, PlanPart> best;  // of each size: the first that the plan names
  for (PlanPart& part : parts) {
    if (part.gpus_each > 0 && part.gpus_each < gpus_each)
      best.try_emplace(part.gpus_each, std::move(part));
  }
  for (auto& [size, part] : best) {
    if (rungs.size() >= kMostFallbacks) break;
    part.commands.resize(1);
    SX_TRY(auto rung, layout_of(part, ports, ask, outside, Context::Short));
    rungs.push_back(named_rung(size, std::move(rung)));
  }
  return rungs;
}

bool is_called(const PlanPart& part, const std::string& word) {
  return part.label == word || part.named == word;
}

// What stands in for the wanted layout: those that were named, else ever fewer GPUs a replica.
Result<std::vector<PlanPart>> stand_ins_of(const PlanPart& wanted,
                                           const std::vector<PlanPart>& parts, const UpAsk& ask) {
  std::vector<PlanPart> all;
  for (const std::string& label : ask.fallback) {
    const auto found =
        std::ranges::find_if(parts, [&](const PlanPart& part) { return is_called(part, label); });
    if (found == parts.end())
      return fail(Error::Kind::Absent, "the plan holds no layout " + label + " that fits",
                  "方案里没有放得下的布局 " + label);
    if (all.size() < kMostFallbacks) all.push_back(*found);
  }
  if (!ask.fallback.empty()) return all;
  std::size_t least = wanted.gpus_each;
  for (const PlanPart& part : parts) {
    if (part.gpus_each >= least || all.size() >= kMostFallbacks) continue;
    least = part.gpus_each;
    all.push_back(part);
  }
  return all;
}

}  // namespace

Result<UpMade> deployment_of_command(const std::vector<std::string>& command, const UpAsk& ask,
                                     const Outside& outside) {
  Sources sources;
  SX_TRY(const Launch launch, launch_of(command, sources, ask, outside));
  FreePorts ports(ask.port, ask.taken_ports);
  UpMade made{.deployment = empty_deployment(ask), .commands = {}};
  DeployedLayout layout{
      .label = ask.replicas == 1 ? "as given" : std::to_string(ask.replicas) + " x as given",
      .replicas = {},
      .proves = ""};
  const bool says_gpus = launch.serve.visible_devices.known();
  for (int i = 0; i < ask.replicas; ++i) {
    SX_TRY(const int port, ports.next());
    EngineLaunchAsk question{.port = port,
                             .environment = ask.origin.environment,
                             .folder = ask.origin.folder,
                             .gpus = {}};
    if (!says_gpus) {
      SX_TRY(question.gpus, gpus_of(launch, i, ask));
    }
    SX_TRY(auto replica, engine_launch(launch, question));
    add_environment(replica, ask);
    const bool shares = ask.replicas > 1 || ask.first_gpu > 0 || !ask.gpus.empty();
    if (!replica.gpus.empty() && shares) bind_to_gpus(replica);
    layout.replicas.push_back(std::move(replica));
  }
  made.commands.push_back(as_started(layout.replicas.front(), outside));
  made.deployment.layouts.push_back(std::move(layout));
  if (ask.rungs) {
    SX_TRY(auto rungs, rungs_of_command(launch, ask, outside, ports));
    for (CommandRung& rung : rungs) {
      made.deployment.rungs.push_back(std::move(rung.layout));
      made.rung_commands.push_back(std::move(rung.command));
    }
  }
  return readable(std::move(made));
}

Result<UpMade> deployment_of_plan(std::string_view text, const UpAsk& ask, const Outside& outside) {
  SX_TRY(const auto object, json_object(text, kPlan));
  JsonFields fields(object, kPlan);
  if (fields.text("schema") != "sextant.plan/1") fields.wrong("schema");
  const auto* plans = fields.array("plans", kMostPlans);
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  std::vector<PlanPart> parts;
  for (const json::value& plan : *plans) {
    if (!plan.is_object()) continue;
    const auto* fits = plan.get_object().if_contains("fits");
    if (fits == nullptr || !fits->is_bool() || !fits->get_bool()) continue;
    SX_TRY(auto part, read_plan(plan.get_object()));
    parts.push_back(std::move(part));
  }
  const auto wanted = std::ranges::find_if(parts, [&](const PlanPart& part) {
    return ask.wanted.empty() || part.label == ask.wanted || part.named == ask.wanted;
  });
  if (wanted == parts.end())
    return fail(
        Error::Kind::Absent,
        ask.wanted.empty() ? "the plan holds no layout that fits"
                           : "the plan holds no layout " + ask.wanted + " that fits",
        ask.wanted.empty() ? "方案里没有放得下的布局" : "方案里没有放得下的布局 " + ask.wanted);
  FreePorts ports(ask.port, ask.taken_ports);
  UpMade made{.deployment = empty_deployment(ask), .commands = {}};
  SX_TRY(auto first, layout_of(*wanted, ports, ask, outside));
  for (const EngineLaunch& launch : first.replicas)
    made.commands.push_back(as_started(launch, outside));
  made.deployment.layouts.push_back(std::move(first));
  if (ask.rungs) {
    SX_TRY(made.deployment.rungs, rungs_below(wanted->gpus_each, parts, ports, ask, outside));
  }
  SX_TRY(const auto stand_ins, stand_ins_of(*wanted, parts, ask));
  for (const PlanPart& part : stand_ins) {
    SX_TRY(auto layout, layout_of(part, ports, ask, outside));
    made.deployment.layouts.push_back(std::move(layout));
  }
  return readable(std::move(made));
}

}  // namespace sx
