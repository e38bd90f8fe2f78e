// Values are put into the words as the user split them: --gpus=all stays one word.
#include "facts/container_changes.h"

#include <algorithm>

#include "base/strings.h"
#include "facts/container_values.h"

namespace sx {

std::optional<ContainerLine> run_line(const Command& command) {
  if (command.front.empty() || command.image_word == 0) return {};
  auto line = container_line(command.front);
  if (!line || line->verb != ContainerLine::Verb::Run) return {};
  return line;
}

Change change_container_option(const Command& command, const ContainerOption& option,
                               const std::string& value) {
  const std::size_t at = option.first_word + option.word_count - 1;
  return replace_front(at, command.front[at].text.substr(0, option.value_at) + value);
}

std::vector<Change> set_container_option(const Command& command, std::string_view name,
                                         const std::string& value) {
  const auto line = run_line(command);
  if (!line) return {};
  if (const ContainerOption* option = option_of(*line, name); option && option->has_value)
    return {change_container_option(command, *option, value)};
  return {add_option(std::string(name), value)};
}

std::vector<Change> shared_memory_for_ranks(const Case& c) {
  const bool told_nothing = c.around.contained() && !c.around.host_ipc.value_or(false) &&
                            c.host().shared_memory.known() &&
                            c.host().shared_memory.origin() == Origin::Default;
  return told_nothing ? set_container_option(c.command, "--ipc", "host") : std::vector<Change>{};
}

std::vector<Change> hand_in_gpus(const Case& c, int wanted) {
  const auto line = run_line(c.command);
  const int there = c.machine().gpu_count.value_or(0);
  if (!line || wanted > there) return {};
  const ContainerOption* gpus = option_of(*line, "--gpus");
  // Other ways (--device, a variable of the runtime) are not written anew here.
  if (gpus == nullptr) {
    const bool said = c.around.gpu_devices.known() || c.around.gpu_count.known();
    return said ? std::vector<Change>{} : set_container_option(c.command, "--gpus", "all");
  }
  if (wanted == there) return set_container_option(c.command, "--gpus", "all");
  std::vector<std::string> devices = gpu_request(gpus->value).devices;
  if (devices.empty()) return set_container_option(c.command, "--gpus", std::to_string(wanted));
  const bool numbers = std::ranges::all_of(
      devices, [](const std::string& device) { return to_integer(device).has_value(); });
  if (!numbers) return {};
  for (int gpu = 0; gpu < there && static_cast<int>(devices.size()) < wanted; ++gpu) {
    const std::string next = std::to_string(gpu);
    if (std::ranges::find(devices, next) == devices.end()) devices.push_back(next);
  }
  return set_container_option(c.command, "--gpus", "\"device=" + join(devices, ",") + '"');
}

}  // namespace sx
