// SX5114. The long explanation and the scenes are in persistence_off.md.
#include <vector>

#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"persistence mode is off on GPU {gpus}: the driver unloads between launches",
                      "GPU {gpus} 没有开启持久模式：两次启动之间驱动会卸载"};
constexpr Text kLabel{"of GPU {gpu}", "GPU {gpu}"};
constexpr Text kBasis{"GPU {gpu}: persistence mode off", "GPU {gpu}：持久模式关闭"};
constexpr Text kBecause{
    "without a client the driver lets go of the card and sets it up again for the next one; "
    "counters "
    "of errors and power limits are lost each time",
    "没有程序使用时，驱动会释放 GPU，下次再重新初始化；每次都会丢失错误计数和功耗上限设置"};
constexpr Text kOtherwise{"it runs; each start waits some seconds a card before anything is loaded",
                          "可以运行；每次启动，每张卡要多等几秒才开始加载"};
constexpr Text kNoFix{"`systemctl enable --now nvidia-persistenced`, or `nvidia-smi -pm 1`",
                      "执行 `systemctl enable --now nvidia-persistenced` 或 `nvidia-smi -pm 1`"};

constexpr Need kNeeds[] = {Need::HostPersistence};

std::vector<Complaint> check(const Case& c) {
  std::vector<const Gpu*> off;
  for (const Gpu* card : cards_in_question(c)) {
    // A screen keeps the driver loaded.
    if (!card->persistence.value_or(true) && !card->state.display.value_or(false))
      off.push_back(card);
  }
  // With one card the few seconds are not worth a word.
  if (off.size() < 2) return {};
  const Gpu& first = *off.front();
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument gpu("gpu", first.index);
  d.title = {kTitle, {{"gpus", numbers_of(off)}}};
  show(d, first.persistence, {kLabel, {gpu}}, {kBasis, {gpu}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "persistence mode";
  d.no_fix = kNoFix;
  return {complaint};
}

}  // namespace

extern const Rule persistence_off{
    .code = "SX5114",
    .name = "persistence-off",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
