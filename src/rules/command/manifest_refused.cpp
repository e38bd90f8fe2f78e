// SX1124. The long explanation and the scenes are in manifest_refused.md.
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kVariable{"{name} is {written} without quotes, and only text is taken there",
                         "{name} 的值 {written} 没有加引号，而这里只接受文本"};
constexpr Text kWord{"{written} without quotes is no text, and {name} takes texts only",
                     "没有加引号的 {written} 不是文本，而 {name} 只接受文本"};
constexpr Text kNoCapabilities{"a device reservation without capabilities",
                               "设备预留没有写 capabilities"};
constexpr Text kBoth{"a device reservation with a count and with a list of devices",
                     "设备预留同时写了 count 和 device_ids"};
constexpr Text kYamlTakes{"YAML takes it for a number or a bool", "YAML 把它当作数字或布尔值"};
constexpr Text kMissing{"capabilities: [gpu] is missing", "缺少 capabilities: [gpu]"};
constexpr Text kExclusive{"the list says how many", "列表已经说明了数量"};

constexpr Text kTextOnly{"arguments and the values of variables are texts; nothing is converted",
                         "参数和环境变量的值都是文本，不会自动转换"};
constexpr Text kSaysWhatFor{"a reservation has to say what the device is for",
                            "设备预留必须写明设备的用途"};
constexpr Text kOneOfBoth{"either a number of devices or a list of them can be reserved",
                          "预留设备时，数量和列表只能写一种"};
constexpr Text kKubernetes{
    "kubectl apply is refused at once: \"cannot unmarshal … into Go struct field … of type "
    "string\"",
    "kubectl apply 立即被拒绝：“cannot unmarshal … into Go struct field … of type string”"};
constexpr Text kCompose{"docker compose ends at once: \"must be a string\"",
                        "docker compose 立即退出：“must be a string”"};
constexpr Text kComposeMissing{"docker compose ends at once: \"missing property 'capabilities'\"",
                               "docker compose 立即退出：“missing property 'capabilities'”"};
constexpr Text kComposeBoth{
    "docker compose ends at once: \"\\\"count\\\" and \\\"device_ids\\\" attributes are "
    "exclusive\"",
    "docker compose 立即退出：“\\\"count\\\" and \\\"device_ids\\\" attributes are exclusive”"};
constexpr Text kQuote{"the command cannot change it: write \"{written}\" in the file",
                      "改命令没有用：在文件里写成 \"{written}\""};
constexpr Text kAdd{"the command cannot change it: add capabilities: [gpu] to the reservation",
                    "改命令没有用：在设备预留里加上 capabilities: [gpu]"};
constexpr Text kDropCount{"the command cannot change it: leave count out",
                          "改命令没有用：去掉 count"};

constexpr std::size_t kMost = 5;  // of one launch; more of the same tell nothing new

bool is_list(const std::string& name) {
  return name == "args" || name == "command" || name == "entrypoint";
}

Complaint complaint_of(const Case& c, const ManifestFault& fault) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const bool kubernetes = c.around.kind == Surroundings::Kind::Kubernetes;
  const Argument name("name", fault.name), written("written", fault.written);
  switch (fault.kind) {
    case ManifestFault::Kind::NotText:
      d.title = {is_list(fault.name) ? kWord : kVariable, {name, written}};
      mark(d, fault.span, {kYamlTakes});
      d.because = kTextOnly;
      d.otherwise = kubernetes ? kKubernetes : kCompose;
      d.no_fix = {kQuote, {written}};
      break;
    case ManifestFault::Kind::NoCapabilities:
      d.title = {kNoCapabilities};
      mark(d, fault.span, {kMissing});
      d.because = kSaysWhatFor;
      d.otherwise = kComposeMissing;
      d.no_fix = kAdd;
      break;
    case ManifestFault::Kind::CountAndDevices:
      d.title = {kBoth};
      mark(d, fault.span, {kExclusive});
      d.because = kOneOfBoth;
      d.otherwise = kComposeBoth;
      d.no_fix = kDropCount;
      break;
  }
  d.subject = "manifest";
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const ManifestFault& fault : c.around.faults) {
    if (complaints.size() == kMost) break;
    complaints.push_back(complaint_of(c, fault));
  }
  return complaints;
}

}  // namespace

extern const Rule manifest_refused{
    .code = "SX1124",
    .name = "manifest-refused",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
