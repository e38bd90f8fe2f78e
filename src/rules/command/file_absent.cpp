// SX1142. The long explanation and the scenes are in file_absent.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "diag/listed.h"
#include "knowledge/file_flags.h"
#include "read/shell_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{flag} names a file that is not there: {name}",
                      "{flag} 指定的文件不存在：{name}"};
constexpr Text kFolderTitle{"{flag} names a folder that is not there: {name}",
                            "{flag} 指定的目录不存在：{name}"};
constexpr Text kLabel{"nothing is at {path}", "{path} 处没有文件"};
constexpr Text kFolderLabel{"nothing is at {path}", "{path} 处没有目录"};
constexpr Text kLate{"the file is opened only when the weights are loaded, minutes later",
                     "这个文件要到权重加载完才打开，那已是几分钟之后"};
constexpr Text kEarly{"the file is opened as the server starts", "服务一启动就会打开这个文件"};
constexpr Text kFolder{"the folder is asked for as the server starts, and it makes none",
                       "服务一启动就会检查这个目录，它不会自动创建"};
constexpr Text kAdapters{"adapters are loaded only when the engine is up, minutes later",
                         "适配器要到引擎就绪后才加载，那已是几分钟之后"};
constexpr Text kEndsLate{"it loads the model and ends then: \"{words}\"",
                         "加载完模型才退出：“{words}”"};
constexpr Text kEndsEarly{"it ends within seconds: \"{words}\"", "几秒内退出：“{words}”"};
constexpr Text kNear{"nearly that name: {names}", "那里有名字相近的：{names}"};
constexpr Text kLook{"give a path at which the file lies; `ls -l {folder}` shows what is there",
                     "改成文件实际所在的路径；用 `ls -l {folder}` 看那里有什么"};
constexpr Text kLookFolder{
    "give the path at which the folder lies; `ls -l {folder}` shows what is there",
    "改成目录实际所在的路径；用 `ls -l {folder}` 看那里有什么"};
constexpr Text kGive{"give the path as it is seen from {folder}", "改成从 {folder} 能找到的路径"};
constexpr Text kGiveTemplate{
    "give the path as it is seen from {folder}; templates that recipes name (examples/…) lie in "
    "the engine's source repository, not in its package",
    "改成从 {folder} 能找到的路径；教程里写的模板（examples/…）在引擎的源码仓库里，安装包里没有"};
constexpr Text kMake{"make it: mkdir -p {path}", "创建它：mkdir -p {path}"};

constexpr Need kNeeds[] = {Need::HostFolders};

// Where a relative name begins; of a whole path its folder, in a shell's words.
Message where_to_look(const AbsentFile& file, FileFlag::Form form) {
  using enum FileFlag::Form;
  if (form == Folder) return {kMake, {{"path", shell_quoted(file.path)}}};
  const bool whole = file.name.starts_with('/') || !file.path.ends_with(file.name);
  const std::size_t length = whole ? file.path.rfind('/') + 1 : file.path.size() - file.name.size();
  const std::string folder = length > 1 ? file.path.substr(0, length - 1) : "/";
  const Text look = form == Named ? kLookFolder : kLook;
  if (whole) return {look, {{"folder", shell_quoted(folder)}}};
  return {form == Template ? kGiveTemplate : kGive, {{"folder", folder}}};
}

Text because(const FileFlag& flag) {
  if (flag.form == FileFlag::Form::Named) return kAdapters;
  if (flag.form == FileFlag::Form::Folder) return kFolder;
  return flag.late ? kLate : kEarly;
}

Complaint complaint_of(const AbsentFile& file, const FileFlag& flag) {
  using enum FileFlag::Form;
  const bool folder = flag.form == Folder || flag.form == Named;
  Complaint complaint;
  if (!file.unsure.empty()) complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.title = {folder ? kFolderTitle : kTitle, {{"flag", file.typed}, {"name", file.name}}};
  mark(d, file.span, {folder ? kFolderLabel : kLabel, {{"path", file.path}}});
  if (!file.unsure.empty()) d.basis.push_back(file.unsure);
  if (!file.near.empty()) d.basis.push_back({kNear, {{"names", listed(file.near)}}});
  d.because = because(flag);
  d.otherwise = {flag.late ? kEndsLate : kEndsEarly, {{"words", std::string(flag.words)}}};
  d.no_fix = where_to_look(file, flag.form);
  d.subject = file.flag;
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const AbsentFile& file : c.around.absent_files) {
    const FileFlag* flag = find_file_flag(c.serve.engine, file.flag);
    const bool model = file.flag == "--model";  // SX4105
    if (flag != nullptr && !model) complaints.push_back(complaint_of(file, *flag));
  }
  return complaints;
}

}  // namespace

extern const Rule file_absent{
    .code = "SX1142",
    .name = "file-absent",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
