// Relative paths start at the current folder, as docker's own do.
#include "gather/docker_env_file.h"

#include <algorithm>
#include <vector>

#include "facts/container_changes.h"
#include "gather/command_text.h"
#include "gather/environment_file.h"

namespace sx {

void take_docker_env_files(Sources& sources, const Outside& outside, PlacedCommand& placed) {
  const auto line = run_line(placed.command);
  if (!line) return;
  std::vector<Setting> settings;
  EnvironmentFiles files(sources, outside, placed.around, EnvironmentSyntax::AsItIs);
  for (const ContainerOption& option : line->options) {
    if (option.name != "--env-file" || !option.complete || option.value.empty()) continue;
    files.add(option.value, path_in(outside.folder, option.value), settings);
  }
  // Behind what the image brings, which stands nowhere, and in front of what the line says itself.
  auto& environment = placed.command.environment;
  const auto own = std::ranges::find_if(
      environment, [](const Setting& setting) { return setting.span.source >= 0; });
  environment.insert(own, settings.begin(), settings.end());
}

}  // namespace sx
