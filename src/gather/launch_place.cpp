// A relative path begins in the launch's own folder: that of a unit or a container is written down,
// a typed command's is ours, a script's is wherever it is called.
#include "gather/launch_place.h"

#include <algorithm>

#include "facts/elsewhere.h"
#include "facts/paths.h"
#include "gather/command_text.h"
#include "gather/model_mount.h"
#include "gather/text_around.h"
#include "gather/text_kind.h"
#include "knowledge/words_around.h"

namespace sx {
namespace {

constexpr Text kScript{
    "a relative path, looked for from {folder}; a script may be called elsewhere",
    "相对路径，从 {folder} 找起；脚本也可能在别处调用"};
constexpr Text kMounted{
    "{inside} in the container is {host} of the host, which may be another machine",
    "容器内的 {inside} 是主机的 {host}；主机可能是另一台机器"};

using enum Surroundings::Kind;

// Of a text: its first lines tell a list of processes, and every path asks for it.
constexpr std::size_t kHead = 65536;

bool is_whole(std::string_view path) { return path.starts_with('/'); }

// `./a` is `a`; `..` stays, since a link may stand before it.
std::string whole_path(const std::string& folder, std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  return path_in(folder, path);
}

std::string folder_of_file(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A working folder as it is written: with variables and specifiers it is not known here.
std::optional<std::string> said_folder(const Launch& launch) {
  const std::string folder = launch.around.working_folder.value_or("");
  if (!is_whole(folder) || folder.find_first_of("$%{") != std::string::npos) return {};
  return folder;
}

// env -C, sudo -D, sudo -i, uv --directory, and programs that choose a folder of their own.
bool starts_in_another(std::span<const std::string> before) {
  const auto words = words_around(AroundUse::Elsewhere);
  return std::ranges::any_of(before, [words](std::string_view word) {
    word = word.substr(0, word.find('='));
    return std::ranges::find(words, word.substr(word.rfind('/') + 1)) != words.end();
  });
}

// What the user gave stands first; a text inside it (bash -c "…") may be another source.
bool moves(const Launch& launch, const Sources& sources) {
  if (starts_in_another(launch.command.before)) return true;
  const int source = launch.command.source;
  const bool of_it = source > 0 && changes_folder(sources.at(source).text);
  return of_it || (!sources.all().empty() && changes_folder(sources.at(0).text));
}

std::optional<PlaceHere> in_container(const Launch& launch, std::string_view path) {
  if (launch.around.joined || launch.around.kind == Kubernetes) return {};
  std::string inside(path);
  if (!is_whole(path)) {
    const auto folder = said_folder(launch);
    if (!folder) return {};
    inside = whole_path(*folder, path);
  }
  const Mount* mount = mount_over(launch.around, inside);
  if (mount == nullptr || !is_whole(mount->host)) return {};
  PlaceHere place{.path = path_on_host(launch.around, inside), .beside = {}, .unsure = {}};
  if (place.path.find('$') != std::string::npos) return {};
  place.unsure = {kMounted, {{"inside", inside}, {"host", place.path}}};
  return place;
}

// What is there depends on who looks: an own descriptor, a folder of the launch's process.
bool is_of_process(std::string_view path) {
  return lies_under(path, "/dev") || lies_under(path, "/proc");
}

// C:\models\a.gguf: a program of Windows is started from WSL.
bool is_of_windows(std::string_view path) {
  return path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
}

// What a shell makes other names of: snapshots/*, {a,b}, <(cat key); or a template that is filled
// in later.
bool is_pattern(std::string_view path) {
  return path.find_first_of("*?[{") != path.npos || path.starts_with("<(");
}

// What the user gave, and the text in it in which the launch stands.
Message may_come(const Launch& launch, const Sources& sources, std::string_view path) {
  const int source = launch.command.source;
  Message why = source > 0 ? may_bring_files(sources.at(source).text, path) : Message{};
  if (why.empty() && !sources.all().empty()) why = may_bring_files(sources.at(0).text, path);
  return why;
}

// A command that was typed, or stands in a script.
std::optional<PlaceHere> in_shell(const Launch& launch, const Sources& sources,
                                  const Outside& outside, std::string_view path) {
  const int source = launch.command.source;
  if (source < 0) return {};
  const Source& text = sources.at(source);
  const bool script = text.kind == SourceKind::File || text.kind == SourceKind::StandardInput;
  // What runs already has opened its files.
  const std::string_view head = std::string_view(text.text).substr(0, kHead);
  if (script && text_kind(text.name, head) == TextKind::ProcessList) return {};
  if (text.kind == SourceKind::Process) return {};
  if (is_whole(path)) return PlaceHere{.path = std::string(path), .beside = {}, .unsure = {}};
  if (moves(launch, sources)) return {};
  PlaceHere place{.path = whole_path(outside.folder, path), .beside = {}, .unsure = {}};
  if (script) {
    place.unsure = {kScript, {{"folder", outside.folder}}};
    if (text.kind == SourceKind::File)
      place.beside = whole_path(folder_of_file(path_in(outside.folder, text.uri)), path);
  }
  return place;
}

std::optional<PlaceHere> place_of(const Launch& launch, const Sources& sources,
                                  const Outside& outside, std::string_view path) {
  switch (launch.around.kind) {
    case Bare:
      return in_shell(launch, sources, outside, path);
    case Docker:
    case Compose:
    case Kubernetes:
      return in_container(launch, path);
    case Systemd: {
      if (is_whole(path)) return PlaceHere{.path = std::string(path), .beside = {}, .unsure = {}};
      const auto folder = said_folder(launch);
      if (!folder || moves(launch, sources)) return {};
      return PlaceHere{.path = whole_path(*folder, path), .beside = {}, .unsure = {}};
    }
    case Process:
      return {};  // it runs: it has opened its files
  }
  return {};
}

}  // namespace

std::optional<PlaceHere> place_here(const Launch& launch, const Sources& sources,
                                    const Outside& outside, std::string_view path) {
  if (path.empty() || path.starts_with('~') || leads_elsewhere(launch.command.before)) return {};
  if (is_of_process(path) || is_of_windows(path) || is_pattern(path)) return {};
  auto place = place_of(launch, sources, outside, path);
  if (place && place->unsure.empty()) place->unsure = may_come(launch, sources, path);
  return place;
}

std::string model_name_here(const Launch& launch, const Sources& sources, const Outside& outside) {
  const std::string& name = launch.serve.model.value();
  const bool may_be_path = names_path(name) || name.ends_with(".gguf");
  const bool own_folder = launch.around.kind != Bare && launch.around.working_folder.known();
  if (own_folder && may_be_path && !is_whole(name)) {
    const auto place = place_here(launch, sources, outside, name);
    if (place && outside.files->info(place->path)) return place->path;
  }
  return path_on_host(launch.around, name);
}

std::string folder_of_manifest(const Launch& launch, const Sources& sources,
                               const Outside& outside) {
  const int source = launch.command.source;
  const bool written =
      launch.around.kind == Compose && source >= 0 && sources.at(source).kind == SourceKind::File;
  if (!written) return outside.folder;
  return folder_of_file(path_in(outside.folder, sources.at(source).uri));
}

}  // namespace sx
