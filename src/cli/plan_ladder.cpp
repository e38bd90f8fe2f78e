// What is out has its rule; every other size was found to fit.
#include "cli/plan_ladder.h"

#include <algorithm>

#include "base/strings.h"
#include "plan/launches.h"

namespace sx {
namespace {

constexpr std::string_view kOfMemory = "SX3";  // rules of memory; all others are of splitting

std::string label_of(int tensor) { return "TP" + std::to_string(tensor); }

const Rejected* refusal(const PlanAnswer& answer, const Engine* engine, int tensor) {
  const std::string label = label_of(tensor);
  const auto found = std::ranges::find_if(answer.rejected, [&](const Rejected& one) {
    return one.engine == engine && one.label == label;
  });
  return found == answer.rejected.end() ? nullptr : &*found;
}

}  // namespace

std::vector<TensorLadder> tensor_ladders(const PlanPage& page) {
  std::vector<TensorLadder> ladders;
  if (page.answer.memory_unknown) return ladders;
  for (const Case* launch : page.asked.ask.launches) {
    const LaunchKinds kinds = launch_kinds(*launch);
    const int there = static_cast<int>(launch->host().gpus.size());
    const int asked = page.asked.ask.gpus > 0 ? page.asked.ask.gpus : there;
    const int gpus = std::min({asked, there, kMostPlannedGpus});
    if (!kinds.tensor || kinds.by_layers || gpus < 2) continue;
    TensorLadder ladder{.engine = find_engine(launch->serve.engine), .rungs = {}};
    for (int tensor = 1; tensor <= gpus; ++tensor) {
      const Rejected* out = refusal(page.answer, ladder.engine, tensor);
      if (out == nullptr || out->code.starts_with(kOfMemory))
        ladder.rungs.push_back({tensor, out == nullptr ? "" : out->code});
    }
    ladders.push_back(std::move(ladder));
  }
  return ladders;
}

std::string rungs_text(const TensorLadder& ladder, Language language) {
  const bool english = language == Language::English;
  std::vector<std::string> rungs;
  for (const Rung& rung : ladder.rungs) {
    std::string text = label_of(rung.tensor);
    if (!rung.code.empty()) text += english ? " (" + rung.code + ")" : "（" + rung.code + "）";
    rungs.push_back(std::move(text));
  }
  return join(rungs, english ? ", " : "、");
}

}  // namespace sx
