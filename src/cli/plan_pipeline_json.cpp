// `sextant.plan/1` of a pipeline: the same keys as of a language model, and `parts`. There is no KV
// cache, so its sizes are zero; activations are not worked out, so `unused` is what is left for
// them.
#include <algorithm>
#include <boost/json.hpp>

#include "cli/plan_json_parts.h"
#include "cli/plan_pipeline.h"
#include "diag/json_parts.h"
#include "text/printable_json.h"

namespace sx {
namespace {

namespace json = boost::json;

json::array numbers(const std::vector<int>& all) { return json::array(all.begin(), all.end()); }

json::object line(const char* name, Bytes bytes, const char* origin, const char* note) {
  return {{"name", name}, {"bytes", bytes.count()}, {"origin", origin}, {"note", note}};
}

json::array budget_of(const GatheredPipeline& found, const PipelineServing& plan) {
  json::array budget;
  for (const PipelineCard& card : found.answer.cards) {
    const auto& own = plan.gpus.front();
    if (std::ranges::find(own, card.gpu) == own.end()) continue;
    const Bytes held = card.capacity - card.free, left = card.free - found.answer.weights;
    json::array lines;
    lines.push_back(line("weights", found.answer.weights, "header", "all components, as stored"));
    lines.push_back(line("runtime", held, "device", "held by other processes"));
    lines.push_back(line("unused", left, "formula",
                         "left for the CUDA context and the activations of a picture"));
    budget.push_back({{"gpu", card.gpu},
                      {"stage", 0},
                      {"capacity_bytes", card.capacity.count()},
                      {"lines", std::move(lines)},
                      {"kv_bytes", 0}});
  }
  return budget;
}

json::object plan_entry(const GatheredPipeline& found, const PipelineServing& plan, int rank) {
  json::array groups, commands;
  for (const auto& group : plan.gpus) groups.push_back(numbers(group));
  for (const std::string& command : plan.commands) commands.push_back(json_text(command));
  return {{"rank", rank},
          {"label", shown_label(plan).english},
          {"engine", json::string(plan.program->name)},
          {"model", json_text(found.model)},
          {"fits", true},
          {"layout",
           {{"tp", 1},
            {"pp", 1},
            {"dp", plan.replicas},
            {"ep", false},
            {"replicas", plan.replicas},
            {"sequence", plan.gpus_each},
            {"stages", json::array()}}},
          {"gpus", std::move(groups)},
          {"idle", numbers(plan.idle)},
          {"budget", budget_of(found, plan)},
          {"kv_tokens", 0},
          {"max_concurrency_at_context", 0},
          {"max_context", 0},
          {"environment", {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}},
          {"commands", std::move(commands)},
          {"diagnostics", json::array()}};
}

json::array part_entries(const GatheredPipeline& found) {
  json::array parts;
  for (const PipelinePart& part : found.parts) {
    json::array gpus;
    for (const PlacedComponent& one : found.answer.placed) {
      if (one.part == &part) gpus.push_back(one.gpu);
    }
    for (const PipelineCard& card : found.answer.cards) {
      if (card.holds_all && part.bytes() > Bytes{0}) gpus.push_back(card.gpu);
    }
    parts.push_back({{"name", json_text(part.name)},
                     {"class", json_text(part.type)},
                     {"there", part.there},
                     {"bytes", part.bytes().count()},
                     {"gpus", std::move(gpus)},
                     {"placement", "whole"}});
  }
  return parts;
}

}  // namespace

std::string pipeline_json(const GatheredPipeline& found) {
  json::array plans;
  int rank = 0;
  for (const PipelineServing& plan : found.answer.plans)
    plans.push_back(plan_entry(found, plan, ++rank));
  json::object model = model_entry(found.launch->cases.front().model());
  model["id"] = json_text(found.model);
  model["pipeline"] = json_text(found.kind);
  const json::object answer{
      {"schema", "sextant.plan/1"},
      {"tool", {{"name", "sextant"}, {"version", SEXTANT_VERSION}}},
      {"model", std::move(model)},
      {"machine", machine_entry(found.host())},
      // Pictures are not counted in tokens.
      {"workload",
       {{"users", nullptr}, {"input", nullptr}, {"output", nullptr}, {"context", nullptr}}},
      {"plans", std::move(plans)},
      {"rejected", json::array()},
      {"parts", part_entries(found)},
      {"fits", found.answer.fits()},
      {"search",
       {{"candidates", found.answer.plans.size()}, {"microseconds", found.microseconds}}}};
  return printable_json(json::serialize(answer)) + '\n';
}

}  // namespace sx
