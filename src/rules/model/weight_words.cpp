// Which files, in which folder, and how to get them whole.
#include "rules/model/weight_words.h"

#include <algorithm>
#include <array>

#include "check/speak.h"
#include "read/shell_words.h"

namespace sx::rules {
namespace {

constexpr std::size_t kMostNamed = 3;  // more names do not help to find the folder

constexpr Text kFolder{"in {folder}", "位于 {folder}"};
constexpr Text kNames{"{files}", "{files}"};
constexpr Text kNamesMore{"{files} and {more} more", "{files}，另有 {more} 个"};
constexpr Text kFolderNames{"in {folder}: {files}", "位于 {folder}：{files}"};
constexpr Text kFolderNamesMore{"in {folder}: {files} and {more} more",
                                "位于 {folder}：{files}，另有 {more} 个"};

constexpr Text kMissingFromHub{
    "complete the download: hf download {id}",
    "把下载补齐：hf download {id}（或 modelscope download --model {id}）"};
constexpr Text kMissingFromFolder{
    "complete the download, what is whole is kept: hf download ORGANISATION/NAME --local-dir "
    "{folder}",
    "把下载补齐，已完整的文件会保留：hf download 组织/模型名 --local-dir {folder}（或 modelscope "
    "download --model 组织/模型名 "
    "--local_dir {folder}）"};
constexpr Text kAnewFromHub{"fetch anew what is damaged: hf download {id} {files} --force-download",
                            "重新下载损坏的文件：hf download {id} {files} --force-download"};
constexpr Text kAnewFromFolder{
    "fetch anew what is damaged: hf download ORGANISATION/NAME {files} --local-dir {folder} "
    "--force-download",
    "重新下载损坏的文件：hf download 组织/模型名 {files} --local-dir {folder} --force-download"};
constexpr Text kIndexFromHub{
    "fetch the index anew: hf download {id} --include \"*.index.json\" --force-download",
    "重新下载索引：hf download {id} --include \"*.index.json\" --force-download"};
constexpr Text kIndexFromFolder{
    "fetch the index anew: hf download ORGANISATION/NAME --include \"*.index.json\" --local-dir "
    "{folder} --force-download",
    "重新下载索引：hf download 组织/模型名 --include \"*.index.json\" --local-dir {folder} "
    "--force-download"};
constexpr Text kAllFromHub{"fetch the model anew: hf download {id} --force-download",
                           "重新下载整个模型：hf download {id} --force-download"};
constexpr Text kAllFromFolder{
    "fetch the model anew, best into an empty folder: hf download ORGANISATION/NAME --local-dir "
    "NEW-FOLDER",
    "重新下载整个模型，最好放进空目录：hf download 组织/模型名 --local-dir 新目录"};

// What the user typed is the folder itself.
bool typed(const Case& c) { return c.serve.model.value_or("") == c.model().folder; }

bool is_of_hub(const ModelSpec& model) {
  return model.from == ModelFrom::Cache || model.from == ModelFrom::Hub;
}

}  // namespace

bool loads_weight_files(const ServeSpec& serve) {
  static constexpr std::array<std::string_view, 6> kReaders{
      "auto", "safetensors", "hf", "fastsafetensors", "bitsandbytes", "runai_streamer"};
  if (!serve.load_format.known()) return serve.load_format.why_unknown().empty();
  return std::ranges::find(kReaders, std::string_view(serve.load_format.value())) != kReaders.end();
}

std::vector<const WeightFile*> files_in_state(const ModelSpec& model, FileState state) {
  std::vector<const WeightFile*> files;
  for (const WeightFile& file : model.files) {
    if (file.state == state) files.push_back(&file);
  }
  return files;
}

int files_of_checkpoint(const ModelSpec& model) {
  return static_cast<int>(std::ranges::count_if(
      model.files, [](const WeightFile& file) { return file.state != FileState::Extra; }));
}

NamedFiles named(const std::vector<const WeightFile*>& files) {
  NamedFiles names;
  for (std::size_t i = 0; i < files.size() && i < kMostNamed; ++i) {
    if (i > 0) names.names += ", ";
    names.names += files[i]->path;
  }
  if (files.size() > kMostNamed) names.more = static_cast<int>(files.size() - kMostNamed);
  return names;
}

void mark_files(const Case& c, Diagnostic& d, const std::vector<const WeightFile*>& files) {
  const NamedFiles names = named(files);
  const Argument folder("folder", c.model().folder);
  const Argument listed("files", names.names);
  const Argument more("more", names.more);
  Message label;
  if (files.size() > 1 && typed(c)) {
    label = names.more == 0 ? Message{kNames, {listed}} : Message{kNamesMore, {listed, more}};
  } else if (files.size() > 1) {
    label = names.more == 0 ? Message{kFolderNames, {folder, listed}}
                            : Message{kFolderNamesMore, {folder, listed, more}};
  } else {
    label = folder_words(c);  // the title names the file
  }
  if (c.serve.model.span()) {
    mark(d, c.serve.model, label);
  } else if (!label.empty()) {
    d.basis.push_back(label);
  }
}

Message folder_words(const Case& c) {
  return typed(c) ? Message{} : Message{kFolder, {{"folder", c.model().folder}}};
}

Message fetch_missing(const Case& c) {
  const ModelSpec& model = c.model();
  if (is_of_hub(model)) return {kMissingFromHub, {{"id", model.id}}};
  return {kMissingFromFolder, {{"folder", shell_quoted(model.folder)}}};
}

Message fetch_anew(const Case& c, const std::vector<const WeightFile*>& files) {
  const ModelSpec& model = c.model();
  const bool from_hub = is_of_hub(model);
  const Argument id("id", model.id);
  if (files.empty() || files.size() > kMostNamed)
    return from_hub ? Message{kAllFromHub, {id}} : Message{kAllFromFolder};
  std::string words;
  for (const WeightFile* file : files)
    words += (words.empty() ? "" : " ") + shell_quoted(file->path);
  const Argument listed("files", words);
  return from_hub ? Message{kAnewFromHub, {id, listed}}
                  : Message{kAnewFromFolder, {listed, {"folder", shell_quoted(model.folder)}}};
}

Message fetch_index(const Case& c) {
  const ModelSpec& model = c.model();
  if (is_of_hub(model)) return {kIndexFromHub, {{"id", model.id}}};
  return {kIndexFromFolder, {{"folder", shell_quoted(model.folder)}}};
}

}  // namespace sx::rules
