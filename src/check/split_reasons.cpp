// One list of reasons, asked for by many rules.
#include "check/split_reasons.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "check/case_once.h"
#include "check/layouts.h"
#include "knowledge/other_engines.h"

namespace sx {
namespace {

constexpr Text kMachineUnknown{
    "which layouts fit depends on the GPUs, and none are known: --on names a machine",
    "哪些布局放得下取决于 GPU，而这里没有 GPU 信息：可用 --on 指定机器"};

int asked_in_all(const ServeSpec& serve) {
  const int replicas = std::clamp(serve.data_parallel.value_or(1), 1, 64);
  return serve.world_size().value_or(1) * replicas;
}

// Where the machine is not known, or is one of several, the launch is taken to have the GPUs that
// it asks for.
Case with_asked_gpus(const Case& c) {
  constexpr int kMost = 64;  // bounds the enumeration
  static const HostSpec kUnknown;
  Case asked = c;
  asked.host_spec = &kUnknown;
  asked.visible = {};
  asked.visible.known = true;
  asked.visible.gpus.resize(static_cast<std::size_t>(std::clamp(asked_in_all(c.serve), 1, kMost)));
  std::iota(asked.visible.gpus.begin(), asked.visible.gpus.end(), 0);
  return asked;
}

}  // namespace

std::vector<SplitProblem> split_reasons(const Case& c, std::initializer_list<SplitKind> kinds) {
  CaseOnce* once = CaseOnce::of(c);
  auto reasons = once == nullptr ? splits_now(c) : once->splits();
  if (reasons.empty()) return {};
  // Of engines that are only recognised the heads are known to be shared out evenly, no more.
  const bool heads_only = find_other_engine(c.serve.engine) != nullptr;
  std::erase_if(reasons, [&](const SplitProblem& reason) {
    if (heads_only && reason.kind != SplitKind::Heads) return true;
    return std::ranges::find(kinds, reason.kind) == kinds.end();
  });
  return reasons;
}

void propose_layouts(const Case& c, Complaint& complaint) {
  if (c.asked_again) return;
  const bool machine_known = c.visible.known && c.serve.node_count.value_or(1) <= 1;
  auto layouts = machine_known ? layout_proposals(c) : layout_proposals(with_asked_gpus(c));
  const bool any_whole = std::ranges::any_of(
      layouts, [](const Proposal& proposal) { return proposal.safety != Safety::Trades; });
  // Half a context is no answer while a whole one fits.
  for (Proposal& proposal : layouts)
    proposal.spare = proposal.spare || (any_whole && proposal.safety == Safety::Trades);
  if (layouts.empty()) layouts = sibling_proposals(c);
  Message& no_fix = complaint.diagnostic.no_fix;
  if (!machine_known) {
    no_fix = kMachineUnknown;
  } else if (layouts.empty()) {
    no_fix = what_would_fit(c);
  }
  std::ranges::move(layouts, std::back_inserter(complaint.proposals));
}

}  // namespace sx
