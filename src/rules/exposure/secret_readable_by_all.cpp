// SX9110. The long explanation and the scenes are in secret_readable_by_all.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "read/shell_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"every account of this machine can read {file}, which holds a key",
                      "{file} 里有密钥，而本机所有账号都能读"};
constexpr Text kLabel{"from a file that others may read", "来自其他账号可读的文件"};
constexpr Text kToken{"{file}: where the hub's tools keep their token",
                      "{file}：Hub 工具保存 token 的地方"};
constexpr Text kBecause{
    "the permissions of the file let others read it, and those of the folders above it let them "
    "pass",
    "文件权限允许其他账号读取，上层目录也允许通过"};
constexpr Text kOtherwise{"it works; any account and any service of this machine can copy the key",
                          "可以运行；本机任何账号、任何服务都能复制这个密钥"};
constexpr Text kClose{
    "`chmod o= {path}` takes the right from all but its owner and "
    "group",
    "执行 `chmod o= {path}`，只留给属主和属组"};

constexpr Need kNeeds[] = {Need::HostFolders};

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const SecretFile& file : c.around.secret_files) {
    if (!file.others_read) continue;
    Complaint& complaint = complaints.emplace_back();
    Diagnostic& d = complaint.diagnostic;
    const Argument name("file", file.name);
    d.title = {kTitle, {name}};
    if (file.span.source >= 0) {
      mark(d, file.span, kLabel);
    } else {
      d.basis.push_back({kToken, {name}});
    }
    d.because = kBecause;
    d.otherwise = kOtherwise;
    d.no_fix = {kClose, {{"path", shell_quoted(file.path)}}};
    d.subject = file.name;
  }
  return complaints;
}

}  // namespace

extern const Rule secret_readable_by_all{
    .code = "SX9110",
    .name = "secret-readable-by-all",
    .severity = Severity::Warning,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
