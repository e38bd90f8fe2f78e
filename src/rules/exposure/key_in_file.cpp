// SX9108. The long explanation and the scenes are in key_in_file.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/secrets.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{file} holds the value of {variable}", "{file} 里写着 {variable} 的值"};
constexpr Text kLabel{"a secret in the file", "文件里的密钥"};
constexpr Text kBecause{
    "whoever can read the file has the key, and what was once committed stays in the history of "
    "the "
    "repository",
    "能读这个文件的人就有了密钥；提交过一次，就一直留在仓库历史里"};
constexpr Text kOtherwise{
    "it works; the key goes wherever the file goes: copies, backups, tickets, pull requests",
    "可以运行；文件传到哪里，密钥就到哪里：副本、备份、工单、合并请求"};
constexpr Text kPass{
    "write only the name where it is set outside ({variable} without a value), or read it from a "
    "file that only the server can read; then make a new key, this one counts as known",
    "这里只写变量名（{variable} "
    "不带值，由外部设置），或从只有服务能读的文件读取；然后换一个新密钥，"
    "这个视为已泄露"};
constexpr Text kCluster{
    "put it into a Secret and name it with valueFrom.secretKeyRef; then make a new key, this one "
    "counts as known",
    "放进 Secret，用 valueFrom.secretKeyRef 引用；然后换一个新密钥，这个视为已泄露"};
constexpr Text kUnit{
    "put it into a file that only root can read and name that with EnvironmentFile=; then make a "
    "new key, this one counts as known",
    "放进只有 root 能读的文件，用 EnvironmentFile= 指定；然后换一个新密钥，这个视为已泄露"};

Message instead(const Case& c, const std::string& variable) {
  if (c.around.kind == Surroundings::Kind::Kubernetes) return kCluster;
  if (c.around.kind == Surroundings::Kind::Systemd) return kUnit;
  return {kPass, {{"variable", variable}}};
}

// A file that the launch takes variables from is the place for a key; who may read it is
// secret-readable-by-all's question. A manifest that another one extends is none.
bool is_file_of_variables(const Case& c, const Span& place) {
  const std::string& name = c.sources->at(place.source).name;
  const bool manifest = name.ends_with(".yaml") || name.ends_with(".yml");
  return place.source != c.command.source && !manifest;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const Secret& secret : secrets_of(c)) {
    if (secret.places.empty() || secret.name.starts_with('-')) continue;
    const Source& source = c.sources->at(secret.places.front().source);
    if (source.kind != SourceKind::File || is_file_of_variables(c, secret.places.front())) continue;
    Complaint& complaint = complaints.emplace_back();
    Diagnostic& d = complaint.diagnostic;
    const Argument variable("variable", secret.name);
    d.title = {kTitle, {{"file", source.name.substr(source.name.rfind('/') + 1)}, variable}};
    mark(d, secret.places.front(), kLabel);
    d.because = kBecause;
    d.otherwise = kOtherwise;
    d.no_fix = instead(c, secret.name);
    d.subject = "environment";
  }
  return complaints;
}

}  // namespace

extern const Rule key_in_file{
    .code = "SX9108",
    .name = "key-in-file",
    .severity = Severity::Advice,
    .check = check,
};

}  // namespace sx::rules
