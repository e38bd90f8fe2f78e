// SX5101. The long explanation and the scenes are in driver_too_old.md.
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/gpu_condition.h"
#include "check/rule_engines.h"
#include "knowledge/drivers.h"
#include "knowledge/traits.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"driver {driver} is older than CUDA {cuda} needs: {least} or newer",
                      "驱动 {driver} 早于 CUDA {cuda} 的最低要求 {least}"};
constexpr Text kLabel{"CUDA {cuda} starts with driver {least}",
                      "CUDA {cuda} 从驱动 {least} 起可用"};
constexpr Text kDriver{"the machine's driver is {driver}", "机器的驱动是 {driver}"};
constexpr Text kInstalled{"the torch that is installed there is built with CUDA {cuda}",
                          "那里安装的 torch 是用 CUDA {cuda} 构建的"};
constexpr Text kImage{"the image's tag says CUDA {cuda}", "镜像标签写明 CUDA {cuda}"};
constexpr Text kWheel{"the package of {engine} is built with CUDA {cuda} unless another was chosen",
                      "{engine} 的软件包默认用 CUDA {cuda} 构建，除非另外选择过"};
constexpr Text kBecause{
    "a CUDA runtime works with drivers from its own major version on; within one major version "
    "older "
    "drivers keep working",
    "CUDA 运行时要求驱动不早于同一主版本；在同一主版本之内，较老的驱动仍可用"};
constexpr Text kOtherwise{
    "the container does not start, or torch sees no GPU at the import: \"The NVIDIA driver on your "
    "system is too old\"",
    "容器无法启动，或者 torch 在导入时看不到 GPU：“The NVIDIA driver on your system is too old”"};
constexpr Text kForward{
    "on data-centre cards a compatibility package in the image (cuda-compat) can make up for it",
    "数据中心卡可以靠镜像里的兼容包（cuda-compat）弥补"};
constexpr Text kNoFix{
    "update the driver to {least} or newer, or install a build for the CUDA of the driver: a wheel "
    "or image of {major}",
    "把驱动升级到 {least} 或更新，或者安装适合该驱动的构建：{major} 的 wheel 或镜像"};

constexpr Need kNeeds[] = {Need::HostDriver};

struct Wanted {
  std::string cuda;
  Message from;
  bool certain = false;  // what is there, not what usually is
  std::optional<Span> span;
};

// "v0.20.2-cu129" and "v0.5.3-cu126-runtime": 12.9 and 12.6.
std::optional<std::string> cuda_of_tag(std::string_view tag) {
  const auto at = tag.find("cu1");
  if (at == tag.npos) return {};
  const std::string_view rest = tag.substr(at + 2);
  const auto digits = rest.substr(0, rest.find_first_not_of("0123456789"));
  if (digits.size() != 3) return {};
  return std::string(digits.substr(0, 2)) + '.' + std::string(digits.substr(2));
}

std::optional<Wanted> wanted_cuda(const Case& c) {
  if (c.around.image_tag.known()) {
    if (const auto cuda = cuda_of_tag(c.around.image_tag.value()))
      return Wanted{*cuda, {kImage, {{"cuda", *cuda}}}, true, c.around.image_tag.span()};
  }
  const auto& torch = c.host().state.torch_cuda;
  if (torch.known() && !c.around.contained())
    return Wanted{torch.value(), {kInstalled, {{"cuda", torch.value()}}}, true, torch.span()};
  const auto wheel = trait(c.serve.engine, "wheel-cuda", c.serve.version);
  if (!wheel) return {};
  const std::string cuda(*wheel);
  return Wanted{
      cuda, {kWheel, {{"engine", engine_and_version(c.serve)}, {"cuda", cuda}}}, false, {}};
}

// Compatibility packages are for data-centre cards alone; the names of the others tell them apart.
bool for_consumers(const HostSpec& host) {
  if (host.gpus.empty()) return false;
  for (const Gpu& gpu : host.gpus) {
    const std::string name = gpu.name.value_or("");
    if (name.find("GeForce") == name.npos && name.find("TITAN") == name.npos) return false;
  }
  return true;
}

std::vector<Complaint> check(const Case& c) {
  const auto wanted = wanted_cuda(c);
  if (!wanted) return {};
  const auto least = oldest_driver(wanted->cuda);
  const std::string& driver = c.host().driver.value();
  if (!least || driver_before(driver, *least) != true) return {};

  Complaint complaint;
  const bool no_way_around = for_consumers(c.host());
  complaint.severity = wanted->certain && no_way_around ? Severity::Error : Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  const Argument cuda("cuda", wanted->cuda), floor("least", *least), found("driver", driver);
  d.title = {kTitle, {found, cuda, floor}};
  if (wanted->span) mark(d, *wanted->span, {kLabel, {cuda, floor}});
  show(d, c.host().driver, {}, {kDriver, {found}});
  if (!wanted->span) d.basis.push_back(wanted->from);
  if (!no_way_around) d.basis.push_back(kForward);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "driver";
  const auto major = to_integer(std::string_view(wanted->cuda).substr(0, 2)).value_or(0);
  d.no_fix = {kNoFix, {floor, {"major", "CUDA " + std::to_string(major - 1)}}};
  return {complaint};
}

}  // namespace

extern const Rule driver_too_old{
    .code = "SX5101",
    .name = "driver-too-old",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
