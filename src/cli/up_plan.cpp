// A plan as `plan --format json` says it: the wanted layout, what stands in for it, its rungs.
#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "base/shown_word.h"
#include "cli/up_ask.h"
#include "cli/up_launch.h"
#include "cli/up_parts.h"
#include "cli/up_rungs.h"
#include "run/engine_key.h"
#include "run/engine_launch.h"
#include "run/free_ports.h"
#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostPlans = 10'000;
constexpr std::size_t kMostFallbacks = 8;
constexpr Text kNoneFits{"the plan holds no layout that fits", "方案里没有放得下的布局"};
constexpr Text kNoneFitsHere{"no layout of {model} fits; `sextant plan {model}` says why",
                             "{model} 没有放得下的布局；原因见 `sextant plan {model}`"};
constexpr Text kNoSuchFits{"the plan holds no layout {label} that fits",
                           "方案里没有放得下的布局 {label}"};
constexpr RecordName kPlan{"the plan", "方案"};

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

enum class Context { AsPlanned, Short };

Result<DeployedLayout> layout_of(const PlanPart& part, FreePorts& ports, const UpAsk& ask,
                                 const Outside& outside, Context context = Context::AsPlanned) {
  DeployedLayout layout{.label = part.label, .replicas = {}, .proves = ""};
  for (std::size_t i = 0; i < part.commands.size(); ++i) {
    SX_TRY(ReadLaunch read, placed_launch_of({part.commands[i]}, ask, outside));
    Launch& launch = read.launch;
    if (context == Context::Short) shorten(launch);
    SX_TRY(const int port, ports.next());
    SX_TRY(const auto gpus, gpus_at(part.gpus[i], ask));
    SX_TRY(auto made, engine_launch(launch, {.port = port,
                                             .environment = ask.origin.environment,
                                             .folder = ask.origin.folder,
                                             .gpus = gpus}));
    if (gpus != part.gpus[i]) bind_to_gpus(made);
    add_environment(made, ask);
    made.any_gpus = ask.gpus.empty() && made.container.empty() && !made.gpus.empty();
    if (auto key = take_engine_key(made, launch, *outside.files); !key)
      return std::unexpected(key.error());
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
      return fail(Error::Kind::Absent, in_both({kNoSuchFits, {{"label", shown_word(label)}}}));
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

std::unexpected<Error> no_layout(const UpAsk& ask) {
  if (ask.wanted.empty())
    return fail(Error::Kind::Absent, ask.model.empty()
                                         ? in_both(Message{kNoneFits})
                                         : in_both({kNoneFitsHere, {{"model", ask.model}}}));
  return fail(Error::Kind::Absent, in_both({kNoSuchFits, {{"label", shown_word(ask.wanted)}}}));
}

}  // namespace

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
  if (wanted == parts.end()) return no_layout(ask);
  FreePorts ports(ask.port, ask.taken_ports, FreePorts::kFirst, ask.claims);
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
