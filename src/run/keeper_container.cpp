// Every question to docker is bounded in time: its daemon may hang, and a keeper must not.
#include "run/keeper_container.h"

#include "base/strings.h"
#include "run/container_launch.h"
#include "sys/child_program.h"
#include "sys/spawn.h"

namespace sx {
namespace {

constexpr std::chrono::milliseconds kAnswer{20'000};  // a busy docker daemon takes its time

using Words = std::vector<std::string>;

// In the environment of the launch: it says which daemon is asked. `env` looks for the program in
// the PATH of that environment; on its command line everybody could read the variables.
std::optional<std::string> answer_of(const EngineLaunch& launch, const Words& question) {
  Words words{"/usr/bin/env", launch.container};
  words.insert(words.end(), question.begin(), question.end());
  const auto answer =
      run_child_program({.words = words, .limit = kAnswer, .environment = &launch.environment});
  if (!answer || answer->timed_out || answer->code != 0) return std::nullopt;
  return answer->out;
}

void ask_without_waiting(const EngineLaunch& launch, Words question) {
  question.insert(question.begin(), launch.container);
  SpawnAsk ask{.words = std::move(question), .environment = launch.environment};
  [[maybe_unused]] const auto spawned = spawn(ask);  // buried with the others that come home
}

}  // namespace

KeeperContainer::KeeperContainer(const EngineLaunch& launch, std::string folder, std::string mark)
    : launch_(launch), folder_(std::move(folder)), mark_(std::move(mark)) {}

Words KeeperContainer::words() const {
  return any() ? container_words(launch_, folder_, mark_) : launch_.words;
}

void KeeperContainer::stop(std::chrono::seconds grace) const {
  ask_without_waiting(launch_,
                      {"stop", "-t", std::to_string(grace.count()), container_name(mark_)});
}

void KeeperContainer::kill() const {
  ask_without_waiting(launch_, {"kill", container_name(mark_)});
}

KeeperContainer::Ending KeeperContainer::end() const {
  Ending ending;
  const std::string name = container_name(mark_);
  const Words look{"inspect", "--format",
                   "{{.State.Running}} {{.State.ExitCode}} {{.State.OOMKilled}}", name};
  auto told = answer_of(launch_, look);
  if (told && told->starts_with("true")) {
    answer_of(launch_, {"kill", name});
    told = answer_of(launch_, look);
  }
  if (told) {
    const auto parts = split(trimmed(*told), ' ');
    const auto code = parts.size() == 3 ? to_integer(parts[1]) : std::nullopt;
    constexpr int kMostCode = 255;
    if (code && *code >= 0 && *code <= kMostCode) ending.code = static_cast<int>(*code);
    ending.out_of_memory = parts.size() == 3 && parts[2] == "true";
  }
  answer_of(launch_, {"rm", "--force", name});
  return ending;
}

bool remove_containers_of(const EngineLaunch& launch, const std::string& folder) {
  if (launch.container.empty()) return false;
  const auto told =
      answer_of(launch, {"ps", "--all", "--quiet", "--filter", "label=" + container_label(folder)});
  Words remove{"rm", "--force"};
  const std::string ids = told.value_or("");  // the lines look into it
  for (const std::string_view id : lines_of(ids)) {
    if (!trimmed(id).empty()) remove.emplace_back(trimmed(id));
  }
  if (remove.size() == 2) return false;
  answer_of(launch, remove);
  return true;
}

}  // namespace sx
