// SX4139. The long explanation and the scenes are in repository_as_file.md.
#include <string>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "facts/paths.h"
#include "rules/model/surroundings.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"--model takes a file, and {id} is the name of a repository",
                      "--model 要的是文件，而 {id} 是仓库名"};
constexpr Text kLabel{"looked for as a file in the current folder",
                      "会被当成当前目录下的文件去打开"};
constexpr Text kBecause{
    "--model and -m are opened as they stand; only --hf-repo (-hf) asks the hub, and it finds "
    "files "
    "in the cache, too",
    "--model（-m）原样当作文件打开；只有 --hf-repo（-hf）会访问 Hub，也会先查缓存"};
constexpr Text kOtherwise{
    "it exits within seconds: \"failed to open GGUF file '{id}'\", \"exiting due to model loading "
    "error\"",
    "几秒内退出：“failed to open GGUF file '{id}'”、“exiting due to model loading error”"};
constexpr Text kFromHub{"the same repository from the hub; it is downloaded at the first start",
                        "从 Hub 取同一个仓库；首次启动时下载"};
constexpr Text kNameOne{
    "name a .gguf file, or with --hf-repo a repository of GGUF files: this name tells of none",
    "指定一个 .gguf 文件，或用 --hf-repo 指定存放 GGUF 文件的仓库：从这个名字看不出有 GGUF 文件"};

bool tells_of_gguf(std::string_view id) { return lower(id).contains("gguf") || id.contains(':'); }

// A folder or file of that name was found where the launch runs.
bool is_there(const Case& c) { return c.model().from == ModelFrom::Directory; }

std::vector<Complaint> check(const Case& c) {
  const FlagUse* use = c.serve.use_of("--model");
  const bool by_file = use != nullptr && c.serve.use_of("--hf-repo") == nullptr &&
                       c.serve.use_of("--model-url") == nullptr;
  if (!by_file || !c.serve.model.known() || is_there(c)) return {};
  const std::string& id = c.serve.model.value();
  if (!names_repository(id)) return {};

  Complaint complaint;
  // Another machine may have a folder and a file of these names, however odd they are.
  if (!runs_here(c)) complaint.severity = Severity::Warning;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"id", id}}};
  mark(d, c.serve.model, kLabel);
  d.because = kBecause;
  d.otherwise = {kOtherwise, {{"id", id}}};
  d.subject = "model";
  d.no_fix = kNameOne;
  if (tells_of_gguf(id))
    complaint.proposals.push_back(
        {.title = kFromHub, .changes = {rename_flag(use->typed, "--hf-repo")}});
  return {complaint};
}

constexpr std::string_view kEngines[] = {"llamacpp"};

}  // namespace

extern const Rule repository_as_file{
    .code = "SX4139",
    .name = "repository-as-file",
    .severity = Severity::Error,
    .engines = kEngines,
    .check = check,
};

}  // namespace sx::rules
