// `inspect` for people: what it is, its files, how it splits, what to do.
#include <algorithm>

#include "base/strings.h"
#include "cli/inspect_answer.h"
#include "cli/inspect_page.h"
#include "cli/origin_words.h"
#include "fit/checkpoint.h"
#include "text/columns.h"

namespace sx {
namespace {

constexpr std::size_t kMostWhole = 12;    // whole files listed one by one
constexpr std::size_t kMostBroken = 200;  // and others
constexpr std::size_t kMostUnfinished = 20;

constexpr Text kFolder{"{folder}", "{folder}"};
constexpr Text kFrom{"{id}, in {folder}", "{id}，位于 {folder}"};
constexpr Text kFromCatalogue{"{id}, from the built-in catalogue: no files are here",
                              "{id}，来自内置数据：本机没有文件"};
constexpr Text kUnknownCell{"not known", "未知"};
constexpr Text kUnknownWhy{"not known: {why}", "未知：{why}"};
constexpr Text kFiles{"Weight files: {count}, {bytes}", "权重文件：{count} 个，{bytes}"};
constexpr Text kWholeMore{"and {count} more, all whole", "另有 {count} 个，都完整"};
constexpr Text kMore{"and {count} more", "另有 {count} 个"};
constexpr Text kTensors{"Tensors: {count}", "张量：{count} 个"};
constexpr Text kSplits{"Tensor-parallel sizes up to 16 ({engine} {version}): {sizes}",
                       "16 以内可用的张量并行大小（{engine} {version}）：{sizes}"};
constexpr Text kRanks{"Weights on each GPU, TP{tensor} x PP{pipeline}",
                      "每张 GPU 上的权重，TP{tensor} x PP{pipeline}"};
constexpr Text kNoRanks{"Weights on each GPU: not known, {why}", "每张 GPU 上的权重：未知，{why}"};
constexpr Text kStage{"stage", "流水级"};
constexpr Text kLayers{"layers", "层"};
constexpr Text kEach{"each GPU", "每张 GPU"};
constexpr Text kReplicated{"of it the same on all", "其中各卡相同"};
constexpr Text kGpus{"GPUs", "GPU"};
constexpr Text kUnfinished{"Parts of downloads that were not finished", "未完成下载留下的文件"};
constexpr Text kProblems{"What is wrong", "问题"};
constexpr Text kDo{"To make it whole", "补齐或修复的命令"};
constexpr Text kIdUnknown{
    "The folder does not tell which repository it came from: put its id in place of "
    "ORGANISATION/NAME.",
    "目录里看不出它来自哪个仓库：把 ORGANISATION/NAME 换成仓库名即可。"};
constexpr Text kWholeVerdict{"whole by its headers; contents are compared with --verify full",
                             "按文件头判断完整；用 --verify full 可核对内容"};
constexpr Text kDamagedVerdict{"damaged or not complete", "有损坏或缺失"};

Text state_title(FileState state) {
  switch (state) {
    case FileState::Ok:
      return {"whole", "完整"};
    case FileState::Truncated:
      return {"truncated", "被截断"};
    case FileState::Missing:
      return {"missing", "缺失"};
    case FileState::Extra:
      return {"extra", "多余"};
    case FileState::Damaged:
      return {"damaged", "损坏"};
    case FileState::Pointer:
      return {"pointer", "指针"};
    case FileState::WebPage:
      return {"a web page", "网页"};
    case FileState::Text:
      return {"text", "文本"};
    case FileState::Unreadable:
      return {"unreadable", "无法读取"};
    case FileState::Obsolete:
      return {"obsolete", "格式过时"};
  }
  return {"unreadable", "无法读取"};
}

Text part_title(TensorPlace::Part part) {
  switch (part) {
    case TensorPlace::Part::Layer:
      return {"layers", "层"};
    case TensorPlace::Part::Embedding:
      return {"embedding", "词嵌入"};
    case TensorPlace::Part::Head:
      return {"output head", "输出层"};
    case TensorPlace::Part::FinalNorm:
      return {"last norm", "末层归一化"};
    case TensorPlace::Part::Vision:
      return {"vision tower", "视觉编码器"};
    case TensorPlace::Part::Draft:
      return {"draft layers", "草稿层"};
    case TensorPlace::Part::Other:
      return {"other", "其他"};
  }
  return {"other", "其他"};
}

void add_title(Page& page, const ModelSpec& model) {
  if (model.from == ModelFrom::Catalogue) {
    page.line({kFromCatalogue, {{"id", model.id}}});
  } else if (model.id == model.folder) {
    page.line({kFolder, {{"folder", model.folder}}});
  } else {
    page.line({kFrom, {{"id", model.id}, {"folder", model.folder}}});
  }
  for (const Message& assumed : model.assumed) page.line(assumed);
  page.text += '\n';
}

void add_facts(Page& page, const ModelSpec& model, bool why) {
  std::vector<std::vector<std::string>> rows;
  for (const ShownFact& fact : facts_of(model)) {
    const bool of_other_kinds = !fact.value && fact.why_unknown.empty();
    if (of_other_kinds || (!why && (!fact.value || fact.absent))) continue;
    std::string shown = fact.value ? printable(page.in(*fact.value)) : page.in(kUnknownCell);
    if (!fact.value && !fact.why_unknown.empty())
      shown = page.in(in_both({kUnknownWhy, {{"why", in_both(fact.why_unknown)}}}));
    rows.push_back({page.in(fact.title), std::move(shown)});
    if (why) rows.back().push_back(fact.value ? page.in(origin_words(fact.origin)) : "");
  }
  page.rows(rows, {Align::Left, Align::Left, Align::Left});
}

void add_files(Page& page, const ModelSpec& model) {
  if (model.files.empty()) return;
  Bytes bytes;
  std::vector<std::vector<std::string>> rows;
  std::size_t whole = 0, broken = 0;
  for (const WeightFile& file : model.files) {
    bytes += file.bytes;
    const bool ok = file.state == FileState::Ok;
    if (++(ok ? whole : broken) > (ok ? kMostWhole : kMostBroken)) continue;
    rows.push_back({printable(file.path), page.in(Value{file.bytes}),
                    page.in(state_title(file.state)), page.in(file.detail)});
  }
  page.heading({kFiles, {{"count", model.files.size()}, {"bytes", bytes}}});
  page.rows(rows, {Align::Left, Align::Right, Align::Left, Align::Left});
  if (whole > kMostWhole) page.line({kWholeMore, {{"count", whole - kMostWhole}}});
  if (broken > kMostBroken) page.line({kMore, {{"count", broken - kMostBroken}}});
}

void add_tensors(Page& page, const ModelSpec& model) {
  if (model.tensors.empty()) return;
  page.heading({kTensors, {{"count", model.tensors.size()}}});
  std::vector<std::vector<std::string>> rows;
  for (const DtypeSum& sum : sums_by_dtype(model))
    rows.push_back(
        {printable(sum.dtype), std::to_string(sum.sum.tensors), page.in(Value{sum.sum.bytes})});
  for (const PartSum& sum : sums_by_part(model))
    rows.push_back({page.in(part_title(sum.part)), std::to_string(sum.sum.tensors),
                    page.in(Value{sum.sum.bytes})});
  page.rows(rows, {Align::Left, Align::Right, Align::Right});
}

// Sizes that one rule refuses stand in one row, with what it says of the first of them.
void add_splits(Page& page, const Inspection& found) {
  if (found.splits.empty()) return;
  std::vector<int> sizes;
  struct Refused {
    const SplitRow* first = nullptr;
    std::vector<int> sizes;
  };
  std::vector<Refused> refused;
  for (const SplitRow& row : found.splits) {
    if (row.code.empty()) {
      sizes.push_back(row.tensor);
      continue;
    }
    auto same = std::ranges::find_if(
        refused, [&row](const Refused& one) { return one.first->code == row.code; });
    if (same == refused.end()) same = refused.insert(same, {.first = &row, .sizes = {}});
    same->sizes.push_back(row.tensor);
  }
  page.heading({kSplits, {{"engine", "vLLM"}, {"version", found.version}, {"sizes", join(sizes)}}});
  std::vector<std::vector<std::string>> rows;
  for (const Refused& one : refused) {
    rows.push_back({"TP " + join(one.sizes), one.first->code + ' ' + one.first->name,
                    page.in(in_both(one.first->why))});
  }
  page.rows(rows, {Align::Left, Align::Left, Align::Left});
}

void add_ranks(Page& page, const Inspection& found) {
  if (!found.ranks) return;
  const Ranks& ranks = *found.ranks;
  if (ranks.rows.empty()) return page.heading({kNoRanks, {{"why", in_both(ranks.why_none)}}});
  page.heading({kRanks, {{"tensor", ranks.tensor}, {"pipeline", ranks.pipeline}}});
  std::vector<std::vector<std::string>> rows{
      {page.in(kStage), page.in(kGpus), page.in(kLayers), page.in(kEach), page.in(kReplicated)}};
  for (const RankRow& row : ranks.rows) {
    if (row.rank != 0) continue;  // all ranks of a stage hold the same
    const int last = row.gpu + ranks.tensor - 1;
    const std::string gpus = ranks.tensor == 1
                                 ? std::to_string(row.gpu)
                                 : std::to_string(row.gpu) + "-" + std::to_string(last);
    rows.push_back({std::to_string(row.stage), gpus, std::to_string(row.layers),
                    page.in(Value{row.weights.bytes}), page.in(Value{row.weights.replicated})});
  }
  page.rows(rows, {Align::Right, Align::Left, Align::Right, Align::Right, Align::Right});
}

void add_unfinished(Page& page, const DownloadPlace& place) {
  if (place.unfinished.empty()) return;
  page.heading(kUnfinished);
  std::vector<std::vector<std::string>> rows;
  for (const UnfinishedDownload& part : place.unfinished) {
    if (rows.size() == kMostUnfinished) break;
    rows.push_back(
        {printable(part.path), page.in(Value{part.bytes}), std::string(part.client->shown)});
  }
  page.rows(rows, {Align::Left, Align::Right, Align::Left});
  if (place.unfinished.size() > kMostUnfinished)
    page.line({kMore, {{"count", place.unfinished.size() - kMostUnfinished}}});
}

void add_end(Page& page, const Inspection& found) {
  if (!found.problems.empty()) {
    page.heading(kProblems);
    for (const Message& problem : found.problems) page.line(problem);
  }
  if (!found.commands.empty()) {
    page.heading(kDo);
    for (const std::string& command : found.commands)
      page.text += "    " + printable(command) + '\n';
    const bool placeholder = std::ranges::any_of(found.commands, [](const std::string& command) {
      return command.find("ORGANISATION/NAME") != std::string::npos;
    });
    if (placeholder) page.line(kIdUnknown);
  }
  if (found.damaged) {
    page.heading(kDamagedVerdict);
  } else if (!found.verified && !found.model.files.empty()) {
    page.heading(kWholeVerdict);
  }
}

}  // namespace

std::string_view state_word(FileState state) {
  switch (state) {
    case FileState::Ok:
      return "ok";
    case FileState::Truncated:
      return "truncated";
    case FileState::Missing:
      return "missing";
    case FileState::Extra:
      return "extra";
    case FileState::Damaged:
    case FileState::WebPage:
    case FileState::Text:
    case FileState::Obsolete:
      return "damaged";
    case FileState::Pointer:
      return "pointer";
    case FileState::Unreadable:
      return "unreadable";
  }
  return "unreadable";
}

std::string inspect_text(const Inspection& found, bool why, const Style& style) {
  Page page(style);
  add_title(page, found.model);
  add_facts(page, found.model, why);
  add_files(page, found.model);
  add_parts(page, found);
  add_tensors(page, found.model);
  add_verified(page, found);
  add_splits(page, found);
  add_ranks(page, found);
  add_vision(page, found);
  add_unfinished(page, found.download);
  add_end(page, found);
  return page.text;
}

}  // namespace sx
