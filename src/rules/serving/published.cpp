// What a manifest publishes is only read; a docker line can be changed.
#include "rules/serving/published.h"

#include <algorithm>

#include "base/strings.h"
#include "facts/container_changes.h"
#include "facts/container_values.h"

namespace sx::rules {

bool own_network(const Case& c) {
  const bool of_host = c.around.host_network.known() && c.around.host_network.value();
  return c.around.contained() && !c.around.joined && !of_host;
}

const PublishedPort* published(const Case& c, int inside) {
  const auto found = std::ranges::find_if(
      c.around.ports, [inside](const PublishedPort& port) { return port.inside == inside; });
  return found == c.around.ports.end() ? nullptr : &*found;
}

bool is_local(std::string_view address) {
  return address.starts_with("unix:") || address.starts_with("127.") || address == "::1" ||
         lower(address) == "localhost";
}

std::vector<Change> publish_instead(const Case& c, const PublishedPort& entry,
                                    const std::string& address, int host, int inside) {
  const auto line = run_line(c.command);
  if (!line) return {};
  for (const ContainerOption& option : line->options) {
    if (option.name != "--publish" || option.span != entry.span) continue;
    if (published_ports(option.value).size() != 1) return {};
    std::string value = address.empty() ? std::string() : address + ':';
    if (host > 0 || !address.empty()) value += (host > 0 ? std::to_string(host) : "") + ':';
    return {change_container_option(c.command, option, value + std::to_string(inside))};
  }
  return {};
}

}  // namespace sx::rules
