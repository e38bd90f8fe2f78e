// Layouts of the caches as their tools write them: huggingface_hub has refs and snapshots below
// models--ORGANISATION--NAME, modelscope the files themselves, with dots of the name as "___".
#include "gather/model_places.h"

#include <algorithm>
#include <filesystem>

#include "base/strings.h"
#include "facts/paths.h"
#include "gather/hub.h"
#include "knowledge/download_caches.h"

namespace sx {
namespace {

constexpr Text kNoSuchPath{"there is no file or folder {path}", "没有文件或目录 {path}"};
constexpr Text kPathTrouble{"{what}", "{what}"};
constexpr Text kNoModelFile{"{path} is neither a folder nor a model file",
                            "{path} 既不是目录也不是模型文件"};
constexpr Text kNoCopy{
    "no local copy of {model} was found, and the built-in catalogue does not have it",
    "没有找到 {model} 的本地副本，内置数据里也没有"};
// Of a name that a hub may know.
constexpr Text kNotAsked{
    "no local copy of {model} was found, and the built-in catalogue does not have it: --online "
    "asks "
    "the hub",
    "没有找到 {model} 的本地副本，内置数据里也没有：加上 --online 可查询模型站点"};
constexpr Bytes kRefLimit{4096};
constexpr std::size_t kLongestPath = 4096;

bool exists(const Files& files, const std::string& path, FileInfo::Kind kind) {
  const auto info = files.info(path);
  return info && info->kind == kind;
}

bool is_folder(const Files& files, const std::string& path) {
  return exists(files, path, FileInfo::Kind::Directory);
}

std::string absolute(const std::string& path, const Outside& outside) {
  std::string whole = path.starts_with('/') ? path : joined_path(outside.folder, path);
  if (path.starts_with("~/") || path == "~")
    whole = outside.environment.get("HOME").value_or("") + path.substr(1);
  std::string clean = std::filesystem::path(whole).lexically_normal().string();
  while (clean.size() > 1 && clean.ends_with('/')) clean.pop_back();
  return clean;
}

// "name" or "organisation/name" in the letters that the hubs allow.
bool is_hub_id(std::string_view text) {
  if (text.empty() || text.size() > 200 || names_path(text)) return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  });
}

// The folders of a cache that hold models.
std::vector<std::string> folders_of(std::string_view cache, const Outside& outside) {
  std::vector<std::string> folders = model_folders(
      cache, [&](std::string_view name) { return outside.environment.get(name).value_or(""); });
  for (std::string& folder : folders) folder = absolute(folder, outside);
  return folders;
}

// The snapshot that refs/main names, else the newest one.
std::optional<std::string> snapshot_in(const Files& files, const std::string& repository) {
  const std::string snapshots = joined_path(repository, "snapshots");
  if (const auto ref = files.read(joined_path(repository, "refs/main"), kRefLimit)) {
    const std::string_view revision = trimmed(*ref);
    const std::string folder = joined_path(snapshots, revision);
    const bool plain = !revision.empty() && revision.find('/') == std::string_view::npos &&
                       revision.front() != '.';
    if (plain && is_folder(files, folder)) return folder;
  }
  const auto names = files.list(snapshots);
  if (!names) return {};
  std::optional<std::string> newest;
  std::int64_t newest_change = 0;
  for (const std::string& name : *names) {
    const std::string folder = joined_path(snapshots, name);
    const auto info = files.info(folder);
    if (!info || info->kind != FileInfo::Kind::Directory) continue;
    if (newest && info->changed <= newest_change) continue;
    newest = folder;
    newest_change = info->changed;
  }
  return newest;
}

std::optional<std::string> in_hugging_face(const std::string& model, const Outside& outside) {
  for (const std::string& root : folders_of("huggingface", outside)) {
    const std::string repository = "models--" + replaced(model, "/", "--");
    if (auto folder = snapshot_in(*outside.files, joined_path(root, repository))) return folder;
  }
  return {};
}

std::optional<std::string> in_modelscope(const std::string& model, const Outside& outside) {
  const auto slash = model.find('/');
  if (slash == std::string::npos) return {};
  const std::string escaped =
      model.substr(0, slash + 1) + replaced(model.substr(slash + 1), ".", "___");
  for (const std::string& root : folders_of("modelscope", outside)) {
    for (const std::string& name : {escaped, model}) {
      const std::string folder = joined_path(root, name);
      if (exists(*outside.files, joined_path(folder, "config.json"), FileInfo::Kind::File))
        return folder;
    }
  }
  return {};
}

// llama.cpp's own folder of downloads: ORGANISATION_NAME_FILE.gguf side by side.
std::optional<ModelPlace> in_llama_cache(const TaggedId& asked, const Outside& outside) {
  const auto roots = folders_of("llamacpp", outside);
  if (roots.empty()) return {};
  const std::string& root = roots.front();
  const auto names = outside.files->list(root);
  if (!names) return {};
  const std::string beginning = lower(replaced(asked.id, "/", "_")) + '_';
  const std::string tag = lower(asked.tag.empty() ? "Q4_K_M" : asked.tag);
  for (const std::string& name : *names) {
    const std::string lowered = lower(name);
    if (!lowered.starts_with(beginning) || !lowered.ends_with(".gguf")) continue;
    if (lowered.find(tag, beginning.size()) == std::string::npos) continue;
    return ModelPlace{.from = ModelFrom::Cache, .folder = root, .file = name, .tag = asked.tag};
  }
  return {};
}

std::optional<ModelPlace> in_caches(const std::string& model, const Outside& outside) {
  if (!is_hub_id(model)) return {};
  const bool modelscope_first = asks_modelscope(outside.environment);
  auto folder = modelscope_first ? in_modelscope(model, outside) : in_hugging_face(model, outside);
  if (!folder)
    folder = modelscope_first ? in_hugging_face(model, outside) : in_modelscope(model, outside);
  if (!folder) return {};
  return ModelPlace{.from = ModelFrom::Cache, .folder = *folder};
}

bool is_model_file(std::string_view name) {
  return name.ends_with(".gguf") || name.ends_with(".safetensors") || name.ends_with(".json");
}

}  // namespace

std::string joined_path(const std::string& folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  if (name.empty()) return folder;
  return folder.ends_with('/') ? folder + std::string(name) : folder + "/" + std::string(name);
}

TaggedId tagged_id(const std::string& model) {
  const auto colon = model.rfind(':');
  if (colon == std::string::npos || colon + 1 == model.size()) return {model, {}};
  std::string id = model.substr(0, colon);
  const bool tagged = is_hub_id(id) && is_hub_id(model.substr(colon + 1)) &&
                      model.find('/', colon) == std::string::npos;
  if (!tagged) return {model, {}};
  return {std::move(id), model.substr(colon + 1)};
}

ModelPlace find_model(const std::string& model, const Outside& outside) {
  // "tiny.gguf" is a file; with an organisation in front it may be a file of a repository.
  const bool names_file = model.ends_with(".gguf") && model.find('/') == std::string::npos;
  const bool is_path = names_path(model) || names_file;
  ModelPlace place{.is_path = is_path};
  if (model.empty() || model.size() > kLongestPath) {
    place.why = {kNoSuchPath, {{"path", model.substr(0, 80)}}};
    return place;
  }
  const std::string path = absolute(model, outside);
  const auto info = outside.files->info(path);
  if (info && info->kind == FileInfo::Kind::Directory) {
    return {.from = ModelFrom::Directory, .folder = path, .is_path = is_path};
  }
  if (info && info->kind == FileInfo::Kind::File && is_model_file(model)) {
    const auto slash = path.rfind('/');
    const std::string folder =
        slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
    return {.from = ModelFrom::Directory,
            .folder = folder,
            .file = path.substr(slash + 1),
            .is_path = true};
  }
  if (info && is_path) {
    place.why = {kNoModelFile, {{"path", path}}};
  } else if (is_path) {
    const bool absent = info.error().kind == Error::Kind::Absent;
    place.why = absent ? Message{kNoSuchPath, {{"path", path}}}
                       : Message{kPathTrouble, {{"what", info.error().words()}}};
  } else {
    TaggedId asked = tagged_id(model);
    if (is_hub_id(asked.id)) {
      if (auto found = in_llama_cache(asked, outside)) return *found;
    }
    place.tag = asked.tag;
    if (auto found = in_caches(asked.id, outside)) {
      found->tag = std::move(asked.tag);
      return *found;
    }
    place.why = {is_hub_id(asked.id) ? kNotAsked : kNoCopy, {{"model", model}}};
  }
  return place;
}

}  // namespace sx
