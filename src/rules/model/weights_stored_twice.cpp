// SX4138. The long explanation and the scenes are in weights_stored_twice.md.
#include <algorithm>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "knowledge/traits.h"

namespace sx::rules {
namespace {

constexpr Text kInstead{"{engine} reads {copy} and leaves the other weight files unread: {count}",
                        "{engine} 读取 {copy}，另外 {count} 个权重文件不会被读"};
constexpr Text kBoth{"the weights lie there twice, and this loader reads both: {copy} too",
                     "权重存了两份，这个加载方式会两份都读：包括 {copy}"};
constexpr Text kFolder{"both {first} and {copy}", "既有 {first}，又有 {copy}"};
constexpr Text kLoader{"takes every *.safetensors file of the folder",
                       "会读取目录里所有的 *.safetensors 文件"};
constexpr Text kSize{"{bytes} in {copy}", "{copy} 共 {bytes}"};
constexpr Text kBecauseInstead{
    "where nobody says a --load-format, files in Mistral's own format win over those of the hub's",
    "没有指定 --load-format 时，Mistral 自有格式的文件优先于 Hub 格式的文件"};
constexpr Text kBecauseBoth{
    "the two copies name their tensors differently, and a model class reads one set of names",
    "两份文件的张量名称不同，而一个模型类只认一套名称"};
constexpr Text kOtherwiseInstead{
    "it works where both hold the same weights; files that were tuned or quantised since are "
    "passed "
    "over without a word",
    "两份内容相同时没有问题；如果另一份后来微调或量化过，会被悄悄忽略"};
constexpr Text kOtherwiseBoth{
    "loading takes twice as long, or ends with a KeyError at the first name of the other format",
    "加载时间翻倍，或在遇到另一种格式的第一个名称时以 KeyError 结束"};
constexpr Text kAuto{"leave {flag} out: one of the two copies is read then",
                     "去掉 {flag}：这样只读其中一份"};
constexpr Text kKeepOut{
    "where the other files are the ones to serve, keep {copy} and params.json out of the folder",
    "如果要用的是另外那些文件，把 {copy} 和 params.json 移出目录"};
constexpr Text kKeepOneOut{"keep one of the two copies out of the folder", "把其中一份移出目录"};

constexpr Need kNeeds[] = {Need::ModelFiles};

// Formats that read every safetensors file which an index does not rule out; these are values of
// the user's, not facts about versions.
bool takes_all_but_index(std::string_view format) {
  return format == "safetensors" || format == "fastsafetensors" || format == "instanttensor";
}

// One file of the hub's format has no index that could tell the copies apart.
bool without_index(const ModelSpec& model) {
  return model.files.size() == 1 && model.files.front().path == "model.safetensors";
}

bool reads_both(const Case& c, std::string_view format, std::string_view automatic) {
  const std::string streams = "reads-every-safetensors " + std::string(format);
  if (trait(c.serve.engine, streams, c.serve.version)) return true;
  const bool all = takes_all_but_index(format) || (format == "auto" && automatic == "hub files");
  return all && without_index(c.model());
}

Complaint complaint_about(const Case& c, bool both) {
  const ModelSpec& model = c.model();
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument copy("copy", model.second_copy.front().path);
  Bytes bytes;
  for (const WeightFile& file : model.second_copy) bytes += file.bytes;
  const bool by_flag = both && c.serve.load_format.asked() && c.serve.load_format.span();
  if (both) {
    complaint.severity = Severity::Warning;
    d.title = {kBoth, {copy}};
    if (by_flag) mark(d, c.serve.load_format, kLoader);
  } else {
    d.title = {kInstead,
               {{"engine", engine_and_version(c.serve)}, copy, {"count", model.files.size()}}};
  }
  mark(d, c.serve.model, {kFolder, {{"first", model.files.front().path}, copy}});
  d.basis.push_back({kSize, {{"bytes", bytes}, copy}});
  d.because = both ? kBecauseBoth : kBecauseInstead;
  d.otherwise = both ? kOtherwiseBoth : kOtherwiseInstead;
  d.subject = "model";
  d.no_fix = both ? Message{kKeepOneOut} : Message{kKeepOut, {copy}};
  if (by_flag) {
    complaint.proposals.push_back(
        {.title = {kAuto, {{"flag", "--load-format"}}}, .changes = {remove_flag("--load-format")}});
  }
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  if (model.second_copy.empty() || model.files.empty()) return {};
  const auto automatic = trait(c.serve.engine, "mistral-copy", c.serve.version);
  if (!automatic) return {};
  const std::string format = c.serve.load_format.value_or("auto");
  if (reads_both(c, format, *automatic)) return {complaint_about(c, true)};
  if (format == "auto" && *automatic == "read instead") return {complaint_about(c, false)};
  return {};
}

}  // namespace

extern const Rule weights_stored_twice{
    .code = "SX4138",
    .name = "weights-stored-twice",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
