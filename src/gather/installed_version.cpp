// The engine's version from the metadata that pip leaves beside the package. Python is not run.
#include <algorithm>

#include "base/strings.h"
#include "gather/gather_command.h"

namespace sx {
namespace {

constexpr Bytes kMetadataFront = kib(64);  // Version stands in the first lines
constexpr int kMostLinks = 16;             // links from an interpreter to where it lives

std::string folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return std::string(slash == 0 ? path.substr(0, 1) : path.substr(0, slash));
}

std::string absolute(std::string_view path, const std::string& folder) {
  if (path.starts_with('/') || folder.empty()) return std::string(path);
  return folder + '/' + std::string(path);
}

// "vllm-0.8.5.post1.dist-info" is a folder of metadata for "vllm".
bool is_metadata_of(std::string_view engine, std::string_view name) {
  constexpr std::string_view kEnd = ".dist-info";
  if (!name.ends_with(kEnd) || name.size() <= engine.size() + kEnd.size()) return false;
  return lower(name.substr(0, engine.size())) == engine && name[engine.size()] == '-';
}

// The header ends at the first empty line; what follows is the project's own description.
std::optional<Version> version_in_metadata(std::string_view metadata) {
  for (const auto line : lines_of(metadata)) {
    if (trimmed(line).empty()) return {};
    constexpr std::string_view kKey = "Version:";
    if (line.starts_with(kKey)) return parse_version(trimmed(line.substr(kKey.size())));
  }
  return {};
}

std::optional<Version> version_in_packages(std::string_view engine, const std::string& packages,
                                           const Files& files) {
  const auto names = files.list(packages);
  if (!names) return {};
  std::optional<Version> newest;  // an interrupted upgrade may leave two
  for (const auto& name : *names) {
    if (!is_metadata_of(engine, name)) continue;
    const auto metadata = files.read_front(packages + '/' + name + "/METADATA", kMetadataFront);
    auto version = metadata ? version_in_metadata(*metadata) : std::nullopt;
    if (!version) {
      const std::string_view numbers = std::string_view(name).substr(engine.size() + 1);
      version = parse_version(numbers.substr(0, numbers.rfind(".dist-info")));
    }
    if (version && (!newest || *newest < *version)) newest = version;
  }
  return newest;
}

// `prefix` has bin/ and lib/ in it.
std::optional<Version> version_under(std::string_view engine, const std::string& prefix,
                                     const Files& files) {
  for (const char* lib : {"/lib", "/lib64", "/local/lib"}) {
    const auto names = files.list(prefix + lib);
    if (!names) continue;
    for (const auto& name : *names) {
      if (!name.starts_with("python3")) continue;
      for (const char* kind : {"/site-packages", "/dist-packages"}) {
        const auto version = version_in_packages(engine, prefix + lib + '/' + name + kind, files);
        if (version) return version;
      }
    }
  }
  return {};
}

bool is_file(const std::string& path, const Files& files) {
  const auto info = files.info(path);
  return info && info->kind == FileInfo::Kind::File;
}

// The environment that a program in …/bin belongs to: of the path itself, then of what it links to.
std::optional<Version> version_beside(std::string_view engine, std::string program,
                                      const Files& files) {
  for (int links = 0; links < kMostLinks; ++links) {
    const auto bin = folder_of(program);
    const auto version = version_under(engine, folder_of(bin), files);
    if (version) return version;
    const auto target = files.link_target(program);
    if (!target || target->empty()) return {};
    program = absolute(*target, bin);
  }
  return {};
}

// As the shell finds it.
std::optional<std::string> found_on_path(std::string_view program, const Outside& outside) {
  const auto path = outside.environment.get("PATH").value_or("");
  for (const auto folder : split(path, ':')) {
    if (folder.empty()) continue;
    std::string tried = absolute(folder, outside.folder) + '/' + std::string(program);
    if (is_file(tried, *outside.files)) return tried;
  }
  return {};
}

// The interpreter or script that the command names: "vllm", "/opt/venv/bin/python3".
std::string_view program_of(const Command& command) {
  return command.words.empty() ? std::string_view() : std::string_view(command.words[0].text);
}

}  // namespace

std::optional<Version> installed_version(std::string_view engine, const Command& command,
                                         const Outside& outside) {
  const Files& files = *outside.files;
  const auto program = program_of(command);
  if (program.contains('/')) {
    // A path names its environment: no other one is asked, what it finds would be about another
    // Python.
    return version_beside(engine, absolute(program, outside.folder), files);
  }
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = outside.environment.get(name);
    if (!prefix || prefix->empty()) continue;
    if (const auto version = version_under(engine, *prefix, files)) return version;
  }
  for (const std::string_view name : {program, engine, std::string_view("python3")}) {
    const auto found = name.empty() ? std::nullopt : found_on_path(name, outside);
    if (!found) continue;
    if (const auto version = version_beside(engine, *found, files)) return version;
  }
  return {};
}

}  // namespace sx
