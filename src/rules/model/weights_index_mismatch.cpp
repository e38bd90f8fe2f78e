// SX4104. The long explanation and the scenes are in weights_index_mismatch.md.
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "rules/model/weight_words.h"

namespace sx::rules {
namespace {

constexpr Text kLonger{"{file} is longer than its header says: {have} instead of {whole}",
                       "{file} 比文件头所写的更长：应为 {whole}，实际 {have}"};
constexpr Text kDamaged{"{file} has a header that cannot be read", "{file} 的文件头无法读取"};
constexpr Text kDamagedMany{"{count} of {all} weight files are damaged",
                            "{all} 个权重文件中有 {count} 个已损坏"};
constexpr Text kDetail{"{file}: {what}", "{file}：{what}"};
constexpr Text kHeaderFirst{
    "a weight file begins with a header that names its tensors, and must be exactly as long as "
    "that says",
    "权重文件以列出张量的文件头开始，文件长度必须与之完全一致"};
constexpr Text kStops{"the load stops at this file with \"Error while deserializing header\"",
                      "加载到这个文件时停下，报“Error while deserializing header”"};

constexpr Text kIndex{"the index of the weight files cannot be used", "权重文件的索引无法使用"};
constexpr Text kWhat{"{what}", "{what}"};
constexpr Text kIndexChooses{"the index decides which files of the folder are loaded",
                             "索引决定加载目录中的哪些文件"};
constexpr Text kIndexStops{
    "the engine exits with a Python error as it begins to load, about a minute after the start",
    "启动约一分钟后，引擎开始加载时以 Python 异常退出"};

constexpr Text kAbsent{"the index promises {count} tensors that no weight file has",
                       "索引列出的 {count} 个张量不在任何权重文件里"};
constexpr Text kExamples{"for example {names}", "例如 {names}"};
constexpr Text kOneSet{"index and weight files must belong to one version of a checkpoint",
                       "索引与权重文件必须属于检查点的同一版本"};
constexpr Text kMayMiss{
    "where the model needs them, the load ends with a list of weights that nothing filled; a "
    "quantised model may start "
    "and answer with noise",
    "如果模型用到它们，加载结束时会报告没有填上的权重；量化模型则可能照常启动、回答却是乱码"};

constexpr Text kExtra{"weight files that the index does not name are passed over: {count}",
                      "索引没有列出的权重文件会被跳过：{count} 个"};
constexpr Text kExtraWhy{"only the files that the index names are loaded",
                         "只加载索引里列出的文件"};
constexpr Text kExtraWaste{
    "they only take disk space, {bytes}; left over from another download, they may be meant",
    "它们只占磁盘空间（{bytes}）；如果来自另一次下载，也许它们才是想用的"};

constexpr Need kNeeds[] = {Need::ModelFiles};

Complaint of_damaged(const Case& c, const std::vector<const WeightFile*>& files) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const WeightFile& first = *files.front();
  const bool longer = first.expected > Bytes{0} && first.bytes > first.expected;
  if (files.size() > 1) {
    d.title = {kDamagedMany, {{"count", files.size()}, {"all", files_of_checkpoint(c.model())}}};
  } else if (longer) {
    d.title = {kLonger, {{"file", first.path}, {"have", first.bytes}, {"whole", first.expected}}};
  } else {
    d.title = {kDamaged, {{"file", first.path}}};
  }
  mark_files(c, d, files);
  if (!longer) d.basis.push_back({kDetail, {{"file", first.path}, {"what", first.detail}}});
  d.because = kHeaderFirst;
  d.otherwise = kStops;
  d.subject = "weight files";
  d.no_fix = fetch_anew(c, files);
  return complaint;
}

Complaint of_index(const Case& c) {
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = kIndex;
  for (const DamagedText& text : c.model().damaged_texts) {
    if (text.of == DamagedText::Of::Index && !text.what.empty())
      mark(d, text.place, {kWhat, {{"what", text.what}}});
  }
  if (d.labels.empty()) d.basis.push_back({kWhat, {{"what", c.model().index_problem}}});
  if (c.serve.model.span())
    d.labels.push_back({*c.serve.model.span(), folder_words(c), d.labels.empty()});
  d.because = kIndexChooses;
  d.otherwise = kIndexStops;
  d.subject = "weight index";
  d.no_fix = fetch_index(c);
  return complaint;
}

// Tensors that stand in another file than the index says are loaded all the same.
std::vector<std::string> absent_everywhere(const ModelSpec& model) {
  if (model.index_without_file.empty()) return {};  // a large model has tens of thousands of names
  std::unordered_set<std::string_view> there;
  for (const TensorInfo& tensor : model.tensors) there.insert(tensor.name);
  std::vector<std::string> absent;
  for (const std::string& name : model.index_without_file) {
    if (!there.contains(name)) absent.push_back(name);
  }
  return absent;
}

Complaint of_absent(const Case& c, std::vector<std::string> absent) {
  constexpr std::size_t kMostNamed = 3;
  Complaint complaint;
  complaint.severity = Severity::Warning;  // a model need not use every tensor of its checkpoint
  Diagnostic& d = complaint.diagnostic;
  d.title = {kAbsent, {{"count", absent.size()}}};
  if (absent.size() > kMostNamed) absent.resize(kMostNamed);
  mark(d, c.serve.model, {kExamples, {{"names", join(absent, ", ")}}});
  d.because = kOneSet;
  d.otherwise = kMayMiss;
  d.subject = "indexed tensors";
  d.no_fix = fetch_anew(c, {});
  return complaint;
}

Complaint of_extra(const Case& c, const std::vector<const WeightFile*>& files) {
  Complaint complaint;
  complaint.severity = Severity::Advice;
  Diagnostic& d = complaint.diagnostic;
  Bytes bytes;
  for (const WeightFile* file : files) bytes += file->bytes;
  d.title = {kExtra, {{"count", files.size()}}};
  mark_files(c, d, files);
  d.because = kExtraWhy;
  d.otherwise = {kExtraWaste, {{"bytes", bytes}}};
  d.subject = "extra weight files";
  return complaint;
}

std::vector<Complaint> check(const Case& c) {
  const ModelSpec& model = c.model();
  if (!loads_weight_files(c.serve)) return {};
  std::vector<Complaint> complaints;
  if (!model.index_problem.empty()) complaints.push_back(of_index(c));
  if (const auto damaged = files_in_state(model, FileState::Damaged); !damaged.empty()) {
    complaints.push_back(of_damaged(c, damaged));
  }
  if (auto absent = absent_everywhere(model); !absent.empty())
    complaints.push_back(of_absent(c, std::move(absent)));
  if (const auto extra = files_in_state(model, FileState::Extra); !extra.empty()) {
    complaints.push_back(of_extra(c, extra));
  }
  return complaints;
}

}  // namespace

extern const Rule weights_index_mismatch{
    .code = "SX4104",
    .name = "weights-index-mismatch",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfTorchEngines,
    .check = check,
};

}  // namespace sx::rules
