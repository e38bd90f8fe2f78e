// SX4105. The long explanation and the scenes are in model_not_found.md.
#include <algorithm>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "knowledge/file_flags.h"
#include "knowledge/models.h"
#include "read/shell_words.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"there is no model folder {path}", "没有模型目录 {path}"};
constexpr Text kTilde{"~ is not expanded by the engine, and there is no folder {path}",
                      "引擎不会展开 ~，而目录 {path} 不存在"};
constexpr Text kNoFile{"there is no model file {path}", "没有模型文件 {path}"};
constexpr Text kBecause{
    "a path that does not exist is taken for the name of a repository on the hub",
    "不存在的路径会被当成 Hub 上的仓库名"};
constexpr Text kOtherwise{
    "the engine exits within seconds: \"Repo id must be in the form 'repo_name' or "
    "'namespace/repo_name'\", or that the repository "
    "was not found",
    "引擎在几秒内退出：“Repo id must be in the form 'repo_name' or "
    "'namespace/repo_name'”，或提示找不到仓库"};
constexpr Text kOpened{"the file is opened as the server starts; only --hf-repo asks the hub",
                       "服务一启动就打开这个文件；只有 --hf-repo 会访问 Hub"};
constexpr Text kNotLoaded{"it ends within seconds: \"{words}\"", "几秒内退出：“{words}”"};
constexpr Text kLookedFor{"nothing is at {path}", "{path} 处没有文件"};
constexpr Text kNear{"what lies there under nearly that name: {name}",
                     "改用那里名字相近的：{name}"};
constexpr Text kFromHub{"the model of that name from the hub: {id} (downloaded at the first start)",
                        "改用 Hub 上的同名模型：{id}（首次启动时下载）"};
constexpr Text kCheck{"check the spelling, and whether the folder is mounted where the engine runs",
                      "检查拼写，以及引擎运行的地方是否挂载了该目录"};
constexpr Text kCheckFile{
    "give the path at which the file lies; `ls -l {folder}` shows what is there",
    "改成文件实际所在的路径；用 `ls -l {folder}` 看那里有什么"};

constexpr Need kNeeds[] = {Need::HostFolders};

const AbsentFile* absent_model(const Case& c) {
  const auto found = std::ranges::find_if(c.around.absent_files, [&c](const AbsentFile& file) {
    return file.flag == "--model" && c.serve.model.known() && file.name == c.serve.model.value();
  });
  return found == c.around.absent_files.end() ? nullptr : &*found;
}

void say_of_file(Diagnostic& d, const AbsentFile& file, const FileFlag& flag) {
  d.title = {kNoFile, {{"path", file.name}}};
  d.because = kOpened;
  d.otherwise = {kNotLoaded, {{"words", std::string(flag.words)}}};
  const std::string folder = file.path.substr(0, std::max<std::size_t>(file.path.rfind('/'), 1));
  d.no_fix = {kCheckFile, {{"folder", shell_quoted(folder)}}};
}

// Unquoted, the shell has replaced it.
bool keeps_tilde(const Case& c, const AbsentFile& file) {
  return file.name.starts_with('~') &&
         std::ranges::none_of(c.command.words, [&file](const Word& word) {
           return word.tilde && word.span.source == file.span.source &&
                  word.span.begin >= file.span.begin && word.span.end <= file.span.end;
         });
}

void say_of_folder(Diagnostic& d, const Case& c, const AbsentFile& file) {
  d.title = {keeps_tilde(c, file) ? kTilde : kTitle, {{"path", file.name}}};
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.no_fix = kCheck;
}

// The hub has a model of a folder's name; a file's name tells too little of its repository.
std::optional<Proposal> of_that_name(std::string_view name) {
  while (name.ends_with('/')) name.remove_suffix(1);
  const ModelMatch match = match_model(name.substr(name.rfind('/') + 1));
  if (!match.row) return {};
  const std::string id(match.row->id());
  return Proposal{.title = {kFromHub, {{"id", id}}}, .changes = {set_model(id)}};
}

std::vector<Complaint> check(const Case& c) {
  const AbsentFile* file = absent_model(c);
  if (file == nullptr) return {};
  Complaint complaint;
  if (!file->unsure.empty()) complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  const FileFlag* flag = find_file_flag(c.serve.engine, file->flag);
  if (flag != nullptr) {
    say_of_file(d, *file, *flag);
  } else {
    say_of_folder(d, c, *file);
  }
  const bool whole = file->name.starts_with('/') || file->name.starts_with('~');
  mark(d, c.serve.model, whole ? Message{} : Message{kLookedFor, {{"path", file->path}}});
  if (!file->unsure.empty()) d.basis.push_back(file->unsure);
  d.subject = "model";
  const bool by_variable = c.serve.model.origin() == Origin::Environment;
  for (const std::string& name : file->near) {
    Change change = by_variable ? set_environment(file->typed, name) : set_model(name);
    complaint.proposals.push_back(
        {.title = {kNear, {{"name", name}}}, .changes = {std::move(change)}});
  }
  if (flag == nullptr) {
    if (auto hub = of_that_name(file->name)) complaint.proposals.push_back(*std::move(hub));
  }
  return {complaint};
}

}  // namespace

extern const Rule model_not_found{
    .code = "SX4105",
    .name = "model-not-found",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
