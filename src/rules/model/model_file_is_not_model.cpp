// SX4103. The long explanation and the scenes are in model_file_is_not_model.md.
#include <array>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "rules/model/weight_words.h"

namespace sx::rules {
namespace {

// What lies in the place of weights, and how to say it of one file and of several.
struct Impostor {
  FileState state;
  Text one, many, because;
};

constexpr std::array<Impostor, 3> kImpostors{{
    {FileState::Pointer,
     {"{file} is a git-lfs pointer of {have}, not weights",
      "{file} 只是 {have} 的 git-lfs 指针，不是权重"},
     {"{count} of {all} weight files are git-lfs pointers, not weights",
      "{all} 个权重文件中有 {count} 个只是 git-lfs 指针，不是权重"},
     {"a git clone without git-lfs leaves a short text in the place of each large file",
      "没有 git-lfs 的 git clone 只会在每个大文件的位置留下一小段文本"}},
    {FileState::WebPage,
     {"{file} is a web page, not weights ({have})", "{file} 是网页，不是权重（{have}）"},
     {"{count} of {all} weight files are web pages, not weights",
      "{all} 个权重文件中有 {count} 个是网页，不是权重"},
     {"the download saved the page of the site (an error, a login, a file view) under the name of "
      "the file",
      "下载时把网站页面（报错页、登录页或文件预览页）存成了这个文件名"}},
    {FileState::Text,
     {"{file} is a text, not weights ({have})", "{file} 是文本，不是权重（{have}）"},
     {"{count} of {all} weight files are texts, not weights",
      "{all} 个权重文件中有 {count} 个是文本，不是权重"},
     {"the download saved an answer of the server, such as \"Entry not found\", under the name of "
      "the file",
      "下载时把服务器的回答（例如“Entry not found”）存成了这个文件名"}},
}};

constexpr Text kOtherwise{
    "the load stops at this file, about a minute after the start: \"Error while deserializing "
    "header: HeaderTooLarge\", "
    "which says nothing of the cause",
    "启动约一分钟后，加载到这个文件时停下：“Error while deserializing header: "
    "HeaderTooLarge”，看不出真正的原因"};
constexpr OfEngine kOtherwiseOf[] = {
    {"llamacpp",
     {"the load ends within seconds: \"invalid magic characters\", which says nothing of the cause",
      "几秒内加载失败：“invalid magic characters”，看不出真正的原因"}}};
constexpr Text kPull{
    "fetch the weights into the clone: git -C {folder} lfs install && git -C {folder} lfs pull",
    "在克隆的目录里取回权重：git -C {folder} lfs install && git -C {folder} lfs pull"};

constexpr Need kNeeds[] = {Need::ModelFiles};

Complaint complaint_of(const Case& c, const Impostor& impostor,
                       const std::vector<const WeightFile*>& files) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const WeightFile& first = *files.front();
  d.title = files.size() == 1
                ? Message{impostor.one, {{"file", first.path}, {"have", first.bytes}}}
                : Message{impostor.many,
                          {{"count", files.size()}, {"all", files_of_checkpoint(c.model())}}};
  mark_files(c, d, files);
  d.because = impostor.because;
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = "model";
  const bool pointer =
      impostor.state == FileState::Pointer && c.model().from == ModelFrom::Directory;
  d.no_fix = pointer ? Message{kPull, {{"folder", c.model().folder}}} : fetch_anew(c, files);
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  if (!loads_weight_files(c.serve)) return {};
  std::vector<Complaint> complaints;
  for (const Impostor& impostor : kImpostors) {
    const auto files = files_in_state(c.model(), impostor.state);
    if (!files.empty()) complaints.push_back(complaint_of(c, impostor, files));
  }
  return complaints;
}

}  // namespace

extern const Rule model_file_is_not_model{
    .code = "SX4103",
    .name = "model-file-is-not-model",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
