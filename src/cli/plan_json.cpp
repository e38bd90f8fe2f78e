// `sextant.plan/1`, exactly as CLI.md has it; words are always English.
#include <boost/json.hpp>

#include "base/utf8.h"
#include "cli/budget_answer.h"
#include "cli/plan_answer.h"
#include "cli/plan_json_parts.h"
#include "cli/plan_ladder.h"
#include "diag/json_parts.h"
#include "diag/words.h"
#include "text/printable_json.h"

namespace sx {
namespace {

namespace json = boost::json;

json::array messages(const std::vector<Message>& all) {
  json::array texts;
  for (const Message& message : all) texts.push_back(json_text(message));
  return texts;
}

json::array groups(const std::vector<std::vector<int>>& all) {
  json::array list;
  for (const auto& group : all) list.push_back(json::array(group.begin(), group.end()));
  return list;
}

json::object band(const Band& band, double scale) {
  return {{"low", band.low * scale}, {"mid", band.mid * scale}, {"high", band.high * scale}};
}

std::string_view basis_word(SpeedBasis basis) {
  switch (basis) {
    case SpeedBasis::Measured:
      return "measured constants of this card";
    case SpeedBasis::Related:
      return "measured constants of a related card";
    case SpeedBasis::DataSheet:
      return "data sheet";
  }
  return "data sheet";
}

json::object speed_entry(const Speed& speed) {
  constexpr double kMilliseconds = 1000;
  return {{"tpot_ms", band(speed.tpot_s, kMilliseconds)},
          {"ttft_ms", band(speed.ttft_s, kMilliseconds)},
          {"output_tok_s", band(speed.output_tokens_s, 1)},
          {"running", speed.running},
          {"communication_ms", speed.communication_s * kMilliseconds},
          {"basis", json::string(basis_word(speed.basis))},
          {"notes", messages(speed.notes)}};
}

json::object layout_entry(const Plan& plan) {
  return {{"tp", plan.layout.tensor},
          {"pp", plan.layout.pipeline},
          {"dp", plan.layout.data},
          {"ep", plan.layout.expert},
          {"attention_dp", plan.attention_groups},
          {"replicas", plan.replicas},
          {"stages", json::array(plan.stages.begin(), plan.stages.end())}};
}

json::array part_entries(const std::vector<PlanPart>& parts) {
  json::array entries;
  for (const PlanPart& part : parts) {
    entries.push_back({{"name", json_text(Message(part.name))},
                       {"bytes_per_gpu", part.bytes.count()},
                       {"gpus", json::array(part.gpus.begin(), part.gpus.end())},
                       {"placement", part.cut ? "split" : "whole"}});
  }
  return entries;
}

json::object plan_entry(const Plan& plan, int rank, const PlanPage& page) {
  json::object entry{{"rank", rank}, {"label", plan.label}};
  if (!plan.named.empty()) entry["named"] = plan.named;
  entry["engine"] = json::string(plan.engine->name);
  entry["engine_version"] = plan.version.text();
  entry["model"] = json_text(plan.model.empty() ? page.asked.first().model().id : plan.model);
  entry["fits"] = plan.fits;
  if (!plan.fits) {
    entry["code"] = plan.why_code;
    entry["why"] = json_text(plan.why_not);
  }
  entry["layout"] = layout_entry(plan);
  entry["gpus"] = groups(plan.gpus);
  entry["idle"] = json::array(plan.idle.begin(), plan.idle.end());
  entry["budget"] = budget_entries(plan.budget_by_number());
  entry["kv_tokens"] = plan.kv_tokens.count();
  entry["max_concurrency_at_context"] = plan.max_concurrency;
  entry["max_context"] = plan.max_context.count();
  entry["max_num_seqs"] = plan.budget().max_num_seqs;
  entry["doubtful"] = plan.doubtful;
  entry["kv_dtype"] = plan.small_cache || page.asked.ask.fp8_cache ? "fp8" : "auto";
  if (plan.speed) entry["predicted"] = speed_entry(*plan.speed);
  if (plan.alone) entry["predicted_one_user"] = speed_entry(*plan.alone);
  if (!plan.no_speed.empty()) entry["no_prediction"] = json_text(plan.no_speed);
  json::object environment;
  for (const auto& [name, value] : plan.environment) environment[name] = json_text(value);
  entry["environment"] = std::move(environment);
  json::array commands;
  for (const std::string& command : plan.commands) commands.push_back(json_text(command));
  entry["commands"] = std::move(commands);
  json::array codes;
  for (const Diagnostic& d : plan.diagnostics) codes.push_back(json::string(d.code));
  entry["diagnostics"] = std::move(codes);
  entry["notes"] = messages(plan.notes);
  if (!plan.parts.empty()) entry["parts"] = part_entries(plan.parts);
  return entry;
}

json::object rejected_entry(const Rejected& rejected) {
  return {
      {"label", rejected.label},
      {"engine", json::string(rejected.engine->name)},
      {"layout",
       {{"tp", rejected.layout.tensor},
        {"pp", rejected.layout.pipeline},
        {"dp", rejected.layout.data},
        {"ep", rejected.layout.expert}}},
      {"code", rejected.code},
      {"name", rejected.name},
      {"why", json_text(rejected.why)},
      {"nearest_fix", rejected.nearest_fix.empty() ? json::value(nullptr)
                                                   : json::value(json_text(rejected.nearest_fix))}};
}

json::array ladder_entries(const PlanPage& page) {
  json::array entries;
  for (const TensorLadder& ladder : tensor_ladders(page)) {
    json::array rungs;
    for (const Rung& rung : ladder.rungs) {
      json::object entry{{"tp", rung.tensor}, {"fits", rung.code.empty()}};
      if (!rung.code.empty()) entry["code"] = rung.code;
      rungs.push_back(std::move(entry));
    }
    entries.push_back({{"engine", json::string(ladder.engine->name)}, {"rungs", std::move(rungs)}});
  }
  return entries;
}

json::object after_plans(const PlanPage& page) {
  const Case& first = page.asked.first();
  json::array rejected;
  for (const Rejected& one : page.answer.rejected) rejected.push_back(rejected_entry(one));
  std::vector<Message> assumed = first.host().assumed;
  for (const Message& message : first.model().assumed) assumed.push_back(message);
  for (const Message& message : page.asked.assumed) assumed.push_back(message);
  return {{"rejected", std::move(rejected)},
          {"ladders", ladder_entries(page)},
          {"advice", messages(page.answer.advice)},
          {"assumed", messages(assumed)},
          {"nothing", page.answer.nothing.empty() ? json::value(nullptr)
                                                  : json::value(json_text(page.answer.nothing))},
          {"search",
           {{"candidates", page.answer.candidates},
            {"fitting", page.answer.fitting},
            {"microseconds", page.microseconds}}}};
}

std::string said(const json::object& entry) { return printable_json(json::serialize(entry)); }

}  // namespace

// Said plan by plan: all of them on 64 GPUs at once would take more memory than the search.
void say_plan_json(const PlanPage& page, const Say& say) {
  const PlanAsk& ask = page.asked.ask;
  const Case& first = page.asked.first();
  const std::string head = said({{"schema", "sextant.plan/1"},
                                 {"tool", {{"name", "sextant"}, {"version", SEXTANT_VERSION}}},
                                 {"model", model_entry(first.model())},
                                 {"machine", machine_entry(first.host())},
                                 {"workload",
                                  {{"users", ask.load.users},
                                   {"input", ask.load.input.count()},
                                   {"output", ask.load.output.count()},
                                   {"context", ask.needed().count()}}}});
  say(std::string_view(head).substr(0, head.size() - 1));
  std::string before = ",\"plans\":[";
  int rank = 0;
  for (const Plan& plan : page.answer.plans) {
    say(before + said(plan_entry(plan, ++rank, page)));
    before = ",";
  }
  say(rank == 0 ? before + "]," : "],");
  const std::string tail = said(after_plans(page));
  say(std::string_view(tail).substr(1));
  say("\n");
}

}  // namespace sx
