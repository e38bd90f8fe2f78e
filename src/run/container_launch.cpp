// Options stand in front of the image, so what is added goes there.
#include "run/container_launch.h"

#include <algorithm>
#include <array>

#include "run/replica_files.h"

namespace sx {
namespace {

// Ours to decide: a replica is one container, attached, restarted by us and nobody else.
constexpr std::array<std::string_view, 8> kOurs{
    "--detach", "--name", "--publish", "--rm", "--restart", "--cidfile", "--tty", "--interactive"};

Result<void> can_be_held(const Command& command, const ContainerLine& line) {
  const bool run = line.verb == ContainerLine::Verb::Run;
  if (!run || (line.program != "docker" && line.program != "podman"))
    return fail(Error::Kind::Unsupported,
                "only a `docker run` or a `podman run` is started from here, not " + line.program,
                "这里只能启动 `docker run` 或 `podman run`，不能启动 " + line.program);
  if (command.one_word)
    return fail(Error::Kind::Unsupported,
                "a shell inside the container starts the engine: its port cannot be set from here",
                "引擎由容器里的 shell 启动，这里无法设置它的端口");
  for (const Word& word : command.front) {
    if (!word.complete)
      return fail(Error::Kind::Usage, "what " + word.text + " stands for is not known here",
                  "这里无法得知 " + word.text + " 的取值");
  }
  return {};
}

// Everybody on the machine may read a command line, and a variable may be a secret: of those that
// the client itself is given the name is enough, it takes the value from there.
std::vector<std::string> without_values(const EngineLaunch& launch) {
  std::vector<std::string> words = launch.words;
  for (std::size_t at = 0; at + 1 < static_cast<std::size_t>(launch.container_at); ++at) {
    if (words[at] != "--env") continue;
    std::string& option = words[++at];
    const std::string name = option.substr(0, option.find('='));
    const auto given = launch.environment.find(name);
    if (given != launch.environment.end() && option == name + '=' + given->second) option = name;
  }
  return words;
}

}  // namespace

bool is_ours(const ContainerOption& option) {
  return std::ranges::find(kOurs, option.name) != kOurs.end();
}

bool has_host_network(const ContainerLine& line) {
  for (const char* name : {"--network", "--net"}) {
    if (const auto* option = option_of(line, name); option != nullptr && option->value == "host")
      return true;
  }
  return false;
}

Result<void> put_into_container(EngineLaunch& launch, const Command& command,
                                const ContainerLine& line) {
  if (auto held = can_be_held(command, line); !held) return held;
  std::vector<std::string> words;
  const auto belongs_to_us = [&](std::size_t at) {
    return std::ranges::any_of(line.options, [&](const ContainerOption& option) {
      return is_ours(option) && at >= option.first_word &&
             at < option.first_word + option.word_count;
    });
  };
  for (std::size_t i = 0; i < command.front.size(); ++i) {
    if (i == command.image_word) launch.container_at = static_cast<int>(words.size());
    if (!belongs_to_us(i)) words.push_back(command.front[i].text);
  }
  for (std::size_t i = command.implied; i < command.words.size(); ++i)
    words.push_back(command.words[i].text);
  launch.words = std::move(words);
  launch.container = line.program;
  if (has_host_network(line)) return {};
  const std::string port = std::to_string(launch.port);
  const std::array publish{std::string("--publish"), launch.host + ':' + port + ':' + port};
  launch.words.insert(launch.words.begin() + launch.container_at, publish.begin(), publish.end());
  launch.container_at += static_cast<int>(publish.size());
  return {};
}

void set_variable(EngineLaunch& launch, const std::string& name, const std::string& value) {
  launch.environment[name] = value;
  if (launch.container.empty()) return;
  const std::array option{std::string("--env"), name + '=' + value};
  launch.words.insert(launch.words.begin() + launch.container_at, option.begin(), option.end());
  launch.container_at += static_cast<int>(option.size());
}

std::string container_name(const std::string& mark) { return "sextant-" + mark; }

std::string container_label(const std::string& folder) { return "sextant.replica=" + folder; }

std::vector<std::string> container_words(const EngineLaunch& launch, const std::string& folder,
                                         const std::string& mark) {
  std::vector<std::string> words = without_values(launch);
  const std::array ours{std::string("--name"),  container_name(mark),
                        std::string("--label"), container_label(folder),
                        std::string("--env"),   std::string(kMarkVariable) + '=' + mark};
  words.insert(words.begin() + launch.container_at, ours.begin(), ours.end());
  return words;
}

}  // namespace sx
