// SX8102. The long explanation and the scenes are in port_used_twice.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/other_engines.h"
#include "rules/serving/listeners.h"
#include "rules/serving/side_by_side.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"port {port} is also the port of the launch in line {line}",
                      "端口 {port} 与第 {line} 行启动的服务相同"};
constexpr Text kAgain{"asked for again", "再次使用"};
constexpr Text kFirst{"asked for first", "先用的"};
constexpr Text kDefault{"no --port: the default is {port}", "没有 --port：默认为 {port}"};
constexpr Text kBecause{"an address and port can be listened on by one program only",
                        "同一地址和端口只能由一个程序监听"};
constexpr Text kOtherwise{
    "whichever comes second ends within seconds: \"[Errno 98] Address already in use\"",
    "后启动的几秒内退出：“[Errno 98] Address already in use”"};
constexpr Text kOneAfterOther{
    "without & they run one after the other; side by side, the second ends: \"[Errno 98] Address "
    "already in use\"",
    "没有 & 时两者先后运行；如果同时运行，第二个会退出：“[Errno 98] Address already in use”"};

constexpr OfEngine kOtherwiseOf[] = {
    {"sglang",
     {"whichever comes second ends after it has loaded the model: \"[Errno 98] error while "
      "attempting to bind on address\"",
      "后启动的在加载完模型之后退出：“[Errno 98] error while attempting to bind on address”"}},
    {"llamacpp",
     {"whichever comes second ends at once: \"couldn't bind HTTP server socket\"",
      "后启动的立即退出：“couldn't bind HTTP server socket”"}}};
constexpr OfEngine kOneAfterOtherOf[] = {
    {"sglang",
     {"without & they run one after the other; side by side, the second ends after it has loaded "
      "the model",
      "没有 & 时两者先后运行；如果同时运行，第二个会在加载完模型之后退出"}},
    {"llamacpp",
     {"without & they run one after the other; side by side, the second ends at once",
      "没有 & 时两者先后运行；如果同时运行，第二个会立即退出"}}};

constexpr Text kOfOthers{"whichever comes second cannot listen, and ends",
                         "后启动的无法监听端口，随即退出"};
constexpr Text kOneAfterOtherOfOthers{
    "without & they run one after the other; side by side, the second cannot listen",
    "没有 & 时两者先后运行；如果同时运行，第二个无法监听端口"};

// Each service of a compose or Kubernetes file has a network of its own.
bool own_network(const Case& c) {
  const std::string& name = c.sources->at(c.command.source).name;
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

std::vector<const Case*> earlier_on_same_port(const Case& c, const Listener& own) {
  std::vector<const Case*> found;
  for (const Case& other : *c.all_launches) {
    if (other.launch >= c.launch) break;
    const auto listener = listener_of(other);
    if (listener && in_the_way(own, *listener) && !ended_between(c, other.command, c.command))
      found.push_back(&other);
  }
  return found;
}

// The flag, or the program where the port is the default.
void mark_port(Diagnostic& d, const Case& launch, int port, const Text& text) {
  const auto& flag = launch.serve.port.span();
  if (flag) return mark(d, *flag, text);
  mark(d, launch.command.words.front().span, {kDefault, {{"port", port}}});
}

std::vector<Complaint> check(const Case& c) {
  const auto own = listener_of(c);
  if (!own || c.all_launches == nullptr || c.command.source < 0 || own_network(c)) return {};
  const auto others = earlier_on_same_port(c, *own);
  if (others.empty()) return {};
  const Case& first = *others.front();

  Complaint complaint;
  const bool together = in_background(first.command);
  if (!together) complaint.severity = Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"port", own->port}, {"line", first.command.line}}};
  mark_port(d, c, own->port, kAgain);
  mark_port(d, first, own->port, kFirst);
  d.because = kBecause;
  if (find_other_engine(c.serve.engine) != nullptr) {
    d.otherwise = together ? kOfOthers : kOneAfterOtherOfOthers;
  } else {
    d.otherwise = together ? of_engine(c.serve, kOtherwiseOf, kOtherwise)
                           : of_engine(c.serve, kOneAfterOtherOf, kOneAfterOther);
  }
  d.subject = "--port";
  // Each later launch of several is given a port of its own.
  const int skipped = static_cast<int>(others.size()) - 1;
  if (auto another = another_port(c, own->port, skipped))
    complaint.proposals.push_back(*std::move(another));
  return {complaint};
}

}  // namespace

extern const Rule port_used_twice{
    .code = "SX8102",
    .name = "port-used-twice",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
