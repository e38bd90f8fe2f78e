// SX4102. The long explanation and the scenes are in weights_truncated.md.
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "rules/model/weight_words.h"

namespace sx::rules {
namespace {

constexpr Text kShort{"{file} is cut short: {left} of {whole} are missing",
                      "{file} 不完整：共 {whole}，缺少 {left}"};
constexpr Text kHeader{"{file} is cut short inside its header, at {have}",
                       "{file} 在文件头中间就断了，只有 {have}"};
constexpr Text kEmpty{"{file} is empty", "{file} 是空文件"};
constexpr Text kMany{"{count} of {all} weight files are cut short",
                     "{all} 个权重文件中有 {count} 个不完整"};
constexpr Text kExample{"{file}: {left} of {whole} are missing", "{file}：共 {whole}，缺少 {left}"};
constexpr Text kBecause{"a weight file must be as long as its own header says",
                        "权重文件的长度必须与它自己的文件头一致"};
constexpr Text kOtherwise{
    "the load stops at this file, often minutes after the start: \"Error while deserializing "
    "header: "
    "MetadataIncompleteBuffer\", without the file's name",
    "加载到这个文件时停下，往往已过去几分钟：“Error while deserializing header: "
    "MetadataIncompleteBuffer”，不说是哪个文件"};

constexpr OfEngine kOtherwiseOf[] = {
    {"llamacpp",
     {"the load ends within seconds: \"data is not within the file bounds, model is corrupted or "
      "incomplete\"",
      "几秒内加载失败：“data is not within the file bounds, model is corrupted or incomplete”"}}};

constexpr Need kNeeds[] = {Need::ModelFiles};

Message title(const ModelSpec& model, const std::vector<const WeightFile*>& files) {
  const WeightFile& first = *files.front();
  if (files.size() > 1)
    return {kMany, {{"count", files.size()}, {"all", files_of_checkpoint(model)}}};
  if (first.bytes == Bytes{0}) return {kEmpty, {{"file", first.path}}};
  if (first.at_least) return {kHeader, {{"file", first.path}, {"have", first.bytes}}};
  return {
      kShort,
      {{"file", first.path}, {"left", first.expected - first.bytes}, {"whole", first.expected}}};
}

std::vector<Complaint> check(const Case& c) {
  const auto files = files_in_state(c.model(), FileState::Truncated);
  if (files.empty() || !loads_weight_files(c.serve)) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = title(c.model(), files);
  mark_files(c, d, files);
  const WeightFile& first = *files.front();
  if (files.size() > 1 && first.bytes > Bytes{0} && !first.at_least) {
    d.basis.push_back({kExample,
                       {{"file", first.path},
                        {"left", first.expected - first.bytes},
                        {"whole", first.expected}}});
  }
  d.because = kBecause;
  d.otherwise = of_engine(c.serve, kOtherwiseOf, kOtherwise);
  d.subject = "model";
  d.no_fix = fetch_anew(c, files);
  return {complaint};
}

}  // namespace

extern const Rule weights_truncated{
    .code = "SX4102",
    .name = "weights-truncated",
    .severity = Severity::Error,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
