// SX5102. The long explanation and the scenes are in driver_library_mismatch.md.
#include <string>
#include <vector>

#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kVersions{"the NVIDIA library is {library} and the loaded kernel module is {module}",
                         "NVIDIA 用户态库是 {library}，而已加载的内核模块是 {module}"};
constexpr Text kSaid{"the NVIDIA library and the loaded kernel module have different versions",
                     "NVIDIA 用户态库与已加载的内核模块版本不同"};
constexpr Text kQuote{"nvidia-smi said: {said}", "nvidia-smi 报告：{said}"};
constexpr Text kQuoteLabel{"said by nvidia-smi", "nvidia-smi 的报告"};
constexpr Text kEvent{"the kernel's log has an API mismatch", "内核日志里有 API mismatch"};
constexpr Text kLibrary{"version of the library", "用户态库的版本"};
constexpr Text kBecause{
    "the library talks to a module of its own version only; an update replaces the files at once, "
    "the module when it is loaded again",
    "用户态库只与同版本的内核模块配合；升级会立刻替换文件，而内核模块要到重新加载才更换"};
constexpr Text kOtherwise{
    "the engine sees no GPU and exits at the start: \"Failed to infer device type\" or \"No CUDA "
    "GPUs are available\"",
    "引擎看不到 GPU，一启动就退出：“Failed to infer device type”或“No CUDA GPUs are available”"};
constexpr Text kNoFix{
    "restart the machine; without a restart: end all that uses the cards, then `rmmod nvidia_uvm "
    "nvidia_drm nvidia_modeset nvidia` and `modprobe nvidia`",
    "重启机器；若不能重启：结束所有使用 GPU 的进程，再执行 `rmmod nvidia_uvm nvidia_drm "
    "nvidia_modeset nvidia` 和 `modprobe nvidia`"};

// Both versions told: they speak; a card that answered since shows that it is over.
std::vector<Complaint> check(const Case& c) {
  const auto& state = c.host().state;
  const bool said = state.driver_failure.known() &&
                    state.driver_failure.value().find("version mismatch") != std::string::npos;
  const bool told = state.driver_library.known() && state.driver_module.known() &&
                    !state.driver_module.value().starts_with(state.driver_library.value());
  if (!c.host().gpus.empty() || (!said && !told)) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = kSaid;
  if (told) {
    d.title = {
        kVersions,
        {{"library", state.driver_library.value()}, {"module", state.driver_module.value()}}};
  }
  if (said) {
    show(d, state.driver_failure, kQuoteLabel, {kQuote, {{"said", state.driver_failure.value()}}});
  } else {
    show(d, state.driver_library, kLibrary, kEvent);
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "driver";
  d.no_fix = kNoFix;
  return {complaint};
}

}  // namespace

extern const Rule driver_library_mismatch{
    .code = "SX5102",
    .name = "driver-library-mismatch",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
