// SX9106. The long explanation and the scenes are in media_path_wide.md.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"clients may have the server open any file below {path}",
                      "客户端可以让服务打开 {path} 下的任何文件"};
constexpr Text kLabel{"more than pictures and videos", "远不止图片和视频"};
constexpr Text kBecause{
    "a request may name file:// below that folder, and the server opens it with its own rights",
    "请求里可以用 file:// 指向该目录下的文件，服务以自己的权限打开它"};
constexpr Text kOtherwise{
    "whoever can send requests can find out which files there are, and have those that decode as "
    "media described",
    "能发请求的人可以试出有哪些文件，并让模型描述其中能解码成图像或音视频的文件"};
constexpr Text kNarrow{
    "name a folder that holds nothing but media: --allowed-local-media-path /data/media",
    "指定一个只放媒体文件的目录：--allowed-local-media-path /data/media"};
constexpr Text kLeaveOut{"leave it out; clients then send media in the request or as a URL",
                         "去掉它；客户端改为在请求里直接发送媒体或给出 URL"};

// Folders that hold far more than media on every system.
constexpr std::array<std::string_view, 12> kWide{"/",    "/home", "/root", "/etc", "/var", "/usr",
                                                 "/opt", "/proc", "/sys",  "/dev", "/run", "/mnt"};

std::string plain(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// /home/alice is as wide as /root.
bool is_home(std::string_view path) {
  return path == "~" ||
         (path.starts_with("/home/") &&
          path.find('/', std::string_view("/home/").size()) == std::string_view::npos);
}

std::vector<Complaint> check(const Case& c) {
  const FlagUse* use = c.serve.use_of("--allowed-local-media-path");
  if (use == nullptr || !use->complete || use->values.size() != 1) return {};
  const std::string path = plain(use->values.front());
  if (std::ranges::find(kWide, path) == kWide.end() && !is_home(path)) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"path", path}}};
  mark(d, use->span, kLabel);
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "--allowed-local-media-path";
  d.no_fix = kNarrow;
  complaint.proposals.push_back({.title = kLeaveOut,
                                 .changes = {remove_flag("--allowed-local-media-path")},
                                 .safety = Safety::Trades});
  return {complaint};
}

}  // namespace

extern const Rule media_path_wide{
    .code = "SX9106",
    .name = "media-path-wide",
    .severity = Severity::Warning,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
