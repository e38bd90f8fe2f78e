// What a runner remembers from one start to the next: how long stages took, and what the GPUs held
// when nothing of the deployment ran.
#include <algorithm>
#include <boost/json.hpp>

#include "run/json_fields.h"
#include "run/runner_inside.h"

namespace sx {
namespace {

namespace json = boost::json;

using runner::now;
using runner::Running;
using runner::unix_ms;

constexpr const char* kGpusBefore = "gpus-before";
constexpr const char* kWarming = "warming";  // the last stage: one request proves it

std::string use_words(const std::vector<GpuUse>& uses) {
  json::object bytes;
  for (const GpuUse& use : uses) {
    if (use.used) bytes[std::to_string(use.gpu)] = use.used->count();
  }
  return json::serialize(bytes);
}

std::vector<GpuUse> read_use(const std::string& words) {
  std::vector<GpuUse> uses;
  const auto object = json_object(words, kGpusBefore);
  if (!object) return uses;
  for (const auto& [name, value] : *object) {
    json::error_code error;
    const auto bytes = value.to_number<std::int64_t>(error);
    const auto gpu = json::parse(name, error);
    if (!error && gpu.is_int64())
      uses.push_back(
          {.gpu = static_cast<int>(gpu.get_int64()), .used = Bytes{bytes}, .holders = {}});
  }
  return uses;
}

bool names_gpus(const Deployment& deployment) {
  for (const auto* layouts : {&deployment.rungs, &deployment.layouts}) {
    for (const DeployedLayout& layout : *layouts) {
      for (const EngineLaunch& launch : layout.replicas) {
        if (!launch.gpus.empty()) return true;
      }
    }
  }
  return false;
}

}  // namespace

void Runner::Inside::begin_clock(Running& replica) {
  replica.clock.emplace(now());
  for (const std::string& words : journal.starts(launch_shape(replica.launch)))
    replica.earlier.push_back(read_start(words));
}

void Runner::Inside::clock_start(const Transition& transition) {
  Running* replica = running({.replica = transition.replica, .start = transition.start});
  if (replica == nullptr || !replica->clock) return;
  if (transition.to == ReplicaState::Warming) {
    replica->clock->reached(kWarming, now());
    replica->stage_percent = -1;
    return;
  }
  if (transition.to == ReplicaState::Starting) return;
  if (transition.to == ReplicaState::Ready) {
    [[maybe_unused]] const auto added =
        journal.add_start(launch_shape(replica->launch), start_words(replica->clock->until(now())));
  }
  replica->clock.reset();
}

// Before anything of ours is started: what is in use then is not ours to wait for. A daemon that
// takes over engines knows it from the one before.
bool Runner::Inside::asks_gpus() const { return !ask.resume && names_gpus(ask.deployment); }

void Runner::Inside::see_gpus_before(const std::optional<std::vector<GpuUse>>& told) {
  if (!asks_gpus()) {
    gpus_before = read_use(journal.remembered(kGpusBefore).value_or("{}"));
    return;
  }
  gpus_before = told.value_or(std::vector<GpuUse>{});
  [[maybe_unused]] const auto noted = journal.remember(kGpusBefore, use_words(gpus_before));
}

// Of GPUs that another living replica uses too nobody can say whose memory it is.
GpuReleaseAsk Runner::Inside::gpu_release(const Running& replica) const {
  GpuReleaseAsk question{
      .program = ask.program, .gpus = {}, .before = gpus_before, .hurry = &hurry};
  if (!replica.began) return question;
  for (const int gpu : replica.launch.gpus) {
    const bool shared = std::ranges::any_of(all, [&](const auto& other) {
      const auto& gpus = other.second.launch.gpus;
      return other.first != replica.of.replica && std::ranges::find(gpus, gpu) != gpus.end();
    });
    if (!shared) question.gpus.push_back(gpu);
  }
  return question;
}

void Runner::Inside::note(int replica, const std::string& name, const Both& words) {
  [[maybe_unused]] const auto added = journal.add(
      JournalNote{.unix_ms = unix_ms(), .replica = replica, .name = name, .words = words});
}

void Runner::Inside::note_where_it_is() {
  const auto resumes = supervisor.layout_to_resume();
  const std::string layout = resumes ? std::to_string(*resumes) : "";
  if (layout != std::exchange(layout_noted, layout)) journal.remember_later("layout", layout);
  const std::string given_up = given_up_words(supervisor.given_up());
  if (given_up != std::exchange(given_up_noted, given_up))
    journal.remember_later("given-up", given_up);
}

std::optional<Outlook> Runner::outlook(int replica) const {
  const auto found = inside_->all.find(replica);
  if (found == inside_->all.end() || !found->second.clock) return std::nullopt;
  Running& running = found->second;
  return sx::outlook(running.earlier, *running.clock, running.stage_percent, now());
}

const std::vector<RungResult>& Runner::rungs_tried() const { return inside_->ladder.results(); }

}  // namespace sx
