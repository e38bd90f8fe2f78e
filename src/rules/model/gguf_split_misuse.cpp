// SX4126. The long explanation and the scenes are in gguf_split_misuse.md.
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{problem}", "{problem}"};
constexpr Text kPart{"part of a split file", "一个分片"};
constexpr Text kBecause{
    "the first part tells how many there are, and the names of the others are made from its own",
    "第一个分片写明总数，其余分片的名字由它的名字推出"};
constexpr Text kOtherwise{
    "the load ends within seconds: \"illegal split file idx\", \"invalid split file name\" or "
    "\"corrupted model\"",
    "几秒内加载失败：“illegal split file idx”、“invalid split file name”或“corrupted model”"};
// No command of ours: files that were not read stand behind it.
constexpr Text kFirst{"name the first part in its place: {path}", "改为指定第一个分片：{path}"};
constexpr Text kNames{
    "give all parts their published names back (NAME-00001-of-0000N.gguf), or join them: "
    "llama-gguf-split --merge FIRST-PART WHOLE.gguf",
    "恢复各分片发布时的文件名（名字-00001-of-0000N.gguf），或合并：llama-gguf-split --merge "
    "第一个分片 合并后.gguf"};

constexpr Need kNeeds[] = {Need::ModelFiles};

// The first part as the user would write it: in the folder that was typed.
std::string first_as_typed(const Case& c) {
  const std::string& typed = c.serve.model.value();
  const std::string& first = c.model().split_first;
  const auto slash = typed.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : typed.substr(0, slash + 1);
  return folder + first.substr(first.rfind('/') + 1);
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  if (model.split_problem.english.empty()) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"problem", model.split_problem}}};
  mark(d, c.serve.model, kPart);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "model";
  const bool later = !model.split_first.empty() && c.serve.model.known();
  d.no_fix = later ? Message{kFirst, {{"path", first_as_typed(c)}}} : Message{kNames};
  return {complaint};
}

}  // namespace

extern const Rule gguf_split_misuse{
    .code = "SX4126",
    .name = "gguf-split-misuse",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
