// SX5117. The long explanation and the scenes are in open_files_low.md.
#include <vector>

#include "check/gpu_condition.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{
    "{limit} files may be open at a time; every client's connection is one of them",
    "同时打开的文件上限为 {limit}；每个客户端连接都占一个"};
constexpr Text kLabel{"limit of open files", "打开文件数的上限"};
constexpr Text kBasis{"limit of open files: {limit}", "打开文件数上限：{limit}"};
constexpr Text kBecause{
    "connections of clients, links between the engine's processes and weight files all count; some "
    "hundreds are taken before the first client comes",
    "客户端连接、引擎进程之间的通道和权重文件都计入；在第一个客户端到来之前已经用掉数百个"};
constexpr Text kOtherwise{
    "it serves, and under load new connections are refused: \"OSError: [Errno 24] Too many open "
    "files\"",
    "可以服务；但负载升高后新连接会被拒绝：“OSError: [Errno 24] Too many open files”"};
constexpr Text kNoFix{
    "`ulimit -n 65535` before the start; for Docker `--ulimit nofile=65535:65535`, for systemd "
    "`LimitNOFILE=65535`",
    "启动前执行 `ulimit -n 65535`；Docker 用 `--ulimit nofile=65535:65535`，systemd 用 "
    "`LimitNOFILE=65535`"};

constexpr Need kNeeds[] = {Need::HostOpenFiles};

constexpr int kTight = 1024;  // the system's common default, too little for a busy server

std::vector<Complaint> check(const Case& c) {
  const Fact<int>& limit = c.around.open_files.known() ? c.around.open_files : c.host().open_files;
  if (!limit.known() || limit.value() > kTight) return {};
  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  const Argument count("limit", limit.value());
  d.title = {kTitle, {count}};
  show(d, limit, kLabel, {kBasis, {count}});
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.subject = "nofile";
  d.no_fix = kNoFix;
  return {complaint};
}

}  // namespace

extern const Rule open_files_low{
    .code = "SX5117",
    .name = "open-files-low",
    .severity = Severity::Advice,
    .needs = kNeeds,
    .check = check,
};

}  // namespace sx::rules
