// The command with its listening place set, and an environment of its own.
#include "run/engine_launch.h"

#include <algorithm>
#include <array>

#include "base/shown_word.h"
#include "facts/container_changes.h"
#include "facts/edit_command.h"
#include "knowledge/engine_life.h"
#include "knowledge/library_variables.h"
#include "knowledge/passed_variables.h"
#include "knowledge/variables.h"
#include "read/command_front.h"
#include "read/shell_call.h"
#include "run/container_launch.h"
#include "run/replica_share.h"
#include "run/served_name.h"

namespace sx {
namespace {

constexpr std::string_view kHost = "127.0.0.1";
constexpr std::string_view kEverywhere = "0.0.0.0";

// Words that a shell itself knows and that start what stands behind them: without one there is no
// program of that name.
constexpr std::array<std::string_view, 4> kOfShells{"exec", "eval", "command", "builtin"};

// Its options are the shell's as well: `exec -a NAME vllm`.
std::size_t last_of_builtin(const std::vector<std::string>& words, std::size_t at) {
  while (at + 1 < words.size() && words[at + 1].starts_with('-')) {
    ++at;
    if (words[at] == "--") break;
    if (words[at] == "-a" && at + 1 < words.size()) ++at;
  }
  return at;
}

// The gateway knows it by this name, and requests carry it.
Result<void> can_be_served(const std::string& model) {
  if (model.empty() || is_served_name(model)) return {};
  const bool fits = model.size() <= kMostServedName;
  const std::string most = std::to_string(kMostServedName);
  return fail(
      Error::Kind::Unsupported,
      "the model's name is " + (fits ? "not one line of UTF-8" : "longer than " + most + " bytes") +
          " and cannot be served; --served-model-name (llama.cpp: --alias) gives it another one: " +
          shown_word(model),
      "模型名" + (fits ? "不是一行 UTF-8 文本" : "超过 " + most + " 字节") +
          "，无法对外提供；用 --served-model-name（llama.cpp 用 --alias）另起一个：" +
          shown_word(model));
}

}  // namespace

std::vector<std::string> words_in_front(const Command& command) {
  std::vector<std::string> words;
  bool first = true;  // of a shell's command: only there does it look for words of its own
  for (std::size_t i = 0; i < command.before.size(); ++i) {
    const std::string& word = command.before[i];
    first = first || i == command.outside;
    if (i < command.outside && is_shell(word)) {
      // With its options, up to the text in which the rest stands.
      const std::span<const std::string> rest(command.before.data() + i, command.outside - i);
      i += shell_call(said_words(rest)).behind - 1;
      first = true;
      continue;
    }
    if (first && std::ranges::find(kOfShells, word) != kOfShells.end()) {
      i = last_of_builtin(command.before, i);
      continue;
    }
    first = false;
    words.push_back(word);
  }
  return words;
}

void drop_bare_env(std::vector<std::string>& words) {
  const bool bare =
      !words.empty() && words.front() == "env" && (words.size() == 1 || !words[1].starts_with('-'));
  if (bare) words.erase(words.begin());
}

bool passed_on(std::string_view engine, std::string_view variable) {
  return reads_variable(VariableReader::Program, variable) || read_by_engine(engine, variable);
}

bool read_by_engine(std::string_view engine, std::string_view variable) {
  // Also a library's, and of this machine.
  if (reads_variable(VariableReader::Program, variable)) return false;
  if (reads_variable(VariableReader::Network, variable)) return true;
  if (reads_variable(VariableReader::Engine, variable)) return true;
  return find_variable(engine, variable) != nullptr || find_library_variable(variable) != nullptr;
}

Result<EngineLaunch> engine_launch(const Launch& launch, const EngineLaunchAsk& ask) {
  const std::string& engine = launch.serve.engine;
  if (engine_life(engine) == nullptr)
    return fail(Error::Kind::Unsupported,
                engine + " is not started from here: how it says that it is ready is not known",
                "不从这里启动 " + engine + "：不知道它如何表示就绪");
  const auto container = run_line(launch.command);
  if (!launch.command.front.empty() && !container)
    return fail(Error::Kind::Unsupported,
                "a launch inside a container that runs already is not started from here",
                "不从这里启动已在运行的容器中的命令");
  // Behind a published port it must listen to the container's own network.
  const bool behind = container && !has_host_network(*container);
  const std::array changes{set_flag("--host", std::string(behind ? kEverywhere : kHost)),
                           set_flag("--port", std::to_string(ask.port))};
  const EditedCommand edited = edit_command(launch.command, launch.serve, changes);
  const Command& command = edited.command;
  if (!edited.possible)
    return fail(Error::Kind::Unsupported, launch.serve.engine + " has no flag for its port",
                launch.serve.engine + " 没有设置端口的参数");
  EngineLaunch made{.engine = launch.serve.engine,
                    .words = words_in_front(command),
                    .host = std::string(kHost),
                    .port = ask.port,
                    .gpus = ask.gpus};
  // Left in front, it would be what is started, and a program that is absent only its last words.
  if (!container) drop_bare_env(made.words);
  made.folder = ask.folder;
  made.most = works_on_at_a_time(launch.serve);
  // The newest known stands in for one that nobody knows: that is no version to remember.
  if (launch.serve.version_origin != Origin::Default) made.version = launch.serve.version.text();
  for (const Word& word : command.words) {
    if (!word.complete)
      return fail(Error::Kind::Usage, "what " + word.text + " stands for is not known here",
                  "这里无法得知 " + word.text + " 的取值");
    made.words.push_back(word.text);
  }
  for (const auto& [name, value] : ask.environment) {
    if ((container && reads_variable(VariableReader::ContainerClient, name)) ||
        passed_on(made.engine, name))
      made.environment[name] = value;
  }
  if (container) {
    // Indices of the line are those of the edited front: flags inside were changed, nothing there.
    if (auto put = put_into_container(made, command, *run_line(command)); !put)
      return std::unexpected(put.error());
  }
  for (const Setting& setting : command.environment) {
    // `-e NAME` takes its value from the client's own environment, where it stands already.
    if (setting.complete || !container) made.environment[setting.name] = setting.value;
  }
  if (launch.serve.served_name.known()) {
    made.model = launch.serve.served_name.value();
  } else if (launch.serve.model.known()) {
    made.model = launch.serve.model.value();
  }
  if (auto good = can_be_served(made.model); !good) return std::unexpected(good.error());
  return made;
}

}  // namespace sx
