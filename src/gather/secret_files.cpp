// A file is open to everyone when others may read it and may pass through every folder above it.
#include "gather/secret_files.h"

#include <algorithm>
#include <array>

#include "facts/secret_names.h"
#include "gather/command_text.h"
#include "knowledge/download_caches.h"
#include "knowledge/traits.h"

namespace sx {
namespace {

constexpr std::size_t kMost = 32;
constexpr unsigned kOthersRead = 04, kOthersPass = 01;
constexpr std::array<std::string_view, 3> kFlags{"--api-key-file", "--ssl-key-file",
                                                 "--ssl-keyfile"};

// Nothing where a permission on the way is not known, or a link leads elsewhere.
std::optional<bool> open_to_all(const Files& files, const std::string& path) {
  const auto file = files.info(path);
  if (!file || file->kind != FileInfo::Kind::File || !file->permissions) return {};
  if (files.link_target(path)) return {};
  if ((*file->permissions & kOthersRead) == 0) return false;
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    const auto folder = files.info(path.substr(0, slash));
    if (!folder || !folder->permissions) return {};
    if ((*folder->permissions & kOthersPass) == 0) return false;
  }
  return true;
}

class Collector {
 public:
  explicit Collector(const Outside& outside) : outside_(outside) {}

  std::vector<SecretFile> found;

  void add(const std::string& name, const std::string& path, const Span& span) {
    const bool known = std::ranges::find(found, path, &SecretFile::path) != found.end();
    if (known || found.size() >= kMost) return;
    const auto open = open_to_all(*outside_.files, path);
    if (open) found.push_back({name, path, *open, span});
  }

 private:
  const Outside& outside_;
};

// Where huggingface_hub keeps the token of `hf auth login`.
std::string token_path(const Environment& environment) {
  if (const auto path = environment.get("HF_TOKEN_PATH")) return *path;
  const auto places =
      cache_places([&](std::string_view name) { return environment.get(name).value_or(""); });
  for (const CachePlace& place : places) {
    if (place.row->inside == "HF_HOME") return place.folder + "/token";
  }
  return {};
}

}  // namespace

std::vector<SecretFile> secret_files(const Launch& launch, const Sources& sources,
                                     const Outside& outside) {
  Collector collector(outside);
  // Paths inside of a container are not this machine's.
  if (!launch.around.contained()) {
    const std::string folder = launch.around.working_folder.value_or(outside.folder);
    for (const std::string_view flag : kFlags) {
      const FlagUse* use = launch.serve.use_of(flag);
      if (use == nullptr || !use->complete || use->values.empty()) continue;
      collector.add(use->values.front(), path_in(folder, use->values.front()), use->span);
    }
  }
  for (const Setting& setting : launch.command.environment) {
    const int source = setting.span.source;
    if (source < 0 || source == launch.command.source || setting.value.empty()) continue;
    const Source& file = sources.at(source);
    if (file.kind == SourceKind::File && names_secret(setting.name))
      collector.add(file.name, file.uri, setting.span);
  }
  const bool reads_token =
      trait(launch.serve.engine, "hub-token-file", launch.serve.version).has_value();
  if (launch.around.kind == Surroundings::Kind::Bare && reads_token) {
    const std::string token = token_path(outside.environment);
    if (!token.empty()) collector.add(token, token, Span{.source = -1});
  }
  return std::move(collector.found);
}

}  // namespace sx
