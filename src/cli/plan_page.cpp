// What text and markdown share: the headline and the rows of the table.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/plan_answer.h"
#include "diag/listed.h"
#include "knowledge/engine_names.h"

namespace sx {
namespace {

constexpr Text kHead{
    "{model}{dtype} on {machine}, {links}: {fitting} of {candidates} layouts fit",
    "{model}{dtype}，{machine}，{links}：{candidates} 种布局中 {fitting} 种放得下"};
constexpr Text kHeadUnknown{
    "{model}{dtype} on {machine}, {links}: which of {candidates} layouts fit is not known",
    "{model}{dtype}，{machine}，{links}：{candidates} 种布局中哪些放得下未知"};
constexpr Text kLinksKnown{"links known", "链路已知"};
constexpr Text kLinksUnknown{"links unknown", "链路未知"};
constexpr Text kLoad{
    "for {users} users at a time, {input} tokens in, {output} out, requests up to {context} "
    "tokens; "
    "{engines}",
    "{users} 个并发用户，输入 {input}、输出 {output} 个 token，请求最长 {context} 个 "
    "token；{engines}"};

constexpr Text kLoadOfOne{
    "for one user at a time, {input} tokens in, {output} out, requests up to {context} tokens; "
    "{engines}",
    "单个用户，输入 {input}、输出 {output} 个 token，请求最长 {context} 个 token；{engines}"};

constexpr Text kLayout{"layout", "布局"};
constexpr Text kGpus{"GPUs", "GPU 数"};
constexpr Text kEngine{"engine", "引擎"};
constexpr Text kWeights{"weights/GPU", "每卡权重"};
constexpr Text kTokens{"KV tokens", "KV token 数"};
constexpr Text kAtOnce{"at once", "可并发"};
constexpr Text kOneUser{"1 user", "单用户"};
constexpr Text kThroughput{"{users} users", "{users} 用户"};
constexpr Text kRate{"in all", "总吞吐"};
constexpr Text kNote{"note", "说明"};

constexpr Text kFree{"{count} free", "空闲 {count} 张"};
constexpr Text kTight{"tight", "显存紧张"};
constexpr Text kSmallCache{"8-bit KV costs accuracy", "8 位 KV 略损精度"};
constexpr Text kSibling{"{model}", "{model}"};
constexpr Text kOut{"does not fit ({code})", "放不下（{code}）"};
// What there is to run and watch, of the layouts that people compare by name.
constexpr Text kProcesses{"{count} processes behind a balancer", "{count} 个进程，前置负载均衡"};
constexpr Text kStages{"one launch, {count} stages", "1 次启动，{count} 个流水级"};
constexpr Text kOneLaunch{"one launch", "1 次启动"};

std::string weights_of(const Plan& plan, Language language) {
  Bytes most;
  for (const GpuBudget& gpu : plan.budget().gpus) {
    if (const BudgetLine* line = gpu.line("weights")) most = std::max(most, line->bytes);
  }
  return most > Bytes{0} ? rendered(Value{most}, language) : "-";
}

std::string tokens_of(const Plan& plan, Language language) {
  if (plan.budget().gpus.empty()) return "-";
  const std::string one = rendered(Value{plan.kv_tokens}, language);
  const int pools = plan.replicas * plan.attention_groups;
  return pools > 1 ? std::to_string(pools) + " x " + one : one;
}

Message complexity_of(const Plan& plan) {
  if (plan.replicas > 1) return {kProcesses, {{"count", plan.replicas}}};
  if (plan.layout.pipeline > 1) return {kStages, {{"count", plan.layout.pipeline}}};
  return {kOneLaunch};
}

std::string note_of(const Plan& plan, Language language) {
  std::vector<std::string> parts;
  if (!plan.named.empty() && plan.fits) parts.push_back(rendered(complexity_of(plan), language));
  if (!plan.fits) parts.push_back(rendered({kOut, {{"code", plan.why_code}}}, language));
  if (!plan.model.empty()) parts.push_back(rendered({kSibling, {{"model", plan.model}}}, language));
  if (!plan.idle.empty())
    parts.push_back(rendered({kFree, {{"count", plan.idle.size()}}}, language));
  if (plan.small_cache) parts.push_back(std::string(kSmallCache.in(language)));
  if (plan.doubtful) parts.push_back(std::string(kTight.in(language)));
  return join(parts, language == Language::English ? ", " : "，");
}

std::string shown_of(const Plan& plan, Language language) {
  const std::string label = rendered(Value{plan.shown}, language);
  return plan.named.empty() ? label : plan.named + "  " + label;
}

bool several_engines(const PlanPage& page) { return page.asked.engines.size() > 1; }

}  // namespace

std::vector<std::string> plan_headline(const PlanPage& page) {
  const Case& first = page.asked.first();
  const PlanAsk& ask = page.asked.ask;
  const ModelSpec& model = first.model();
  const Language language = page.style.language;
  std::string dtype;
  const bool quantised = model.is_quantised();
  if (quantised || model.dtype.known())
    dtype = std::string(language == Language::Chinese ? "，" : ", ") +
            (quantised ? model.quantisation.value().method : model.dtype.value());
  std::vector<std::string> engines;
  for (const auto& engine : page.asked.engines) {
    const ServeSpec& serve = engine->cases.front().serve;
    engines.push_back(std::string(shown_engine(serve.engine)) + ' ' + serve.version.text());
  }
  const PlanAnswer& answer = page.answer;
  std::vector<Argument> what{{"model", model.id},
                             {"dtype", dtype},
                             {"machine", first.host().name},
                             {"links", first.host().links.known() ? kLinksKnown : kLinksUnknown},
                             {"candidates", answer.candidates}};
  const bool unknown = answer.memory_unknown && answer.fitting == 0;
  if (!unknown) what.emplace_back("fitting", answer.fitting);
  return {rendered({unknown ? kHeadUnknown : kHead, what}, language),
          rendered({ask.load.users == 1 ? kLoadOfOne : kLoad,
                    {{"users", ask.load.users},
                     {"input", ask.load.input},
                     {"output", ask.load.output},
                     {"context", ask.needed()},
                     {"engines", listed(engines)}}},
                   language)};
}

std::vector<std::vector<std::string>> plan_rows(const PlanPage& page) {
  const Language language = page.style.language;
  const auto say = [language](Text text) { return std::string(text.in(language)); };
  const bool engines = several_engines(page);
  std::vector<std::vector<std::string>> rows{{"", say(kLayout)}};
  if (engines) rows.back().push_back(say(kEngine));
  for (const Text& text : {kGpus, kWeights, kTokens, kAtOnce, kOneUser})
    rows.back().push_back(say(text));
  const int users = page.asked.ask.load.users;
  rows.back().push_back(users == 1 ? say(kRate)
                                   : rendered({kThroughput, {{"users", users}}}, language));
  rows.back().push_back(say(kNote));
  bool best = true;
  for (const Plan& plan : page.answer.plans) {
    std::vector<std::string> row{best && plan.fits ? "*" : "", shown_of(plan, language)};
    best = false;
    if (engines) row.emplace_back(shown_engine(plan.engine->name));
    row.push_back(std::to_string(plan.layout.gpus()));
    row.push_back(weights_of(plan, language));
    row.push_back(tokens_of(plan, language));
    row.push_back(plan.fits ? fmt::format("{:.1f}", plan.max_concurrency) : "-");
    row.push_back(plan.alone ? fmt::format("{:.0f} ms/tok", plan.alone->tpot_s.mid * 1000) : "-");
    row.push_back(plan.speed ? fmt::format("{:.0f} tok/s", plan.speed->output_tokens_s.mid) : "-");
    row.push_back(note_of(plan, language));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace sx
