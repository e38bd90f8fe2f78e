// SX2119. The long explanation and the scenes are in ep_experts_indivisible.md.
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "engines/argparse/json_flags.h"
#include "knowledge/traits.h"
#include "read/json.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "{all} experts cannot be shared out evenly over {ranks} ranks, as load balancing wants",
    "{all} 个专家无法平均分给 {ranks} 个 rank，而专家负载均衡要求平均"};
constexpr Text kLeaves{"{all} / {ranks} leaves {left} over", "{all} / {ranks} 余 {left}"};
constexpr Text kWithCopies{
    "{experts} + {copies} redundant = {all}; {all} / {ranks} leaves {left} over",
    "{experts} + 冗余 {copies} = {all}；{all} / {ranks} 余 {left}"};
constexpr Text kBasis{"{experts} experts: {origin}", "{experts} 个专家：{origin}"};
constexpr Text kBecause{
    "the load balancer moves experts between ranks that hold equally many; without it a rest is "
    "fine",
    "负载均衡在持有同样多专家的 rank 之间调换专家；不用它时有余数也没关系"};
constexpr Text kOtherwise{
    "while they build the model, the ranks stop: \"EPLB currently only supports even "
    "distribution\"",
    "各 rank 在构建模型时退出：“EPLB currently only supports even distribution”"};
constexpr Text kMoreCopies{"{copies} redundant experts, so that each rank holds {each}",
                           "冗余专家设为 {copies} 个，每个 rank 正好 {each} 个"};
constexpr Text kWithout{"leave load balancing out: some ranks hold one expert more",
                        "不用负载均衡：有些 rank 多放一个专家"};

constexpr Need kNeeds[] = {Need::ParallelSizes, Need::ModelExperts};
constexpr Need kDoubts[] = {Need::Layout};

constexpr std::string_view kOldFlag = "--num-redundant-experts";
constexpr std::string_view kDottedFlag = "--eplb-config.num_redundant_experts";

// Copies of experts that are asked for; empty: some were, and how many cannot be known here.
std::optional<int> redundant_experts(const ServeSpec& serve) {
  if (const FlagUse* old = serve.use_of(kOldFlag)) {
    const auto count = old->values.empty() ? std::nullopt : to_integer(old->values.front());
    return count && *count >= 0 && *count < 100'000 ? std::optional(static_cast<int>(*count))
                                                    : std::nullopt;
  }
  std::vector<const FlagUse*> uses;
  for (const FlagUse& use : serve.flags) {
    if (use.name == "--eplb-config") uses.push_back(&use);
  }
  if (uses.empty()) return 0;
  const auto text = argparse::merged_json(uses);
  if (!text) return {};
  const auto document = JsonDocument::parse(*text);
  if (!document) return {};
  const JsonValue value = document->root()["num_redundant_experts"];
  if (!value) return 0;
  const auto count = value.integer();
  return count && *count >= 0 && *count < 100'000 ? std::optional(static_cast<int>(*count))
                                                  : std::nullopt;
}

// As many copies as were asked for, and those that fill the places up.
void propose(const Case& c, Complaint& complaint, int all, int ranks) {
  const int each = (all + ranks - 1) / ranks;
  const int copies = each * ranks - c.model().experts.value();
  const Message title{kMoreCopies, {{"copies", copies}, {"each", each}}};
  const FlagUse* config = c.serve.use_of("--eplb-config");
  const bool whole_json = config != nullptr && !config->path;  // its other keys would be lost
  if (!whole_json) {
    complaint.proposals.push_back(
        {title, {set_flag(std::string(kDottedFlag), std::to_string(copies))}});
    complaint.proposals.push_back(
        {.title = title,
         .changes = {set_flag(std::string(kOldFlag), std::to_string(copies))},
         .spare = true});
  }
  complaint.proposals.push_back({kWithout,
                                 {remove_flag("--enable-eplb"), remove_flag("--eplb-config"),
                                  remove_flag(std::string(kOldFlag))}});
}

std::vector<Complaint> check(const Case& c) {
  const ServeSpec& serve = c.serve;
  const FlagUse* balancing = serve.use_of("--enable-eplb");
  const bool on = balancing != nullptr && !balancing->negated;
  if (!on || !c.model().is_moe() || !serve.expert_parallel.value_or(false)) return {};
  if (trait(serve.engine, "experts-balanced-evenly", serve.version) != "required") return {};
  const auto copies = redundant_experts(serve);
  const int ranks = serve.tensor_parallel.value() * serve.data_parallel.value() *
                    serve.prefill_context_parallel.value_or(1);
  if (!copies || ranks < 2) return {};
  const int experts = c.model().experts.value();
  const int all = experts + *copies;
  if (all % ranks == 0) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const std::vector<Argument> numbers{{"experts", experts},
                                      {"copies", *copies},
                                      {"all", all},
                                      {"ranks", ranks},
                                      {"left", all % ranks}};
  d.title = {kTitle, numbers};
  mark(d, balancing->span, {*copies > 0 ? kWithCopies : kLeaves, numbers});
  also(d, c.model().experts, {},
       {kBasis, {{"experts", experts}, {"origin", model_origin(c.model())}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--enable-eplb";
  propose(c, complaint, all, ranks);
  return {complaint};
}

}  // namespace

extern const Rule ep_experts_indivisible{
    .code = "SX2119",
    .name = "ep-experts-indivisible",
    .severity = Severity::Error,
    .needs = kNeeds,
    .doubts = kDoubts,
    .covers = {},
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
