// Ports are chosen here, once, so that replicas keep theirs over restarts.
#include "cli/up_ask.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "gather/gather_command.h"
#include "run/engine_launch.h"
#include "run/free_ports.h"
#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostPlans = 10'000;
constexpr std::size_t kMostFallbacks = 8;
constexpr RecordName kPlan{"the plan", "方案"};

std::map<std::string, std::string> as_map(const Environment& environment) {
  return {environment.all().begin(), environment.all().end()};
}

Result<Launch> launch_of(const std::vector<std::string>& command, Sources& sources,
                         const Outside& outside) {
  SX_TRY(auto gathered, gather_commands(sources, {.argv = command}, outside));
  if (gathered.launches.size() != 1)
    return fail(Error::Kind::Usage, "one launch is wanted here, not several",
                "这里只能有一个启动命令");
  return std::move(gathered.launches.front());
}

// CUDA_VISIBLE_DEVICES of the n-th replica of a command that does not say which GPUs it takes.
std::vector<int> gpus_of(const Launch& launch, int nth) {
  const auto wanted = launch.serve.gpus_wanted();
  std::vector<int> gpus;
  if (!wanted || launch.serve.engine == "llamacpp") return gpus;
  for (int i = 0; i < *wanted; ++i) gpus.push_back(nth * *wanted + i);
  return gpus;
}

std::string listed(const std::vector<int>& gpus) {
  std::string text;
  for (const int gpu : gpus) text += (text.empty() ? "" : ",") + std::to_string(gpu);
  return text;
}

Deployment empty_deployment(const UpAsk& ask) {
  Deployment deployment{.name = ask.name};
  deployment.host = ask.host;
  deployment.port = ask.port;
  deployment.restart = ask.restart;
  deployment.log = ask.log;
  deployment.key_file = ask.key_file;
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
  for (const auto& [name, value] : ask.environment) launch.environment[name] = value;
}

// As it will be started: with its own port and address, behind the variables that the command
// itself or the deployment sets.
std::vector<std::string> as_started(const EngineLaunch& launch, const Outside& outside) {
  std::vector<std::string> words{"env"};
  for (const auto& [name, value] : launch.environment) {
    if (outside.environment.get(name) != value) words.push_back(name + '=' + value);
  }
  if (words.size() == 1) return launch.words;
  const auto first = launch.words.begin() + (launch.words.front() == "env" ? 1 : 0);
  words.insert(words.end(), first, launch.words.end());
  return words;
}

// What the daemon will not read is refused before anything is written.
Result<UpMade> readable(UpMade made) {
  SX_TRY(made.deployment, read_deployment(deployment_json(made.deployment)));
  return made;
}

Result<DeployedLayout> layout_of(const PlanPart& part, FreePorts& ports, const UpAsk& ask,
                                 const Outside& outside) {
  DeployedLayout layout{.label = part.label, .replicas = {}, .proves = ""};
  for (std::size_t i = 0; i < part.commands.size(); ++i) {
    Sources sources;
    SX_TRY(const Launch launch, launch_of({part.commands[i]}, sources, outside));
    SX_TRY(const int port, ports.next());
    SX_TRY(auto made, engine_launch(launch, {.port = port,
                                             .environment = as_map(outside.environment),
                                             .folder = outside.folder,
                                             .gpus = part.gpus[i]}));
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
    SX_TRY(auto rung, layout_of(part, ports, ask, outside));
    rung.proves = size == 1 ? "files, tokenizer, code path" : "peer communication";
    rungs.push_back(std::move(rung));
  }
  return rungs;
}

}  // namespace

Result<UpMade> deployment_of_command(const std::vector<std::string>& command, const UpAsk& ask,
                                     const Outside& outside) {
  Sources sources;
  SX_TRY(const Launch launch, launch_of(command, sources, outside));
  FreePorts ports(ask.port);
  UpMade made{.deployment = empty_deployment(ask), .commands = {}};
  DeployedLayout layout{
      .label = ask.replicas == 1 ? "as given" : std::to_string(ask.replicas) + " x as given",
      .replicas = {},
      .proves = ""};
  const bool says_gpus = launch.serve.visible_devices.known();
  for (int i = 0; i < ask.replicas; ++i) {
    SX_TRY(const int port, ports.next());
    EngineLaunchAsk question{.port = port,
                             .environment = as_map(outside.environment),
                             .folder = outside.folder,
                             .gpus = says_gpus ? std::vector<int>{} : gpus_of(launch, i)};
    SX_TRY(auto replica, engine_launch(launch, question));
    add_environment(replica, ask);
    if (!replica.gpus.empty() && ask.replicas > 1) {
      replica.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
      replica.environment["CUDA_VISIBLE_DEVICES"] = listed(replica.gpus);
    }
    layout.replicas.push_back(std::move(replica));
  }
  made.commands.push_back(as_started(layout.replicas.front(), outside));
  made.deployment.layouts.push_back(std::move(layout));
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
  FreePorts ports(ask.port);
  UpMade made{.deployment = empty_deployment(ask), .commands = {}};
  SX_TRY(auto first, layout_of(*wanted, ports, ask, outside));
  for (const EngineLaunch& launch : first.replicas)
    made.commands.push_back(as_started(launch, outside));
  made.deployment.layouts.push_back(std::move(first));
  if (ask.ladder) {
    SX_TRY(made.deployment.rungs, rungs_below(wanted->gpus_each, parts, ports, ask, outside));
  }
  std::size_t least = wanted->gpus_each;
  for (const PlanPart& part : parts) {
    if (part.gpus_each >= least || made.deployment.layouts.size() > kMostFallbacks) continue;
    least = part.gpus_each;
    SX_TRY(auto layout, layout_of(part, ports, ask, outside));
    made.deployment.layouts.push_back(std::move(layout));
  }
  return readable(std::move(made));
}

}  // namespace sx
