// SX5115. The long explanation and the scenes are in gpu_drives_screen.md.
#include <vector>

#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"GPU {gpu} also drives a screen", "GPU {gpu} 同时在驱动显示器"};
constexpr Text kTitleOf{"GPU {gpu} also drives a screen, unlike GPU {others} of the launch",
                        "GPU {gpu} 同时在驱动显示器，同一启动里的 GPU {others} 则没有"};
constexpr Text kLabel{"of GPU {gpu}", "GPU {gpu}"};
constexpr Text kBasis{"GPU {gpu}: display active", "GPU {gpu}：显示已激活"};
constexpr Text kHeld{"GPU {gpu}: {used} are in use now", "GPU {gpu}：目前已占用 {used}"};
constexpr Text kBecause{
    "the desktop takes some of this card's memory, and the amount changes with what is opened; the "
    "engine takes a fixed share of the whole card",
    "桌面会占用这张卡的一部分显存，而且随打开的程序变化；引擎则按整张卡的固定比例占用"};
constexpr Text kOtherwise{
    "a start that went well yesterday ends for lack of memory today, and the screen stutters while "
    "prompts are worked through",
    "昨天能启动，今天可能因显存不足而退出；处理提示词时画面也会卡顿"};
constexpr Text kNoFix{
    "leave room for the desktop in --gpu-memory-utilization, or connect the screen to another card",
    "在 --gpu-memory-utilization 里给桌面留出空间，或把显示器接到另一张卡"};

constexpr Need kNeeds[] = {Need::HostDisplay};

std::vector<Complaint> check(const Case& c) {
  const Gpu* shown = nullptr;
  std::vector<const Gpu*> others;
  for (const Gpu* card : cards_in_question(c)) {
    const bool drives = card->state.display.value_or(false);
    if (drives && shown == nullptr) shown = card;
    if (!drives) others.push_back(card);
  }
  if (shown == nullptr) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument gpu("gpu", shown->index);
  d.title = others.empty() ? Message{kTitle, {gpu}}
                           : Message{kTitleOf, {gpu, {"others", numbers_of(others)}}};
  show(d, shown->state.display, {kLabel, {gpu}}, {kBasis, {gpu}});
  if (shown->used.known()) d.basis.push_back({kHeld, {gpu, {"used", shown->used.value()}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "GPU " + numbers_of({shown});
  d.no_fix = kNoFix;
  std::vector<const Gpu*> bad;
  for (const Gpu& one : c.host().gpus) {
    if (one.state.display.value_or(false)) bad.push_back(&one);
  }
  propose_other_cards(c, bad, complaint.proposals);
  return {complaint};
}

}  // namespace

extern const Rule gpu_drives_screen{
    .code = "SX5115",
    .name = "gpu-drives-screen",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
