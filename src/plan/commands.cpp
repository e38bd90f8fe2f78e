// Replicas listen on ports that follow one another, the first on the engine's usual one; CPU and
// memory are bound where all GPUs of a launch hang on one node of several.
#include "plan/commands.h"

#include <algorithm>
#include <set>

#include "base/ports.h"
#include "base/strings.h"
#include "knowledge/flags.h"
#include "read/shell_words.h"

namespace sx {
namespace {

std::set<int> used_ports(const HostSpec& host) {
  std::set<int> used;
  if (!host.used_ports.known()) return used;
  for (const UsedPort& port : host.used_ports.value()) used.insert(port.port);
  return used;
}

// Where a variable that is not known here has a say, the engine's usual port stands in.
int usual_port(const ServeSpec& serve) {
  const EngineFlags* flags = engine_flags(serve.engine);
  const FlagRow* row = flags == nullptr ? nullptr : flags->find("--port");
  const auto usual = row == nullptr ? std::nullopt : to_integer(row->default_text);
  constexpr int kFirst = 1024;  // free for all users: an engine without a usual port begins there
  return usual && *usual > 0 && *usual <= kLastPort ? static_cast<int>(*usual) : kFirst;
}

// The port of the replica: the engine's own, or the next one that nobody listens on.
int port_of(const Case& bare, int replica) {
  const Fact<int>& port = bare.serve.port;
  return free_port(bare.machine(), port.known() ? port.value() : usual_port(bare.serve), replica);
}

// The node that all GPUs of the launch hang on; empty where that is not known, or there is only
// one.
std::optional<int> one_node(const HostSpec& host, const std::vector<int>& gpus) {
  std::set<int> all, own;
  for (const Gpu& gpu : host.gpus) {
    if (!gpu.numa.known()) return {};
    all.insert(gpu.numa.value());
    if (std::ranges::find(gpus, gpu.index) != gpus.end()) own.insert(gpu.numa.value());
  }
  return all.size() > 1 && own.size() == 1 ? std::optional(*own.begin()) : std::nullopt;
}

std::string pasted_one(const HostSpec& host, Command command, const std::vector<int>& gpus) {
  std::string text;
  for (const Setting& setting : command.environment) {
    if (setting.prefix) text += ' ' + setting.name + '=' + shell_quoted(setting.value);
  }
  if (!text.empty()) text = "env" + text + ' ';
  if (const auto node = one_node(host, gpus)) {
    const std::string number = std::to_string(*node);
    text += "numactl --cpunodebind=" + number + " --membind=" + number + ' ';
  }
  command.environment.clear();
  return text + one_line(command);
}

}  // namespace

int free_port(const HostSpec& host, int first, int nth) {
  const auto used = used_ports(host);
  for (int port = first; port <= kLastPort; ++port) {
    if (used.contains(port)) continue;
    if (nth-- == 0) return port;
  }
  return 0;
}

std::optional<Case> launch_of(const Draft& draft, int replica) {
  LaunchSettings settings = draft.fit->settings;
  const Budget& budget = *draft.fit->budget;
  // Said aloud where the whole of it fits, so that the command means the same with another version.
  const bool by_layers = launch_kinds(*draft.bare).by_layers;
  if (!by_layers && settings.max_model_len == Tokens{0} &&
      budget.longest_possible >= budget.max_model_len)
    settings.max_model_len = budget.max_model_len;
  const int port = port_of(*draft.bare, replica);
  const bool usual = draft.candidate.replicas == 1 && port == draft.bare->serve.port.value_or(0);
  return launch_on(*draft.bare, draft.candidate.shape, settings,
                   draft.placement->of(draft.candidate.shape, replica), usual ? 0 : port);
}

std::vector<std::string> pasted(const Draft& draft, const Case& first) {
  const HostSpec& host = draft.bare->machine();
  std::vector<std::string> commands;
  for (int replica = 0; replica < draft.candidate.replicas; ++replica) {
    const auto gpus = draft.placement->of(draft.candidate.shape, replica);
    Command command =
        replica == 0 ? first.command : moved_to(first, gpus, port_of(*draft.bare, replica));
    commands.push_back(pasted_one(host, std::move(command), gpus));
  }
  return commands;
}

}  // namespace sx
