// SX3105. The long explanation and the scenes are in shm_too_small.md.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/strings.h"
#include "check/launch_variables.h"
#include "check/rule.h"
#include "check/rule_engines.h"
#include "check/speak.h"
#include "facts/container_changes.h"
#include "knowledge/constants.h"
#include "knowledge/traits.h"
#include "read/settings.h"
#include "rules/memory/memory_words.h"

namespace sx::rules {
namespace {

constexpr Text kTooSmall{
    "/dev/shm has {free} free, and a buffer between {ranks} ranks takes {ring}",
    "/dev/shm 只有 {free} 空闲，而 {ranks} 个 rank 之间的一个缓冲区需要 {ring}"};
constexpr Text kMayBeTooSmall{"/dev/shm has {free} free, and {ranks} ranks may fill {high}",
                              "/dev/shm 只有 {free} 空闲，而 {ranks} 个 rank 可能用到 {high}"};
constexpr Text kTooSmallForNccl{
    "/dev/shm has {free} free, and {ranks} ranks without peer access fill {low} or more",
    "/dev/shm 只有 {free} 空闲，而 {ranks} 个不能直连访问的 rank 至少要用 {low}"};
constexpr Text kLabel{"{ranks} ranks, each a process of its own", "{ranks} 个 rank，各是一个进程"};
constexpr Text kRing{"buffer of the engine's messages: {chunks} chunks of {chunk} = {ring}",
                     "引擎消息的缓冲区：{chunks} 块 x {chunk} = {ring}"};
constexpr Text kRings{
    "buffers of the engine's messages: {chunks} chunks of {chunk} = {ring}, and for each rank's "
    "answers {chunks} of {answer} "
    "= {answers}",
    "引擎消息的缓冲区：{chunks} 块 x {chunk} = {ring}；每个 rank 的回复：{chunks} 块 x {answer} = "
    "{answers}"};
constexpr Text kNccl{
    "NCCL between GPUs without peer access: {ranks} ranks x {channels} channels x {least} to "
    "{most} connections of {segment} = "
    "{low} to {high}",
    "不能直连访问的 GPU 之间，NCCL 占用：{ranks} 个 rank x {channels} 个通道 x {least} 到 {most} "
    "个连接 x {segment} = {low} 到 {high}"};
constexpr Text kTold{"{free} free in /dev/shm: as --shm says",
                     "/dev/shm 空闲 {free}：由 --shm 给出"};
constexpr Text kGiven{"{free} of /dev/shm", "/dev/shm 有 {free}"};
constexpr Text kContainer{"{free} in /dev/shm: what a container gets when nothing else is said",
                          "/dev/shm {free}：没有另外指定时容器得到的大小"};
constexpr Text kShareIpc{"share the host's /dev/shm", "共用主机的 /dev/shm"};
constexpr Text kMoreRoom{"give the container a /dev/shm of 16 GiB; only what is used takes memory",
                         "给容器 16 GiB 的 /dev/shm；实际用到多少才占多少内存"};
constexpr const char* kRoom = "16g";  // above what any launch of one host was seen to use
constexpr Text kRead{"{free} free in /dev/shm: read from this machine",
                     "/dev/shm 空闲 {free}：读自本机"};
constexpr Text kBecause{
    "the processes of one replica pass their messages through /dev/shm; containers get 64 MiB of "
    "it unless told otherwise",
    "同一副本的各进程通过 /dev/shm 交换消息；容器不另外指定时只有 64 MiB"};
constexpr Text kRefused{
    "the engine exits within a minute, before loading weights: \"Insufficient space in /dev/shm\"",
    "引擎在一分钟内退出，此时尚未加载权重：“Insufficient space in /dev/shm”"};
constexpr Text kLater{
    "\"unhandled system error\" of NCCL when the ranks first meet, or a worker dies of \"Bus "
    "error\" under load",
    "各 rank 首次通信时 NCCL 报“unhandled system error”，或者负载升高后 worker 因“Bus error”退出"};
constexpr Text kNoFix{
    "`mount -o remount,size=16g /dev/shm`; in a container, start "
    "that "
    "with `--shm-size 16g` or `--ipc=host`",
    "执行 `mount -o remount,size=16g /dev/shm`；如果在容器里，启动容器时加 "
    "`--shm-size 16g` 或 `--ipc=host`"};
constexpr Text kInCompose{
    "give service {name} `ipc: host` or `shm_size: 16gb`; only what "
    "is used takes memory",
    "给服务 {name} 加 `ipc: host` 或 `shm_size: 16gb`；实际用到多少才占多少内存"};
constexpr Text kInPod{
    "under `volumes` of the pod add `{open}name: shm, emptyDir: "
    "{open}medium: Memory, sizeLimit: 16Gi{close}{close}`, under `volumeMounts` of the container "
    "`{open}name: shm, mountPath: /dev/shm{close}`; what is used counts as the container's memory",
    "在 Pod 的 `volumes` 下加 `{open}name: shm, emptyDir: {open}medium: Memory, "
    "sizeLimit: 16Gi{close}{close}`，在容器的 `volumeMounts` 下加 `{open}name: shm, mountPath: "
    "/dev/shm{close}`；用掉的部分计入容器内存"};
constexpr Text kInQuadlet{
    "add `ShmSize=16g` under [Container]; only what is used takes "
    "memory",
    "在 [Container] 下加 `ShmSize=16g`；实际用到多少才占多少内存"};

constexpr Need kNeeds[] = {Need::HostSharedMemory, Need::Layout};

// What the processes of a launch put into /dev/shm.
struct Demand {
  int ranks = 1;  // of one replica on this machine
  int chunks = 0;
  Bytes chunk, answer_chunk;  // of one buffer; answers: 0 in versions whose size is not known
  Bytes segment;
  int channels = 0, least = 1, most = 1;
  Bytes nccl_low, nccl_high;

  Bytes ring() const { return chunk * chunks; }
  Bytes answers() const { return answer_chunk * chunks; }
};

std::optional<Bytes> mebibytes(const Case& c, std::string_view name) {
  const auto row = constant(c.serve.engine, name, c.serve.version);
  if (!row) return {};
  return mib(static_cast<std::int64_t>(row->value));
}

int number(const Case& c, std::string_view name) {
  const auto row = constant(c.serve.engine, name, c.serve.version);
  return row ? static_cast<int>(row->value) : 0;
}

// The size of a chunk, as the launch may set it; nothing when it sets what cannot be known here.
std::optional<Bytes> chunk_of(const Case& c) {
  constexpr std::string_view kSize = "VLLM_MQ_MAX_CHUNK_BYTES_MB";
  const Setting* own = last_setting(c.command.environment, kSize);
  if (own != nullptr && !own->complete) return {};
  if (const auto set = launch_variable(c, kSize)) {
    const auto size = to_integer(trimmed(set->value));
    if (size && *size > 0 && *size < 1'000'000) return mib(*size);
  }
  return mebibytes(c, "host-shm-chunk").value_or(Bytes{0});
}

std::optional<Demand> demand_of(const Case& c) {
  Demand demand;
  const int machines = std::max(1, c.serve.node_count.value_or(1));
  demand.ranks = std::max(1, c.serve.world_size().value_or(1) / machines);
  // Other executors have other ways to talk.
  if (demand.ranks == 1 ||
      (c.serve.executor_backend.asked() && c.serve.executor_backend.value() != "mp"))
    return {};
  demand.chunks = number(c, "host-shm-chunks");
  const auto chunk = chunk_of(c);
  if (!chunk) return {};
  demand.chunk = *chunk;
  demand.answer_chunk = mebibytes(c, "host-shm-answer-chunk").value_or(Bytes{0});
  const auto segment = constant(c.serve.engine, "nccl-shm-segment", c.serve.version);
  const auto peers = constant(c.serve.engine, "nccl-shm-peers", c.serve.version);
  if (demand.chunks == 0 || demand.chunk == Bytes{0} || !segment || !peers) return {};
  demand.segment = Bytes{static_cast<std::int64_t>(segment->value)};
  demand.channels = number(c, "nccl-shm-channels");
  demand.least = static_cast<int>(peers->low);
  demand.most = std::min(static_cast<int>(peers->high), demand.ranks - 1);
  const Bytes one = demand.segment * demand.ranks * demand.channels;
  demand.nccl_low = one * demand.least;
  demand.nccl_high = one * demand.most;
  return demand;
}

// The ranks surely cannot reach each other directly: no link between cards of this kind, and an
// NCCL that knows no other place.
bool nccl_surely_fills(const Case& c) {
  const auto where = trait(c.serve.engine, "nccl-host-buffers", c.serve.version);
  if (!where || *where != "/dev/shm") return false;
  const bool refused = std::ranges::any_of(c.host().links.p2p, [](const auto& row) {
    return std::ranges::any_of(row,
                               [](const std::string& cell) { return cell != "X" && cell != "OK"; });
  });
  return refused;
}

// The option that makes room, where the launch stands on a docker line.
void propose_room(const Case& c, Complaint& complaint) {
  if (auto changes = set_container_option(c.command, "--ipc", "host"); !changes.empty())
    complaint.proposals.push_back({.title = kShareIpc, .changes = std::move(changes)});
  if (auto changes = set_container_option(c.command, "--shm-size", kRoom); !changes.empty())
    complaint.proposals.push_back({.title = kMoreRoom, .changes = std::move(changes)});
}

// In the words of the file that starts the container.
Message where_to_make_room(const Case& c) {
  const bool quadlet =
      c.command.source >= 0 && c.sources->at(c.command.source).name.ends_with(".container");
  switch (c.around.kind) {
    case Surroundings::Kind::Compose:
      return {kInCompose, {{"name", c.around.name}}};
    case Surroundings::Kind::Kubernetes:
      return {kInPod, {{"open", "{"}, {"close", "}"}}};
    case Surroundings::Kind::Docker:
      return quadlet ? kInQuadlet : kNoFix;
    case Surroundings::Kind::Bare:
    case Surroundings::Kind::Systemd:
    case Surroundings::Kind::Process:
      break;
  }
  return kNoFix;
}

enum class Kind { Refused, NcclFills, MayFill };

void say_where_from(const Case& c, const Argument& space, Diagnostic& d) {
  const Fact<Bytes>& size = c.host().shared_memory;
  const bool contained = c.around.contained() && !c.around.host_ipc.value_or(false);
  if (contained && size.origin() == Origin::Default) {
    d.basis.push_back({kContainer, {space}});
  } else if (contained && size.span()) {
    also(d, size, {kGiven, {space}}, {kGiven, {space}});
  } else {
    d.basis.push_back({size.origin() == Origin::Flag ? kTold : kRead, {space}});
  }
}

void tell(const Case& c, const Demand& demand, Bytes free, Kind kind, Diagnostic& d) {
  const Argument ranks("ranks", demand.ranks), space("free", free);
  const Bytes largest = std::max(demand.ring(), demand.answers());
  switch (kind) {
    case Kind::Refused:
      d.title = {kTooSmall, {ranks, space, {"ring", largest}}};
      break;
    case Kind::NcclFills:
      d.title = {kTooSmallForNccl, {ranks, space, {"low", demand.nccl_low}}};
      break;
    case Kind::MayFill:
      d.title = {kMayBeTooSmall, {ranks, space, {"high", demand.ring() + demand.nccl_high}}};
      break;
  }
  mark_split(c, d, {kLabel, {ranks}});
  std::vector<Argument> rings{
      {"chunks", demand.chunks}, {"chunk", demand.chunk}, {"ring", demand.ring()}};
  if (demand.answers() > Bytes{0}) {
    rings.emplace_back("answer", demand.answer_chunk);
    rings.emplace_back("answers", demand.answers());
  }
  d.basis.push_back({demand.answers() > Bytes{0} ? kRings : kRing, std::move(rings)});
  if (kind != Kind::Refused) {
    d.basis.push_back({kNccl,
                       {ranks,
                        {"channels", demand.channels},
                        {"least", demand.least},
                        {"most", demand.most},
                        {"segment", demand.segment},
                        {"low", demand.nccl_low},
                        {"high", demand.nccl_high}}});
  }
  say_where_from(c, space, d);
}

std::vector<Complaint> check(const Case& c) {
  const auto demand = demand_of(c);
  if (!demand) return {};
  const Bytes free = c.host().shared_memory_free.value_or(c.host().shared_memory.value());
  const bool refuses = trait(c.serve.engine, "shared-memory-at-start", c.serve.version).has_value();
  std::optional<Kind> kind;
  if (free < demand->ring() + demand->nccl_high) kind = Kind::MayFill;
  if (nccl_surely_fills(c) && free < demand->nccl_low) kind = Kind::NcclFills;
  if (refuses && free < std::max(demand->ring(), demand->answers())) kind = Kind::Refused;
  if (!kind) return {};

  Complaint complaint;
  complaint.severity = *kind == Kind::MayFill ? Severity::Warning : Severity::Error;
  Diagnostic& d = complaint.diagnostic;
  d.confidence = Confidence::Computed;
  tell(c, *demand, free, *kind, d);
  d.because = kBecause;
  d.otherwise = *kind == Kind::Refused ? kRefused : kLater;
  d.no_fix = where_to_make_room(c);
  d.subject = "/dev/shm";
  propose_room(c, complaint);
  return {complaint};
}

}  // namespace

extern const Rule shm_too_small{
    .code = "SX3105",
    .name = "shm-too-small",
    .severity = Severity::Error,
    .needs = kNeeds,
    .engines = kOfVllm,
    .check = check,
};

}  // namespace sx::rules
