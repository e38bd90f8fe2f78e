// `sextant inspect`: what a checkpoint is, whether its files are whole, and how it splits.
#include <algorithm>

#include "base/strings.h"
#include "cli/commands.h"
#include "cli/inspect_answer.h"
#include "cli/inspect_splits.h"
#include "cli/progress.h"
#include "fit/checkpoint.h"
#include "gather/gather_model.h"
#include "gather/model_places.h"
#include "gather/second_copies.h"
#include "gather/verify.h"

namespace sx {
namespace {

constexpr Bytes kSumsLimit = mib(16);  // 100 000 lines of the usual length
constexpr int kMostRanks = 1024;       // a layout of more GPUs is a typing mistake

constexpr Text kNoModel{"no model was named: sextant inspect PATH|MODEL",
                        "没有给出模型：sextant inspect 路径|模型名"};
constexpr Text kNotACount{"{flag}: '{said}' is not a count from 1 to {most}",
                          "{flag}：'{said}' 不是 1 到 {most} 之间的数"};
constexpr Text kTooMany{"--tp {tensor} and --pp {pipeline} make more than {most} GPUs",
                        "--tp {tensor} 与 --pp {pipeline} 合计超过 {most} 张 GPU"};
constexpr Text kSumsNeedFull{"--sums belongs to --verify full", "--sums 要与 --verify full 一起用"};
constexpr Text kNothingHere{"{model}: no files are here, so there is nothing to verify ({why})",
                            "{model}：本机没有文件，无法核对（{why}）"};
constexpr Text kUnknownModel{"{why}", "{why}"};
constexpr Text kInSums{"{file}: {why}", "{file}：{why}"};
constexpr Text kOtherLines{
    "{file}: {count} lines are no sums, the first of them is line {line}; they were passed over",
    "{file}：有 {count} 行不是校验和（第一处在第 {line} 行），已跳过"};

constexpr Text kIndexProblem{"the index cannot be used: {why}", "索引不可用：{why}"};
constexpr Text kSplitProblem{"{why}", "{why}"};
constexpr Text kIndexLies{
    "{count} tensors are not in the file that the index names, such as {tensor}",
    "{count} 个张量不在索引所指的文件里，例如 {tensor}"};
constexpr Text kTwice{"{count} tensors are there twice, such as {tensor}: the file read last wins",
                      "{count} 个张量出现两次，例如 {tensor}：以最后读取的文件为准"};
constexpr Text kConflict{"{tensor} has {file}, the config says {what} {config}",
                         "{tensor} 为 {file}，而配置中 {what} 为 {config}"};
constexpr Text kFewLayers{"the files hold {file} layers, the config says {config}",
                          "文件中有 {file} 层，而配置写的是 {config} 层"};
constexpr Text kNoWeights{"no weight files: {why}", "没有权重文件：{why}"};
constexpr Text kConfigProblem{"the config cannot be used: {why}", "配置不可用：{why}"};
constexpr Text kNoComponent{"model_index.json names the component {name}, and it is not there",
                            "model_index.json 列出了组件 {name}，但它不存在"};
constexpr Text kUnreadParts{"{why}", "{why}"};
constexpr Text kWrongSum{"its SHA-256 is not the published one", "SHA-256 与发布值不符"};

int could_not(const Error& error, Session& session, Language language) {
  session.output.trouble(trouble_line(error, language));
  return kCouldNot;
}

Result<std::optional<int>> count_of(const Arguments& arguments, std::string_view flag) {
  const auto said = arguments.value(flag);
  if (!said) return std::optional<int>();
  const auto count = to_integer(*said);
  if (!count || *count < 1 || *count > kMostRanks)
    return fail(
        Error::Kind::Usage,
        in_both(
            {kNotACount,
             {{"flag", std::string(flag)}, {"said", said->substr(0, 40)}, {"most", kMostRanks}}}));
  return std::optional<int>(static_cast<int>(*count));
}

struct Sizes {
  std::optional<int> tensor, pipeline;
};

Result<Sizes> sizes_of(const Arguments& arguments) {
  Sizes sizes;
  SX_TRY(sizes.tensor, count_of(arguments, "--tp"));
  SX_TRY(sizes.pipeline, count_of(arguments, "--pp"));
  const int tensor = sizes.tensor.value_or(1), pipeline = sizes.pipeline.value_or(1);
  if (tensor * pipeline <= kMostRanks) return sizes;
  return fail(
      Error::Kind::Usage,
      in_both({kTooMany, {{"tensor", tensor}, {"pipeline", pipeline}, {"most", kMostRanks}}}));
}

// Nothing of the list is lost without a word: what is no sum is counted, in `notes`.
Result<SumsFile> sums_of(const std::string& path, const Outside& outside,
                         std::vector<Message>& notes) {
  Result<std::string> text =
      path == "-" ? outside.standard_input() : outside.files->read(path, kSumsLimit);
  if (!text) return std::unexpected(text.error());
  auto sums = parse_sums(*text);
  if (!sums) {
    return fail(sums.error().kind,
                in_both({kInSums, {{"file", path}, {"why", sums.error().words()}}}));
  }
  if (sums->other_lines > 0)
    notes.push_back(
        {kOtherLines, {{"file", path}, {"count", sums->other_lines}, {"line", sums->first_other}}});
  return sums;
}

// A config that is there and cannot be used. Folders without one may be of another kind: a
// pipeline, an adapter, GGUF files.
void find_config_problem(Inspection& found, const Files& files) {
  const ModelSpec& model = found.model;
  const bool told = model.layers.known() || model.architecture.known() ||
                    model.weight_format.value_or("") == "gguf";
  if (told || model.why_unknown.empty()) return;
  if (files.info(joined_path(model.folder, "config.json")))
    found.problems.push_back({kConfigProblem, {{"why", in_both(model.why_unknown)}}});
}

// What is wrong with the checkpoint as a whole.
void find_problems(Inspection& found) {
  const ModelSpec& model = found.model;
  auto& problems = found.problems;
  if (!model.index_problem.empty())
    problems.push_back({kIndexProblem, {{"why", model.index_problem}}});
  if (!model.split_problem.empty())
    problems.push_back({kSplitProblem, {{"why", model.split_problem}}});
  if (!model.index_without_file.empty())
    problems.push_back({kIndexLies,
                        {{"count", model.index_without_file.size()},
                         {"tensor", model.index_without_file.front()}}});
  if (const auto twice = tensors_twice(model); !twice.empty())
    problems.push_back({kTwice, {{"count", twice.size()}, {"tensor", twice.front()}}});
  for (const ShapeConflict& conflict : shape_conflicts(model)) {
    const bool layers = conflict.what == "num_hidden_layers";
    problems.push_back({layers ? kFewLayers : kConflict,
                        {{"tensor", conflict.tensor},
                         {"what", std::string(conflict.what)},
                         {"file", conflict.in_file},
                         {"config", conflict.in_config}}});
  }
  if (model.from == ModelFrom::Directory && model.files.empty() && found.parts.empty() &&
      !model.weight_format.known())
    problems.push_back({kNoWeights, {{"why", in_both(model.weight_format.why_unknown())}}});
}

// A pipeline's components are read like checkpoints; their files become the model's.
void add_pipeline(Inspection& found, const std::string& word, const Outside& outside) {
  const ModelPlace place = find_model(word, outside);
  if (place.folder.empty() || !place.file.empty()) return;
  found.parts = pipeline_parts(place.folder, *outside.files);
  if (found.parts.empty()) return;
  ModelSpec& model = found.model;
  model.from = place.from;
  model.folder = place.folder;
  for (const PipelinePart& part : found.parts) {
    if (!part.there) found.problems.push_back({kNoComponent, {{"name", part.name}}});
    for (WeightFile file : part.files.files) {
      file.path = part.name + "/" + file.path;
      model.files.push_back(std::move(file));
    }
  }
}

bool broken(const WeightFile& file) {
  return file.state != FileState::Ok && file.state != FileState::Extra;
}

void add_commands(Inspection& found, const Outside& outside) {
  found.download = download_place(found.model, outside);
  std::vector<std::string> damaged, missing;
  for (const WeightFile& file : found.model.files) {
    if (file.state == FileState::Missing) missing.push_back(file.path);
    if (broken(file) && file.state != FileState::Missing && file.state != FileState::Unreadable)
      damaged.push_back(file.path);
  }
  found.commands = download_commands(found.model, found.download, damaged, missing);
  if (!found.download.unread.empty())
    found.problems.push_back({kUnreadParts, {{"why", found.download.unread}}});
}

// A file whose bytes are not the published ones is damaged, whatever its header says.
void take_in(Inspection& found, Verification verified) {
  for (const VerifiedFile& file : verified.files) {
    if (file.state != SumState::Different && file.state != SumState::Unread) continue;
    found.damaged = true;
    const auto weights = std::ranges::find(found.model.files, file.path, &WeightFile::path);
    if (weights == found.model.files.end() || weights->state != FileState::Ok) continue;
    const bool unread = file.state == SumState::Unread;
    weights->state = unread ? FileState::Unreadable : FileState::Damaged;
    weights->detail = unread ? file.detail : in_both(kWrongSum);
  }
  found.damaged = found.damaged || !verified.listed_not_there.empty();
  found.verified = std::move(verified);
}

Verification read_all(const Inspection& found, VerifyPlan plan, Session& session,
                      Language language) {
  const InterruptGuard guard;
  std::atomic<std::int64_t> bytes_read = 0;
  Progress progress(session.output, plan.bytes.count(), language);
  Verification verified = verify(found.model.folder, std::move(plan),
                                 {.bytes_read = &bytes_read, .stop = &guard.stop(), .tick = [&] {
                                    progress.show(bytes_read.load());
                                  }});
  progress.clear();
  return verified;
}

// Whether files of this model are here to be read.
bool is_here(const ModelSpec& model) {
  return (model.from == ModelFrom::Directory || model.from == ModelFrom::Cache) &&
         !model.folder.empty();
}

Result<Inspection> look_at(Sources& sources, const std::string& word, const Arguments& arguments,
                           const Sizes& sizes, const Outside& outside) {
  Inspection found;
  found.model = gather_model(sources, word, outside);
  if (is_here(found.model)) add_second_copies(found.model, *outside.files);
  add_pipeline(found, word, outside);
  const ModelSpec& model = found.model;
  if (model.from == ModelFrom::Nowhere)
    return fail(Error::Kind::Absent,
                in_both({kUnknownModel, {{"why", in_both(model.why_unknown)}}}));
  if (arguments.value("--verify").value_or("quick") == "full" && !is_here(model))
    return fail(Error::Kind::Absent,
                in_both({kNothingHere, {{"model", word}, {"why", in_both(model.why_unknown)}}}));
  add_splits(found, sources, word, sizes.tensor, sizes.pipeline, outside);
  if (is_here(model)) find_config_problem(found, *outside.files);
  find_problems(found);
  return found;
}

int answer(Inspection& found, const Arguments& arguments, const Style& style, Session& session) {
  found.damaged =
      found.damaged || !found.problems.empty() || std::ranges::any_of(found.model.files, broken);
  add_commands(found, session.outside);
  const bool json = arguments.value("--format").value_or("text") == "json";
  session.output.answer(json ? inspect_json(found)
                             : inspect_text(found, arguments.has("--why"), style));
  if (found.verified && found.verified->interrupted) return kInterrupted;
  return found.damaged ? kFindings : kDone;
}

}  // namespace

int inspect_command(const Arguments& arguments, Session& session) {
  const Style style = decide_style({.colour = arguments.colour(), .language = arguments.language()},
                                   session.outside.environment);
  if (arguments.words.empty())
    return could_not({Error::Kind::Usage, in_both(kNoModel)}, session, style.language);
  const auto sizes = sizes_of(arguments);
  if (!sizes) return could_not(sizes.error(), session, style.language);
  const bool full = arguments.value("--verify").value_or("quick") == "full";
  const auto list = arguments.value("--sums");
  if (list && !full)
    return could_not({Error::Kind::Usage, in_both(kSumsNeedFull)}, session, style.language);
  Outside outside = session.outside;
  std::unique_ptr<Http> http;
  if (arguments.has("--online")) {
    auto opened = open_http();
    if (!opened) return could_not(opened.error(), session, style.language);
    http = *std::move(opened);
    outside.http = http.get();
  }
  Sources sources;
  auto found = look_at(sources, arguments.words.front(), arguments, *sizes, outside);
  if (!found) return could_not(found.error(), session, style.language);
  if (full) {
    std::vector<Message> notes;
    std::optional<SumsFile> sums;
    if (list) {
      auto read = sums_of(*list, outside, notes);
      if (!read) return could_not(read.error(), session, style.language);
      sums = *std::move(read);
    }
    for (const Message& note : notes)
      session.output.trouble(trouble_line(rendered(note, style.language), style.language));
    take_in(*found,
            read_all(*found, plan_verification(found->model, sums ? &*sums : nullptr, outside),
                     session, style.language));
  }
  return answer(*found, arguments, style, session);
}

}  // namespace sx
