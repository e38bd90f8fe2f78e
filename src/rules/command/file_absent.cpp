// SX1142. The long explanation and the scenes are in file_absent.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/file_flags.h"
#include "read/shell_words.h"
namespace sx::rules {
namespace {

constexpr Text kTitle{"{flag} names a file that is not there: {name}",
                      "{flag} 指定的文件不存在：{name}"};
constexpr Text kLabel{"nothing is at {path}", "{path} 处没有文件"};
constexpr Text kLate{"the file is opened only when the weights are loaded, minutes later",
                     "这个文件要到权重加载完才打开，那已是几分钟之后"};
constexpr Text kEarly{"the file is opened as the server starts", "服务一启动就会打开这个文件"};
constexpr Text kEndsLate{"it loads the model and ends then: \"{words}\"",
                         "加载完模型才退出：“{words}”"};
constexpr Text kEndsEarly{"it ends within seconds: \"{words}\"", "几秒内退出：“{words}”"};
constexpr Text kLook{"give a path at which the file lies; `ls -l {folder}` shows what is there",
                     "改成文件实际所在的路径；用 `ls -l {folder}` 看那里有什么"};
constexpr Text kGive{"give the path as it is seen from {folder}", "改成从 {folder} 能找到的路径"};
constexpr Text kGiveTemplate{
    "give the path as it is seen from {folder}; templates that recipes name (examples/…) lie in "
    "the engine's source repository, not in its package",
    "改成从 {folder} 能找到的路径；教程里写的模板（examples/…）在引擎的源码仓库里，安装包里没有"};

constexpr Need kNeeds[] = {Need::HostFolders};

// Where a relative name begins; of a whole path its folder, in a shell's words.
Message where_to_look(const AbsentFile& file, bool may_be_recipe) {
  const bool whole = file.name.starts_with('/') || !file.path.ends_with(file.name);
  const std::size_t length = whole ? file.path.rfind('/') + 1 : file.path.size() - file.name.size();
  const std::string folder = length > 1 ? file.path.substr(0, length - 1) : "/";
  if (whole) return {kLook, {{"folder", shell_quoted(folder)}}};
  return {may_be_recipe ? kGiveTemplate : kGive, {{"folder", folder}}};
}

std::vector<Complaint> check(const Case& c) {
  std::vector<Complaint> complaints;
  for (const AbsentFile& file : c.around.absent_files) {
    const FileFlag* flag = find_file_flag(c.serve.engine, file.flag);
    if (flag == nullptr) continue;
    Complaint& complaint = complaints.emplace_back();
    Diagnostic& d = complaint.diagnostic;
    d.title = {kTitle, {{"flag", file.typed}, {"name", file.name}}};
    mark(d, file.span, {kLabel, {{"path", file.path}}});
    d.because = flag->late ? kLate : kEarly;
    d.otherwise = {flag->late ? kEndsLate : kEndsEarly, {{"words", std::string(flag->words)}}};
    d.no_fix = where_to_look(file, flag->form == FileFlag::Form::Template);
    d.subject = file.flag;
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
