// SX4124. The long explanation and the scenes are in model_path_not_mounted.md.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"
#include "facts/container_changes.h"
#include "facts/paths.h"
#include "knowledge/images.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"nothing is mounted at {path} in the container",
                      "容器里的 {path} 没有挂载任何内容"};
constexpr Text kLabel{"a path inside the container", "容器内的路径"};
constexpr Text kOnHost{"this folder of the host is {inside} inside",
                       "主机的这个目录在容器内是 {inside}"};
constexpr Text kBecause{
    "the program in the container sees the image's files and what is mounted, not the host's paths",
    "容器内的程序只能看到镜像里的文件和挂载进来的内容，看不到主机的路径"};
constexpr Text kOtherwise{
    "the engine exits within a minute: the path is not there, and is taken for the name of a "
    "repository",
    "一分钟内退出：路径不存在，被当作仓库名处理"};
constexpr Text kInside{"use the path that the container sees", "使用容器内看到的路径"};
constexpr Text kMount{"mount the host's {folder} at the same path",
                      "把主机的 {folder} 挂载到相同的路径"};

// The mount whose folder of the host holds the path: the user typed the host's path.
const Mount* mounted_from(const Case& c, std::string_view path) {
  for (const Mount& mount : c.around.mounts) {
    if (mount.host.starts_with('/') && lies_under(path, mount.host)) return &mount;
  }
  return nullptr;
}

std::string inside_path(const Mount& mount, std::string_view path) {
  std::string_view host = mount.host, inside = mount.inside;
  while (host.size() > 1 && host.ends_with('/')) host.remove_suffix(1);
  while (inside.size() > 1 && inside.ends_with('/')) inside.remove_suffix(1);
  return std::string(inside) + std::string(path.substr(host.size()));
}

// Images of the engines' makers hold no models; others may.
bool image_without_models(const Case& c) {
  return c.around.image.known() && known_image(c.around.image.value()).has_value();
}

bool other_volumes(const Case& c) {
  const auto line = run_line(c.command);
  return line && option_of(*line, "--volumes-from") != nullptr;
}

std::vector<Complaint> check(const Case& c) {
  if (c.around.kind != Surroundings::Kind::Docker || c.around.joined) return {};
  if (!c.serve.model.known() || !image_without_models(c) || other_volumes(c)) return {};
  const std::string& path = c.serve.model.value();
  if (!path.starts_with('/')) return {};
  const bool mounted = std::ranges::any_of(
      c.around.mounts, [&path](const Mount& mount) { return lies_under(path, mount.inside); });
  if (mounted) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"path", path}}};
  mark(d, c.serve.model, kLabel);
  const Mount* from = mounted_from(c, path);
  if (from != nullptr) {
    d.labels.push_back({from->span, {kOnHost, {{"inside", from->inside}}}, d.labels.empty()});
    complaint.proposals.push_back(
        {.title = kInside, .changes = {set_model(inside_path(*from, path))}});
  } else if (run_line(c.command)) {
    // A file's folder holds its other parts, too.
    const bool file = path.ends_with(".gguf");
    const std::string folder = file ? path.substr(0, path.rfind('/')) : path;
    if (!folder.empty()) {
      complaint.proposals.push_back({.title = {kMount, {{"folder", folder}}},
                                     .changes = {add_option("-v", folder + ':' + folder + ":ro")}});
    }
  }
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "model";
  return {complaint};
}

}  // namespace

extern const Rule model_path_not_mounted{
    .code = "SX4124",
    .name = "model-path-not-mounted",
    .severity = Severity::Error,
    .check = check,
};

}  // namespace sx::rules
