// Our own `host` asks the driver, in a process of its own: a driver that hangs takes nothing along.
#include "run/gpu_release.h"

#include <algorithm>
#include <boost/json.hpp>
#include <thread>

#include "diag/message.h"
#include "run/json_fields.h"
#include "sys/child_program.h"

namespace sx {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Others on the same card come and go by so much; an engine that stayed holds far more.
constexpr Bytes kSlack = mib(256);
constexpr milliseconds kEvery{500};  // the question takes a tenth of a second and some CPU
constexpr milliseconds kAnswerTime{15'000};
constexpr std::size_t kMostGpus = 1024;
constexpr std::size_t kMostHolders = 8;  // named; more are counted

constexpr Text kHeld{
    "GPU {gpu} still holds {more} more than before this deployment: {holders}. The next start goes "
    "on all the same",
    "GPU {gpu} 仍比本部署启动前多占用 {more}：{holders}。下一次启动照常进行"};
constexpr Text kUnknown{
    "whether the memory of GPU {gpu} is free again is not known: the driver does not say. The next "
    "start goes on",
    "无法得知 GPU {gpu} 的显存是否已释放：驱动没有给出。下一次启动照常进行"};
constexpr Text kProcess{"process {pid} ({name})", "进程 {pid}（{name}）"};
constexpr Text kBareProcess{"process {pid}", "进程 {pid}"};
constexpr Text kNobody{"no process is listed for it", "没有列出任何占用它的进程"};
constexpr Text kAnd{"{first}, {second}", "{first}、{second}"};

GpuHolder holder_of(const json::object& object) {
  GpuHolder holder;
  json::error_code error;
  if (const auto* pid = object.if_contains("pid"); pid != nullptr) {
    holder.pid = pid->to_number<std::int64_t>(error);
    if (error) holder.pid = 0;
  }
  const auto* name = object.if_contains("name");
  if (name != nullptr && name->is_string()) holder.name = std::string(name->get_string());
  return holder;
}

std::optional<GpuUse> use_of(const json::object& object) {
  JsonFields fields(object, "a GPU");
  GpuUse use{.gpu = static_cast<int>(fields.number("index", 0, 1 << 16)), .holders = {}};
  if (!fields.error()) return std::nullopt;
  json::error_code error;
  if (const auto* used = object.if_contains("used_bytes"); used != nullptr && used->is_number()) {
    const auto bytes = used->to_number<std::int64_t>(error);
    if (!error && bytes >= 0) use.used = Bytes{bytes};
  }
  use.name = text_in(object, "name");
  if (const auto* all = object.if_contains("memory_bytes"); all != nullptr && all->is_number()) {
    const auto bytes = all->to_number<std::int64_t>(error);
    if (!error && bytes > 0) use.memory = Bytes{bytes};
  }
  const json::value value(object);
  const auto* holders = value.find_pointer("/state/processes", error);
  if (error || holders == nullptr || !holders->is_array()) return use;
  for (const json::value& one : holders->get_array()) {
    if (one.is_object()) use.holders.push_back(holder_of(one.get_object()));
  }
  return use;
}

const GpuUse* of_gpu(const std::vector<GpuUse>& all, int gpu) {
  const auto found = std::ranges::find(all, gpu, &GpuUse::gpu);
  return found == all.end() ? nullptr : &*found;
}

std::string listed(const std::vector<int>& gpus) {
  std::string text;
  for (const int gpu : gpus) text += (text.empty() ? "" : ", ") + std::to_string(gpu);
  return text;
}

Both said_of(const GpuUse& held, const std::vector<GpuUse>& before) {
  Both holders;
  std::size_t named = 0;
  for (const GpuHolder& one : held.holders) {
    if (++named > kMostHolders) break;
    const Both process = one.name.empty()
                             ? in_both({kBareProcess, {{"pid", one.pid}}})
                             : in_both({kProcess, {{"pid", one.pid}, {"name", one.name}}});
    holders =
        holders.empty() ? process : in_both({kAnd, {{"first", holders}, {"second", process}}});
  }
  if (holders.empty()) holders = in_both({kNobody});
  const GpuUse* then = of_gpu(before, held.gpu);
  const Bytes more = *held.used - (then == nullptr ? Bytes{} : then->used.value_or(Bytes{}));
  return in_both({kHeld, {{"gpu", held.gpu}, {"more", more}, {"holders", holders}}});
}

}  // namespace

std::optional<std::vector<GpuUse>> read_gpu_use(std::string_view host) {
  const auto object = json_object(host, "host");
  if (!object) return std::nullopt;
  const auto* gpus = object->if_contains("gpus");
  const auto* count = object->if_contains("gpu_count");
  const bool told = gpus != nullptr && gpus->is_array() && count != nullptr && count->is_number();
  if (!told || gpus->get_array().size() > kMostGpus) return std::nullopt;
  std::vector<GpuUse> all;
  for (const json::value& one : gpus->get_array()) {
    auto use = one.is_object() ? use_of(one.get_object()) : std::nullopt;
    if (!use) return std::nullopt;
    all.push_back(std::move(*use));
  }
  return all;
}

std::optional<std::vector<GpuUse>> ask_gpu_use(const std::string& program) {
  ChildAsk ask{.words = {program, "host", "--format", "json"}};
  ask.limit = kAnswerTime;
  const auto answer = run_child_program(ask);
  if (!answer || answer->timed_out || answer->cut || answer->code != 0) return std::nullopt;
  return read_gpu_use(answer->out);
}

StillHeld still_held(const std::vector<GpuUse>& before, const std::vector<GpuUse>& now,
                     const std::vector<int>& gpus) {
  StillHeld held;
  for (const int gpu : gpus) {
    const GpuUse* then = of_gpu(before, gpu);
    const GpuUse* use = of_gpu(now, gpu);
    if (then == nullptr || use == nullptr || !then->used || !use->used) {
      held.unknown = true;
    } else if (*use->used > *then->used + kSlack) {
      held.gpus.push_back(*use);
    }
  }
  return held;
}

GpuReleaseTold wait_for_gpus(const GpuReleaseAsk& ask) {
  if (ask.gpus.empty()) return {};
  const GpuReleaseTold unknown{.held = {},
                               .unknown = in_both({kUnknown, {{"gpu", listed(ask.gpus)}}})};
  if (ask.before.empty()) return unknown;
  const auto until = Clock::now() + ask.limit;
  while (true) {
    const auto now = ask_gpu_use(ask.program);
    if (!now) return unknown;
    const StillHeld held = still_held(ask.before, *now, ask.gpus);
    if (held.gpus.empty()) return held.unknown ? unknown : GpuReleaseTold{};
    if (ask.hurry != nullptr && *ask.hurry) return {};
    if (Clock::now() >= until)
      return {.held = said_of(held.gpus.front(), ask.before), .unknown = {}};
    std::this_thread::sleep_for(kEvery);
  }
}

}  // namespace sx
