// Plans that are beaten everywhere are left out unless all are asked for; the named ones stay.
#include "plan/offers.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "check/run_rules.h"
#include "check/small_cache.h"
#include "knowledge/foreign_flags.h"
#include "plan/commands.h"
#include "plan/named.h"
#include "plan/parts.h"
#include "plan/score.h"

namespace sx {
namespace {

constexpr std::size_t kMostShown = 8;  // more is no help to decide
constexpr int kMostSmallShown = 2;     // of those that give accuracy up: what it would buy

constexpr Text kSecondCopy{
    "{count} GPUs stay free ({gpus}): a second, smaller copy fits them as {label}",
    "{count} 张 GPU 空闲（{gpus}）：还放得下一个较小的副本（{label}）"};
constexpr Text kFree{
    "{count} GPUs stay free ({gpus}): this model has no room there; another service, an embedding "
    "model or a spare has",
    "{count} 张 GPU 空闲（{gpus}）：放不下这个模型的副本，可用于其他服务、嵌入模型或备用"};
constexpr Text kOneFree{
    "one GPU stays free ({gpus}): for another service, an embedding model or a spare",
    "1 张 GPU 空闲（{gpus}）：可用于其他服务、嵌入模型或备用"};
constexpr Text kSomeFree{
    "{count} GPUs stay free ({gpus}): for another service, an embedding model or a spare",
    "{count} 张 GPU 空闲（{gpus}）：可用于其他服务、嵌入模型或备用"};
constexpr Text kDoubtful{
    "memory is enough by best estimate, not surely: about {room} is left on the tightest GPU",
    "按最佳估计显存够用，但没有十足把握：最紧的 GPU 约剩 {room}"};
constexpr Text kUnlikely{
    "memory may not be enough: by best estimate {tokens} tokens fit, and a request may have "
    "{longest}",
    "显存可能不够：按最佳估计只容得下 {tokens} 个 token，而一个请求最长 {longest} 个"};
constexpr Text kSequences{"{flag} {count}: memory for more requests at once goes to KV cache",
                          "{flag} {count}：把为更多并发请求预留的显存让给 KV 缓存"};
constexpr Text kSlots{"{slots} slots of {length} tokens each share the cache",
                      "{slots} 个槽位共用缓存，每个 {length} 个 token"};
constexpr Text kManyUsers{"{flag} {count}: the default would let fewer users run at once",
                          "{flag} {count}：默认值不足以同时服务这么多用户"};
constexpr Text kSteps{"{flag} {count}: shorter steps leave more for KV cache",
                      "{flag} {count}：减少每步的 token 数，留更多给 KV 缓存"};
constexpr Text kShare{"{flag} {share}: as much of each card as is safe",
                      "{flag} {share}：在安全范围内用足每张卡"};
constexpr Text kGroups{
    "attention is shared out by requests: each of {groups} groups has a pool of {tokens} tokens of "
    "its own, where plain tensor parallel holds the same cache on every rank",
    "注意力按请求分摊：{groups} 个组各有自己的 {tokens} 个 token 的缓存池；"
    "而普通张量并行在每个 rank 上都放同样的缓存"};
constexpr Text kBeside{
    "{flag} {share}: other processes hold memory on these GPUs; this is what they leave",
    "{flag} {share}：这些 GPU 上有其他进程占着显存，只用它们留下的部分"};
constexpr Text kContext{"{flag} {length}: the whole context of the model has no room",
                        "{flag} {length}：放不下模型的完整上下文"};

constexpr Text kSmallForContext{
    "{flag} {type}: in 16 bits a request of {longest} tokens has no room here; half the bytes a "
    "token cost some accuracy, and not every attention backend reads such a cache",
    "{flag} {type}：用 16 位放不下 {longest} 个 token 的请求；每个 token "
    "的字节数减半，精度略有损失，"
    "而且不是所有注意力后端都能读这种缓存"};
constexpr Text kSmallForUsers{
    "{flag} {type}: in 16 bits {tokens} tokens fit here, too few for {users} users; half the bytes "
    "a token cost some accuracy, and not every attention backend reads such a cache",
    "{flag} {type}：用 16 位只放得下 {tokens} 个 token，不够 {users} 个用户用；每个 token "
    "的字节数减半，精度略有损失，而且不是所有注意力后端都能读这种缓存"};
constexpr Text kSmallForSure{
    "{flag} {type}: in 16 bits memory is enough by best estimate only; half the bytes a token cost "
    "some accuracy, and not every attention backend reads such a cache",
    "{flag} {type}：用 16 位时显存只是按最佳估计够用；每个 token 的字节数减半，精度略有损失，"
    "而且不是所有注意力后端都能读这种缓存"};

// The fitting launch over the GPUs that a draft leaves free.
const Draft* second_copy(const std::vector<Draft>& drafts, int left) {
  for (const Draft& other : drafts) {
    if (other.candidate.replicas == 1 && other.candidate.gpus() == left) return &other;
  }
  return nullptr;
}

Message idle_note(const Search& search, int left, const std::vector<int>& idle) {
  const Argument gpus("gpus", join(idle));
  if (idle.size() == 1) return {kOneFree, {gpus}};
  const Draft* other = second_copy(search.fitting(), left);
  if (other != nullptr && !search.would_be_the_same_on(*other, idle))
    return {kSomeFree, {{"count", idle.size()}, gpus}};
  if (other != nullptr)
    return {kSecondCopy, {{"count", idle.size()}, gpus, {"label", search.shown(other->candidate)}}};
  return {kFree, {{"count", idle.size()}, gpus}};
}

// Why the cache is in 8 bits though nobody asked for it, and what that costs.
Message small_cache_note(const Case& c, const Draft& draft, const PlanAsk& ask) {
  const Argument flag("flag", own_name(c.serve.engine, "--kv-cache-dtype"));
  const Argument type("type", small_cache_word(c.serve));
  if (!draft.whole->fits) return {kSmallForContext, {flag, type, {"longest", ask.needed()}}};
  if (draft.whole->doubtful) return {kSmallForSure, {flag, type}};
  const Tokens all{draft.whole->kv_tokens().count() * draft.candidate.replicas *
                   draft.candidate.shape.groups};
  return {kSmallForUsers, {flag, type, {"tokens", all}, {"users", ask.load.users}}};
}

void note_settings(Plan& plan, const Case& c, const Fitted& fit, const PlanAsk& ask) {
  const LaunchSettings& s = fit.settings;
  if (c.serve.split_mode.known()) {
    plan.notes.push_back(
        {kSlots,
         {{"slots", s.max_num_seqs},
          {"length", Tokens{s.max_model_len.count() / std::max(1, s.max_num_seqs)}}}});
    return;
  }
  const auto own = [&plan](const char* common) {
    return Argument("flag", own_name(plan.engine->name, common));
  };
  if (s.max_num_seqs > 0)
    plan.notes.push_back({fit.more_sequences ? kManyUsers : kSequences,
                          {own("--max-num-seqs"), {"count", s.max_num_seqs}}});
  if (s.max_batched_tokens > Tokens{0})
    plan.notes.push_back(
        {kSteps, {own("--max-num-batched-tokens"), {"count", s.max_batched_tokens.count()}}});
  if (s.share_hundredths > 0)
    plan.notes.push_back(
        {fit.beside_others ? kBeside : kShare,
         {own("--gpu-memory-utilization"), {"share", s.share_hundredths / 100.0}}});
  const auto& whole = c.model().max_positions;
  if (!ask.context_asked() && s.max_model_len > Tokens{0} && whole.known() &&
      s.max_model_len < whole.value())
    plan.notes.push_back({kContext, {own("--max-model-len"), {"length", s.max_model_len.count()}}});
}

// With a smaller cache a layout has its name where it has no room without.
std::string name_in(const Search& search, const Draft& draft) {
  Candidate candidate = draft.candidate;
  if (draft.whole != nullptr && !draft.whole->fits) candidate.shape.small_cache = false;
  return name_of(candidate, search.gpus());
}

Plan plan_of(Search& search, const Draft& draft, const PlanAsk& ask) {
  const Case& c = search.launch_of(draft);
  const Budget& budget = *draft.fit->budget;
  Plan plan;
  plan.label = draft.candidate.label();
  plan.shown = search.shown(draft.candidate);
  plan.named = draft.model.empty() ? name_in(search, draft) : "";
  plan.small_cache = draft.whole != nullptr;
  plan.engine = find_engine(c.serve.engine);
  plan.version = c.serve.version;
  plan.model = draft.model;
  plan.layout = draft.candidate.layout();
  plan.attention_groups = draft.candidate.shape.groups;
  plan.replicas = draft.candidate.replicas;
  plan.stages = draft.stages;
  plan.gpus = draft.placement->groups;
  plan.idle = draft.placement->idle;
  plan.ledger = draft.fit->budget;
  plan.ledger_gpus = draft.placement->of(draft.candidate.shape, static_cast<int>(draft.tightest));
  plan.cost = cost(draft, ask);
  plan.kv_tokens = budget.kv_tokens;
  plan.max_concurrency = concurrency(draft, ask);
  plan.max_context = budget.longest_possible;
  if (const auto& most = c.model().max_positions; most.known())
    plan.max_context = std::min(plan.max_context, most.value());
  plan.doubtful = draft.fit->doubtful;
  plan.speed = draft.speed;
  plan.alone = draft.alone;
  plan.no_speed = draft.no_speed;
  for (const Message& note : draft.fit->notes) plan.notes.push_back(note);
  if (draft.whole != nullptr) plan.notes.push_back(small_cache_note(c, draft, ask));
  note_settings(plan, c, *draft.fit, ask);
  add_parts(plan, c, draft);
  if (plan.attention_groups > 1)
    plan.notes.push_back(
        {kGroups, {{"groups", plan.attention_groups}, {"tokens", plan.kv_tokens}}});
  if (draft.fit->unlikely)
    plan.notes.push_back({kUnlikely, {{"tokens", plan.kv_tokens}, {"longest", ask.needed()}}});
  if (plan.doubtful && !draft.fit->unlikely)
    plan.notes.push_back({kDoubtful, {{"room", std::max(budget.tightest().room, Bytes{0})}}});
  if (!plan.idle.empty() && search.gpus() == static_cast<int>(c.machine().gpus.size()))
    plan.notes.push_back(idle_note(search, search.gpus() - draft.candidate.gpus(), plan.idle));
  return plan;
}

// Findings of one replica that another has not brought already.
void add_findings(Plan& plan, std::vector<Diagnostic> findings) {
  for (Diagnostic& d : findings) {
    if (std::ranges::find(plan.diagnostics, d.code, &Diagnostic::code) == plan.diagnostics.end())
      plan.diagnostics.push_back(std::move(d));
  }
}

// Fills in commands and findings; or the first error of any replica.
std::optional<Broken> commanded(Plan& plan, const Search& search, const Draft& draft) {
  for (const int replica : search.different_replicas(draft)) {
    const auto launch = launch_of(draft, replica);
    if (!launch) return Broken{};
    Judgement judgement = judged(*launch);
    if (judgement.error) return judgement.error;
    add_findings(plan, std::move(judgement.findings));
    if (replica > 0) continue;
    plan.commands = pasted(draft, *launch);
    for (const Setting& setting : launch->command.environment) {
      const bool own = setting.name == "CUDA_VISIBLE_DEVICES" && draft.candidate.replicas > 1;
      if (setting.prefix && !own) plan.environment.emplace_back(setting.name, setting.value);
    }
  }
  return {};
}

Rejected refused(const Search& search, const Draft& draft, const Broken& broken) {
  Rejected rejected;
  rejected.shown = search.shown(draft.candidate);
  rejected.label = draft.candidate.label();
  rejected.engine = find_engine(draft.bare->serve.engine);
  rejected.layout = draft.candidate.layout();
  rejected.code = broken.code;
  rejected.name = broken.name;
  rejected.why = broken.why;
  rejected.nearest_fix = broken.nearest_fix;
  return rejected;
}

}  // namespace

Offers offers_of(Search& search, const PlanAsk& ask, std::size_t most) {
  Offers offers;
  auto& drafts = search.fitting();
  sort_best_first(drafts, ask);
  std::vector<const Draft*> kept;
  std::vector<LaunchShape> unasked;  // smaller caches that the checker refuses
  int small = 0;
  for (Draft& draft : drafts) {
    if (offers.plans.size() == most) break;
    const bool named = !name_in(search, draft).empty();
    const bool spare =
        kept.size() >= kMostShown || (draft.whole != nullptr && small == kMostSmallShown) ||
        std::ranges::any_of(kept, [&](const Draft* better) { return beaten(draft, *better, ask); });
    if (spare && !named && !ask.all) continue;
    search.complete(draft);
    Plan plan = plan_of(search, draft, ask);
    if (const auto error = commanded(plan, search, draft)) {
      // The same layout in 16 bits is out by a rule of its own, which says all there is to say.
      if (draft.whole != nullptr) {
        unasked.push_back(draft.candidate.shape);
        continue;
      }
      if (!error->code.empty()) offers.refused.push_back(refused(search, draft, *error));
      continue;
    }
    if (!spare) kept.push_back(&draft);
    if (draft.whole != nullptr) ++small;
    offers.plans.push_back(std::move(plan));
  }
  std::erase_if(drafts, [&unasked](const Draft& draft) {
    return std::ranges::find(unasked, draft.candidate.shape) != unasked.end();
  });
  return offers;
}

Plan unfit_plan(Search& search, const std::string& name, const Candidate& candidate) {
  Plan plan;
  plan.label = candidate.label();
  plan.shown = search.shown(candidate);
  plan.named = name;
  plan.engine = find_engine(search.bare().serve.engine);
  plan.version = search.bare().serve.version;
  plan.fits = false;
  plan.layout = candidate.layout();
  plan.replicas = candidate.replicas;
  const Placement& placement = search.place(candidate);
  plan.gpus = placement.groups;
  plan.idle = placement.idle;
  if (!plan.idle.empty())
    plan.notes.push_back(idle_note(search, search.gpus() - candidate.gpus(), plan.idle));
  if (const OutDraft* out = search.out_of(candidate.shape)) {
    Broken broken = search.why(*out);
    plan.why_not = std::move(broken.why);
    plan.why_code = std::move(broken.code);
    if (auto whole = search.whole_budget(*out)) {
      plan.ledger = std::move(whole);
      plan.kv_tokens = plan.ledger->kv_tokens;
      plan.max_context = plan.ledger->longest_possible;
    }
  }
  return plan;
}

}  // namespace sx
