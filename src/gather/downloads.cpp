// Parts are looked for where each program leaves them; the repository's id is read from where the
// folder lies, or from git's own note of it.
#include "gather/downloads.h"

#include <algorithm>
#include <span>

#include "base/strings.h"
#include "gather/model_places.h"
#include "knowledge/models.h"
#include "read/shell_words.h"

namespace sx {
namespace {

constexpr int kDeepest = 4;                // below a folder of parts: names may hold folders
constexpr std::size_t kMostParts = 1'000;  // more tell nothing new
constexpr std::size_t kMostFolders = 1'000;
constexpr Bytes kGitConfigLimit = kib(64);
constexpr Bytes kRefLimit{4096};

std::string parent(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "models--Qwen--Qwen2.5-7B" of …/models--Qwen--Qwen2.5-7B/snapshots/REVISION.
bool is_snapshot(const std::string& folder) {
  return last_part(parent(folder)) == "snapshots" &&
         last_part(parent(parent(folder))).starts_with("models--");
}

bool there(const Files& files, const std::string& path) { return files.info(path).has_value(); }

bool is_modelscope(const Files& files, const std::string& folder) {
  return there(files, joined_path(folder, ".msc")) || there(files, joined_path(folder, ".mdl")) ||
         there(files, joined_path(folder, "._____temp"));
}

// ModelScope's cache holds OWNER/NAME, dots of the name written as "___".
std::string owner_and_name(const std::string& folder) {
  return last_part(parent(folder)) + '/' + replaced(last_part(folder), "___", ".");
}

// "url = https://huggingface.co/Qwen/Qwen2.5-7B" in .git/config.
std::string id_of_git(const Files& files, const std::string& folder) {
  const auto text = files.read(joined_path(folder, ".git/config"), kGitConfigLimit);
  if (!text) return {};
  for (const std::string_view line : lines_of(*text)) {
    std::string_view word = trimmed(line);
    if (!word.starts_with("url")) continue;
    word = trimmed(word.substr(word.find('=') + 1));
    if (word.ends_with(".git")) word.remove_suffix(4);
    const auto name = word.rfind('/');
    if (name == std::string_view::npos || name == 0) continue;
    const auto owner = word.rfind('/', name - 1);
    if (owner == std::string_view::npos) continue;
    return std::string(word.substr(owner + 1));
  }
  return {};
}

std::string root_of_parts(const DownloadClient& client, const std::string& folder) {
  const std::string_view where = client.parts_in;
  if (where.starts_with("$folder")) return folder + std::string(where.substr(7));
  // The cache is two levels above OWNER/NAME, its parts are sorted the same way.
  if (where.starts_with("$cache"))
    return parent(parent(folder)) + std::string(where.substr(6)) + '/' + last_part(parent(folder)) +
           '/' + last_part(folder);
  if (where == "blobs" && is_snapshot(folder)) return joined_path(parent(parent(folder)), "blobs");
  return {};
}

// Below a folder of parts; the model's own folder is not walked, its parts lie beside the files.
void find_parts(DownloadPlace& place, const Files& files, const DownloadClient& client,
                const std::string& root, bool walk) {
  std::vector<std::pair<std::string, int>> open{{root, 0}};
  for (std::size_t at = 0; at < open.size() && at < kMostFolders; ++at) {
    const auto [folder, depth] = open[at];
    const auto names = files.list(folder);
    // That the model's own folder cannot be listed is known already.
    if (!names && walk && names.error().kind != Error::Kind::Absent)
      place.unread = names.error().words();
    if (!names) continue;
    for (const std::string& name : *names) {
      const std::string path = joined_path(folder, name);
      const bool part = is_part(client, name);
      if (!part && !walk) continue;
      const auto info = files.info(path);
      if (!info) continue;
      if (info->kind == FileInfo::Kind::Directory && walk && depth < kDeepest)
        open.emplace_back(path, depth + 1);
      if (info->kind != FileInfo::Kind::File || !part) continue;
      place.unfinished.push_back({.path = path, .bytes = info->bytes, .client = &client});
      if (place.unfinished.size() == kMostParts) return;
    }
  }
}

// The program that fetched the folder: by the parts that lie there, else by what it leaves.
const DownloadClient* client_of(const ModelSpec& model, const DownloadPlace& place,
                                const Files& files) {
  const bool pointers = std::ranges::any_of(
      model.files, [](const WeightFile& file) { return file.state == FileState::Pointer; });
  if (pointers && there(files, joined_path(model.folder, ".git")))
    return find_download_client("git-lfs");
  for (const UnfinishedDownload& part : place.unfinished) {
    if (!part.client->resume.empty()) return part.client;
  }
  if (is_snapshot(model.folder)) return find_download_client("hf-cache");
  const bool modelscope = is_modelscope(files, model.folder);
  const std::string cache = parent(parent(model.folder));
  if (modelscope && there(files, joined_path(cache, "._____temp")))
    return find_download_client("modelscope-cache");
  return find_download_client(modelscope ? "modelscope-local" : "hf-local");
}

// A snapshot that refs/main does not name was fetched by its revision.
std::string revision_of(const Files& files, const std::string& folder) {
  const std::string revision = last_part(folder);
  const auto main = files.read(joined_path(parent(parent(folder)), "refs/main"), kRefLimit);
  return main && trimmed(*main) == revision ? std::string() : revision;
}

std::string id_of(const ModelSpec& model, const Files& files) {
  if (model.from == ModelFrom::Hub) return model.id;
  if (is_snapshot(model.folder)) {
    const std::string name = last_part(parent(parent(model.folder)));
    return replaced(std::string_view(name).substr(std::string_view("models--").size()), "--", "/");
  }
  if (model.from == ModelFrom::Cache) return tagged_id(model.id).id;
  if (std::string git = id_of_git(files, model.folder); !git.empty()) return git;
  if (there(files, joined_path(model.folder, ".mdl"))) return owner_and_name(model.folder);
  // A folder with the very name and shape of a model of the catalogue.
  const ModelMatch match = match_model(last_part(model.folder));
  if (!match.row || !match.same_shape_as.empty() || !model.layers.known()) return {};
  const std::string id(match.row->id());
  const bool same_name = lower(last_part(id)) == lower(last_part(model.folder));
  const bool same_shape = match.row->integer("num_hidden_layers") == model.layers.value();
  return same_name && same_shape ? id : std::string();
}

std::string quoted_list(const std::vector<std::string>& names, const std::string& folder) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ' ';
    text += shell_quoted(folder.empty() ? name : joined_path(folder, name));
  }
  return text;
}

// A command that names more files than a person would read takes them all by their ending.
constexpr std::size_t kMostNamed = 64;

std::string ending_of(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? "*" : "*" + name.substr(dot);
}

std::string filled(std::string_view pattern, const ModelSpec& model, const DownloadPlace& place,
                   const std::vector<std::string>& files) {
  // As a placeholder of ours that nobody takes for a name.
  const std::string id = place.id.empty() ? "ORGANISATION/NAME" : place.id;
  std::string urls;
  for (const std::string& file : std::span(files).first(std::min(files.size(), kMostNamed))) {
    if (!urls.empty()) urls += ' ';
    urls += shell_quoted("https://huggingface.co/" + id + "/resolve/main/" + file);
  }
  std::string text(pattern);
  const std::string revision =
      place.revision.empty() ? "" : " --revision " + shell_quoted(place.revision);
  text = replaced(text, "{id}", shell_quoted(id));
  text = replaced(text, "{revision}", revision);
  text = replaced(text, "{folder}", shell_quoted(model.folder));
  const bool many = files.size() > kMostNamed;
  const std::string all = many ? ending_of(files.front()) : std::string();
  text =
      replaced(text, "{files}", many ? "--include " + shell_quoted(all) : quoted_list(files, ""));
  text = replaced(text, "{paths}",
                  many ? shell_quoted(model.folder) + "/" + all : quoted_list(files, model.folder));
  text = replaced(text, "{list}", shell_quoted(many ? all : join(files, ",")));
  return replaced(text, "{urls}", urls);
}

}  // namespace

DownloadPlace download_place(const ModelSpec& model, const Outside& outside) {
  DownloadPlace place;
  const bool here = model.from == ModelFrom::Directory || model.from == ModelFrom::Cache;
  if (!here || model.folder.empty()) return place;
  const Files& files = *outside.files;
  for (const DownloadClient& client : download_clients()) {
    const std::string root = root_of_parts(client, model.folder);
    if (!root.empty()) find_parts(place, files, client, root, root != model.folder);
  }
  place.client = client_of(model, place, files);
  place.id = id_of(model, files);
  if (is_snapshot(model.folder)) place.revision = revision_of(files, model.folder);
  return place;
}

std::vector<std::string> download_commands(const ModelSpec& model, const DownloadPlace& place,
                                           const std::vector<std::string>& damaged,
                                           const std::vector<std::string>& missing) {
  std::vector<std::string> commands;
  if (place.client == nullptr) return commands;
  const bool pointers = place.client->name == "git-lfs";
  if (!missing.empty() || (!place.unfinished.empty() && !pointers))
    commands.push_back(filled(place.client->resume, model, place, missing));
  if (!damaged.empty())
    commands.push_back(
        filled(pointers ? place.client->resume : place.client->anew, model, place, damaged));
  std::erase(commands, "");
  return commands;
}

}  // namespace sx
