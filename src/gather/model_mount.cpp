// The deepest mount wins, as in the file system.
#include "gather/model_mount.h"

#include "facts/paths.h"
#include "gather/command_text.h"

namespace sx {
namespace {

// "$HOME/x", "${HOME}/x": the rest behind the variable; nothing when it begins otherwise.
std::optional<std::string_view> behind_variable(std::string_view path, std::string_view name) {
  const std::string plain = '$' + std::string(name);
  const std::string braced = "${" + std::string(name) + '}';
  if (path.starts_with(braced)) return path.substr(braced.size());
  const bool whole =
      path.starts_with(plain) && (path.size() == plain.size() || path[plain.size()] == '/');
  return whole ? std::optional(path.substr(plain.size())) : std::nullopt;
}

std::string on_this_host(const std::string& path, const std::string& folder,
                         const Outside& outside) {
  const std::string home = outside.environment.get("HOME").value_or("");
  if (path == "~" || path.starts_with("~/")) return home.empty() ? path : home + path.substr(1);
  if (const auto rest = behind_variable(path, "HOME"); rest && !home.empty())
    return home + std::string(*rest);
  for (const std::string_view here : {"PWD", "(pwd)"}) {
    if (const auto rest = behind_variable(path, here)) return outside.folder + std::string(*rest);
  }
  if (path == "." || path == "./") return folder;
  if (path.starts_with("./")) return path_in(folder, std::string_view(path).substr(2));
  if (path.starts_with("../")) return path_in(folder, path);
  return path;
}

}  // namespace

void follow_mounts(Surroundings& around, const std::string& folder, const Outside& outside) {
  for (Mount& mount : around.mounts) mount.host = on_this_host(mount.host, folder, outside);
}

const Mount* mount_over(const Surroundings& around, std::string_view path) {
  const Mount* deepest = nullptr;
  for (const Mount& mount : around.mounts) {
    if (!lies_under(path, mount.inside)) continue;
    if (deepest == nullptr || mount.inside.size() >= deepest->inside.size()) deepest = &mount;
  }
  return deepest;
}

std::string path_on_host(const Surroundings& around, const std::string& path) {
  if (!path.starts_with('/')) return path;
  const Mount* mount = mount_over(around, path);
  if (mount == nullptr) return path;
  std::string_view inside = mount->inside;
  while (inside.size() > 1 && inside.ends_with('/')) inside.remove_suffix(1);
  std::string host = mount->host;
  while (host.size() > 1 && host.ends_with('/')) host.pop_back();
  return host + (inside == "/" ? path : path.substr(inside.size()));
}

}  // namespace sx
