// SX8112. The long explanation and the scenes are in port_unusable.md.
#include <vector>

#include "base/ports.h"
#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/traits.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"port {port} does not exist: ports end at {last}",
                      "端口 {port} 不存在：端口号最大是 {last}"};
constexpr Text kLlama{"port {port} becomes {taken}: only its last 16 bits are used",
                      "端口 {port} 会变成 {taken}：只取它的低 16 位"};
constexpr Text kBecause{"a port is a number of 16 bits", "端口号是 16 位数"};
constexpr Text kOtherwise{"it ends before it loads anything: \"bind(): port must be 0-65535\"",
                          "加载任何东西之前就退出：“bind(): port must be 0-65535”"};
constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"it ends when the server begins to listen, which is after the model is loaded",
      "开始监听时退出，此时模型已经加载完"}},
    {"llamacpp",
     {"it starts and says the number that was asked for, while it listens on the other one",
      "可以启动，日志里写的是所要的端口，实际监听的却是另一个"}}};
constexpr Text kStandard{"leave it out; the engine then takes its usual port",
                         "去掉它，使用引擎的默认端口"};
constexpr Text kChoose{"choose a port from 1024 to {last} that nobody uses",
                       "在 1024 到 {last} 之间选一个没人用的端口"};

std::vector<Complaint> check(const Case& c) {
  const Fact<int>& port = c.serve.port;
  if (!port.asked() || port.value() <= kLastPort) return {};
  const bool wraps = trait(c.serve.engine, "port-wraps", c.serve.version).has_value();
  Complaint complaint;
  if (wraps) complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  const Argument asked("port", port.value());
  d.title = wraps ? Message{kLlama, {asked, {"taken", port.value() % (kLastPort + 1)}}}
                  : Message{kTitle, {asked, {"last", kLastPort}}};
  mark(d, port, {});
  d.because = kBecause;
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = "--port";
  d.no_fix = {kChoose, {{"last", kLastPort}}};
  complaint.proposals.push_back({kStandard, {remove_flag("--port")}});
  return {complaint};
}

}  // namespace

extern const Rule port_unusable{
    .code = "SX8112",
    .name = "port-unusable",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
