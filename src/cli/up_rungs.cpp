// The tensor-parallel size is halved until one GPU is left.
#include "cli/up_rungs.h"

#include <algorithm>
#include <array>

#include "facts/edit_command.h"
#include "run/container_launch.h"
#include "run/engine_key.h"
#include "run/engine_launch.h"

namespace sx {
namespace {

constexpr Tokens kShortContext{4096};
constexpr int kMostGpus = 1024;

// Only tensor parallelism: what else it splits by would change too.
std::optional<int> size_of(const Launch& launch) {
  const ServeSpec& serve = launch.serve;
  const bool one = !serve.data_parallel.known() || serve.data_parallel.value() == 1;
  if (!serve.tensor_parallel.known() || !one || serve.node_count.value_or(1) != 1)
    return std::nullopt;
  const int size = serve.tensor_parallel.value();
  if (size < 2 || size > kMostGpus || serve.world_size() != size) return std::nullopt;
  return size;
}

std::optional<Launch> with_size(const Launch& launch, int size) {
  const std::array changes{set_flag("--tensor-parallel-size", std::to_string(size))};
  EditedCommand edited = edit_command(launch.command, launch.serve, changes);
  if (!edited.possible) return std::nullopt;
  Launch made = launch;
  made.command = std::move(edited.command);
  return made;
}

std::vector<int> first_gpus(int count, const UpAsk& ask) {
  std::vector<int> gpus;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    gpus.push_back(i < ask.gpus.size() ? ask.gpus[i] : ask.first_gpu + static_cast<int>(i));
  return gpus;
}

}  // namespace

void bind_to_gpus(EngineLaunch& launch) {
  std::string listed;
  for (const int gpu : launch.gpus) listed += (listed.empty() ? "" : ",") + std::to_string(gpu);
  if (listed.empty()) return;
  set_variable(launch, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  set_variable(launch, "CUDA_VISIBLE_DEVICES", listed);
}

void shorten(Launch& launch) {
  const auto& length = launch.serve.max_model_len;
  if (!length.known() || length.value() <= kShortContext) return;
  const std::array changes{set_flag("--max-model-len", std::to_string(kShortContext.count()))};
  EditedCommand edited = edit_command(launch.command, launch.serve, changes);
  if (edited.possible) launch.command = std::move(edited.command);
}

Result<std::vector<CommandRung>> rungs_of_command(const Launch& launch, const UpAsk& ask,
                                                  const Outside& outside, FreePorts& ports) {
  std::vector<CommandRung> rungs;
  const auto size = size_of(launch);
  for (int gpus = 1; size && gpus < *size; gpus *= 2) {
    auto smaller = with_size(launch, gpus);
    if (!smaller) break;
    shorten(*smaller);
    EngineLaunchAsk question{
        .environment = ask.origin.environment, .folder = ask.origin.folder, .gpus = {}};
    SX_TRY(question.port, ports.next());
    if (!launch.serve.visible_devices.known()) question.gpus = first_gpus(gpus, ask);
    SX_TRY(auto made, engine_launch(*smaller, question));
    for (const auto& [name, value] : ask.environment) set_variable(made, name, value);
    if (auto key = take_engine_key(made, *smaller, *outside.files); !key)
      return std::unexpected(key.error());
    if (ask.first_gpu > 0 || !ask.gpus.empty()) bind_to_gpus(made);
    CommandRung rung{
        .layout = {.label = "TP" + std::to_string(gpus), .replicas = {made}, .proves = ""},
        .command = as_started(made, outside)};
    rung.layout = named_rung(static_cast<std::size_t>(gpus), std::move(rung.layout));
    rungs.push_back(std::move(rung));
  }
  return rungs;
}

DeployedLayout named_rung(std::size_t gpus, DeployedLayout layout) {
  // One replica of a plan with several: "TP2" of "3 x TP2".
  constexpr std::string_view kTimes = " x TP";
  if (const std::size_t times = layout.label.find(kTimes); times != std::string::npos)
    layout.label.erase(0, times + kTimes.size() - 2);
  layout.proves = gpus == 1 ? "files, tokenizer, code path" : "peer communication";
  return layout;
}

std::vector<std::string> as_started(const EngineLaunch& launch, const Outside& outside) {
  if (!launch.container.empty()) return launch.words;  // its variables stand among them
  std::vector<std::string> words{"env"};
  for (const auto& [name, value] : launch.environment) {
    if (outside.environment.get(name) != value) words.push_back(name + '=' + value);
  }
  if (words.size() == 1) return launch.words;
  const auto first = launch.words.begin() + (launch.words.front() == "env" ? 1 : 0);
  words.insert(words.end(), first, launch.words.end());
  return words;
}

}  // namespace sx
