// The whole answer: each engine's search, siblings in fewer bits where nothing fits, the named
// plans, and what a person should know beside the table.
#include "plan/plan.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "check/layouts.h"
#include "check/run_rules.h"
#include "plan/named.h"
#include "plan/offers.h"
#include "plan/rejects.h"
#include "plan/search.h"

namespace sx {
namespace {

constexpr std::size_t kMostSiblings = 4;  // each costs a search of its own

constexpr Text kFewer{
    "fewer GPUs are better here: no layout over all {all} GPUs is faster than {label} on {count}",
    "这里用更少的 GPU 更好：用满 {all} 张 GPU 的布局都不比 {label}（{count} 张）快"};
constexpr Text kMemoryUnknown{"what fits cannot be worked out: {why}", "无法算出放得下什么：{why}"};
constexpr Text kFewerBits{
    "as it is, {model} fits no layout over these GPUs; these are the same model in fewer bits",
    "{model} 原样放不进这些 GPU 的任何布局；以下是同一模型的低比特版本"};
constexpr Text kRefused{"memory is enough, and {code} refuses every layout: {why}",
                        "显存够用，但 {code} 拒绝了所有布局：{why}"};
constexpr Text kNoGpus{"the machine has no GPU that is known here", "这台机器上没有已知的 GPU"};

// All that belongs to one engine.
struct EngineSearch {
  std::unique_ptr<Search> search;
  std::vector<std::unique_ptr<Case>> siblings;  // that were searched too
};

// The best of each sibling, or all of them.
void add_siblings(EngineSearch& own, const Case& bare, const PlanAsk& ask, PlanAnswer& answer) {
  std::size_t tried = 0;
  for (const std::string& id : bare.model().siblings) {
    if (tried++ == kMostSiblings) break;
    const Change changes[] = {set_model(id)};
    auto other = asked_again(bare, changes);
    if (!other) continue;
    own.siblings.push_back(std::make_unique<Case>(std::move(*other)));
    // Plans keep what they need of a search: the next one has its memory.
    Search search(*own.siblings.back(), ask, id, own.search.get());
    search.run();
    answer.candidates += search.candidates();
    Offers offers = offers_of(search, ask, ask.all ? kAllOffers : 1);
    answer.fitting += search.layouts_that_fit();
    std::ranges::move(offers.plans, std::back_inserter(answer.plans));
  }
}

void add_named(Search& search, PlanAnswer& answer) {
  if (!search.memory_unknown().empty()) return;
  for (const NamedPlan& plan : named_plans(search.gpus())) {
    const bool there = std::ranges::any_of(
        answer.plans, [&plan](const Plan& other) { return other.named == plan.name; });
    if (!there) answer.plans.push_back(unfit_plan(search, plan.name, plan.candidate));
  }
}

// Of several searches together.
void order_all(std::vector<Plan>& plans) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < plans.size(); ++i) order.emplace_back(plans[i].cost, i);
  std::ranges::sort(order);
  std::vector<Plan> sorted;
  for (const auto& [cost, index] : order) sorted.push_back(std::move(plans[index]));
  plans = std::move(sorted);
}

// Whether every layout over all GPUs could be had, and none gives more than the best.
bool all_of_them_are_no_faster(const Search& search, const PlanAnswer& answer) {
  const Plan& best = answer.plans.front();
  if (!best.speed) return false;
  bool any = false;
  for (const Draft& draft : search.fitting()) {
    if (draft.candidate.gpus() < search.gpus()) continue;
    const std::string label = draft.candidate.label();
    const bool refused =
        std::ranges::find(answer.rejected, label, &Rejected::label) != answer.rejected.end();
    if (refused || !draft.speed ||
        draft.speed->output_tokens_s.mid > best.speed->output_tokens_s.mid)
      return false;
    any = true;
  }
  return any;
}

void add_advice(const Search& search, PlanAnswer& answer) {
  if (!answer.any_fits()) return;
  const Plan& best = answer.plans.front();
  if (!best.model.empty())
    answer.advice.push_back({kFewerBits, {{"model", search.bare().model().id}}});
  if (search.gpus() < 2 || !best.model.empty()) return;
  if (best.layout.gpus() < search.gpus() && all_of_them_are_no_faster(search, answer))
    answer.advice.push_back(
        {kFewer, {{"label", best.shown}, {"count", best.layout.gpus()}, {"all", search.gpus()}}});
}

// What the checker says of a launch that has room.
std::optional<Message> refused_by_check(const Search& search, const PlanAnswer& answer) {
  for (const Draft& draft : search.fitting()) {
    const std::string label = draft.candidate.label();
    const auto out = std::ranges::find(answer.rejected, label, &Rejected::label);
    if (out != answer.rejected.end())
      return Message{kRefused, {{"code", out->code}, {"why", in_both(out->why)}}};
  }
  return {};
}

Message nothing_fits(const Search& search, const PlanAsk& ask, const PlanAnswer& answer) {
  if (search.gpus() == 0) return {kNoGpus};
  if (!search.memory_unknown().empty())
    return {kMemoryUnknown, {{"why", in_both(search.memory_unknown())}}};
  if (auto refused = refused_by_check(search, answer)) return *std::move(refused);
  LaunchSettings settings;
  settings.max_model_len = ask.needed();
  settings.fp8_cache = ask.fp8_cache;
  std::vector<int> all;
  for (const Gpu& gpu : search.bare().host().gpus) all.push_back(gpu.index);
  const auto launch = launch_on(search.bare(), {}, settings, all);
  return what_would_fit(launch ? *launch : search.bare());
}

}  // namespace

const Budget& Plan::budget() const {
  static const Budget kNone;
  return ledger == nullptr ? kNone : *ledger;
}

Budget Plan::budget_by_number() const {
  Budget numbered = budget();
  for (GpuBudget& gpu : numbered.gpus) {
    const auto position = static_cast<std::size_t>(gpu.gpu);
    if (position < ledger_gpus.size()) gpu.gpu = ledger_gpus[position];
  }
  return numbered;
}

bool PlanAnswer::any_fits() const {
  return std::ranges::any_of(plans, [](const Plan& plan) { return plan.fits; });
}

PlanAnswer make_plans(const PlanAsk& ask) {
  PlanAnswer answer;
  std::vector<EngineSearch> engines;
  for (const Case* bare : ask.launches) {
    EngineSearch own;
    own.search = std::make_unique<Search>(*bare, ask);
    Search& search = *own.search;
    search.run();
    answer.candidates += search.candidates();
    Offers offers = offers_of(search, ask);
    answer.fitting += search.layouts_that_fit();
    const bool offered = !offers.plans.empty();
    std::ranges::move(offers.plans, std::back_inserter(answer.plans));
    for (Rejected& rejected : rejected_of(search, search.fitting(), ask))
      answer.rejected.push_back(std::move(rejected));
    std::ranges::move(offers.refused, std::back_inserter(answer.rejected));
    if (!offered) add_siblings(own, *bare, ask, answer);
    engines.push_back(std::move(own));
  }
  if (engines.empty()) return answer;
  Search& first = *engines.front().search;
  const bool several = engines.size() > 1 || !engines.front().siblings.empty();
  if (several) order_all(answer.plans);
  add_named(first, answer);
  add_advice(first, answer);
  if (answer.any_fits()) return answer;
  answer.nothing = nothing_fits(first, ask, answer);
  answer.fitting = 0;  // those that had room were refused
  answer.memory_unknown = !first.memory_unknown().empty();
  return answer;
}

}  // namespace sx
