// SX8101. The long explanation and the scenes are in port_in_use.md.
#include <algorithm>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/other_engines.h"
#include "rules/serving/listeners.h"
#include "rules/serving/published.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"port {port} is taken: something already listens on {listener}",
                      "端口 {port} 已被占用：{listener} 上已有程序在监听"};
constexpr Text kTaken{"taken", "已被占用"};
constexpr Text kDefault{"port {port}: the engine's default, as the command names none",
                        "端口 {port}：命令没有指定，取引擎默认值"};
constexpr Text kBecause{"an address and port can be listened on by one program only",
                        "同一地址和端口只能由一个程序监听"};
constexpr Text kOtherwise{
    "the launch ends within seconds, before it loads any weights: \"[Errno 98] Address already in "
    "use\"",
    "几秒内退出，此时尚未加载权重：“[Errno 98] Address already in use”"};

constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"the launch ends after it has loaded the model: \"[Errno 98] error while attempting to bind "
      "on address\"",
      "加载完模型之后才退出：“[Errno 98] error while attempting to bind on address”"}},
    {"llamacpp",
     {"the launch ends at once: \"couldn't bind HTTP server socket\"",
      "立即退出：“couldn't bind HTTP server socket”"}}};

constexpr Text kOfOthers{"the launch ends when it comes to listen, which some do after loading",
                         "到监听端口时退出，有的程序要等加载完模型才到这一步"};

constexpr Need kNeeds[] = {Need::HostPorts};

std::vector<Complaint> check(const Case& c) {
  const auto own = listener_of(c);
  if (!own) return {};
  const auto& used = c.host().used_ports.value();
  const auto other = std::ranges::find_if(
      used, [&own](const UsedPort& port) { return in_the_way(*own, {port.address, port.port}); });
  if (other == used.end()) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"port", own->port}, {"listener", written({other->address, other->port})}}};
  if (own_network(c)) mark(d, published(c, c.serve.port.value())->span, kTaken);
  if (d.labels.empty()) also(d, c.serve.port, kTaken, {kDefault, {{"port", own->port}}});
  if (!d.labels.empty()) d.labels.front().primary = true;
  d.because = kBecause;
  const bool other_engine = find_other_engine(c.serve.engine) != nullptr;
  d.otherwise = other_engine ? kOfOthers : of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = "--port";
  if (auto another = another_port(c, own->port)) complaint.proposals.push_back(*std::move(another));
  return {complaint};
}

}  // namespace

extern const Rule port_in_use{
    .code = "SX8101",
    .name = "port-in-use",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
