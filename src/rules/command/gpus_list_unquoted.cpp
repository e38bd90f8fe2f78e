// SX1123. The long explanation and the scenes are in gpus_list_unquoted.md.
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/container_changes.h"
#include "facts/container_values.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"--gpus {value} asks for a device and for a count at the same time",
                      "--gpus {value} 同时指定了设备和数量"};
constexpr Text kLabel{"read as device {device} and, behind the comma, a count of {count}",
                      "读作设备 {device}，逗号之后的 {count} 被当作数量"};
constexpr Text kBecause{
    "the value is a line of fields with commas between them; only double quotes inside it keep a "
    "list together, and the shell takes away quotes that stand alone",
    "这个值是用逗号分隔的字段；只有值里面的双引号才能把列表保持为一个字段，而单独的一层引号会被 "
    "shell "
    "去掉"};
constexpr Text kOtherwise{
    "nothing starts: \"cannot set both Count and DeviceIDs on device request\"",
    "什么都不会启动：“cannot set both Count and DeviceIDs on device request”"};
constexpr Text kQuote{"quote the list for docker as well as for the shell",
                      "同时为 docker 和 shell 给列表加引号"};

std::vector<Complaint> check(const Case& c) {
  const auto line = run_line(c.command);
  if (!line) return {};
  const ContainerOption* gpus = option_of(*line, "--gpus");
  if (gpus == nullptr || !gpus->complete) return {};
  const GpuRequest request = gpu_request(gpus->value);
  if (!request.count_and_devices) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"value", gpus->value}}};
  mark(d, gpus->span,
       {kLabel, {{"device", request.devices.front()}, {"count", request.count.value_or(0)}}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--gpus";
  complaint.proposals.push_back(
      {.title = kQuote,
       .changes = set_container_option(c.command, "--gpus", '"' + gpus->value + '"')});
  return {complaint};
}

}  // namespace

extern const Rule gpus_list_unquoted{
    .code = "SX1123",
    .name = "gpus-list-unquoted",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
