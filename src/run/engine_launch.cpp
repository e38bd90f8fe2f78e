// The command with its listening place set, and an environment of its own.
#include "run/engine_launch.h"

#include <algorithm>
#include <array>

#include "facts/container_changes.h"
#include "facts/edit_command.h"
#include "knowledge/engine_life.h"
#include "knowledge/library_variables.h"
#include "knowledge/variables.h"
#include "run/container_launch.h"

namespace sx {
namespace {

constexpr std::string_view kHost = "127.0.0.1";
constexpr std::string_view kEverywhere = "0.0.0.0";
// Which daemon docker or podman asks, and with whose rights.
constexpr std::array<std::string_view, 4> kOfContainers{"DOCKER_", "CONTAINER_", "CONTAINERS_",
                                                        "XDG_RUNTIME_DIR"};

// What programs need to find their files and speak to people; no secrets among them.
constexpr std::array<std::string_view, 24> kBasic{"PATH",
                                                  "HOME",
                                                  "USER",
                                                  "LOGNAME",
                                                  "SHELL",
                                                  "LANG",
                                                  "LC_ALL",
                                                  "LC_CTYPE",
                                                  "TZ",
                                                  "TMPDIR",
                                                  "TEMP",
                                                  "TMP",
                                                  "VIRTUAL_ENV",
                                                  "CONDA_PREFIX",
                                                  "PYTHONPATH",
                                                  "PYTHONHOME",
                                                  "PYTHONUNBUFFERED",
                                                  "LD_LIBRARY_PATH",
                                                  "LD_PRELOAD",
                                                  "XDG_CACHE_HOME",
                                                  "XDG_CONFIG_HOME",
                                                  "SSL_CERT_FILE",
                                                  "SSL_CERT_DIR",
                                                  "REQUESTS_CA_BUNDLE"};
// Families whose members are too many for a table.
constexpr std::array<std::string_view, 14> kFamilies{
    "CUDA_",       "NVIDIA_", "NCCL_", "TORCH", "PYTORCH_", "HF_",  "HUGGINGFACE_",
    "MODELSCOPE_", "TRITON_", "OMP_",  "MKL_",  "GGML_",    "UCX_", "FLASHINFER_"};
constexpr std::array<std::string_view, 6> kProxies{"http_proxy", "https_proxy", "no_proxy",
                                                   "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"};

bool is_named(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool concerns_client(std::string_view variable) {
  return std::ranges::any_of(kOfContainers,
                             [&](std::string_view front) { return variable.starts_with(front); });
}

}  // namespace

bool passed_on(std::string_view engine, std::string_view variable) {
  if (is_named(kBasic, variable) || is_named(kProxies, variable)) return true;
  if (std::ranges::any_of(kFamilies, [&](auto front) { return variable.starts_with(front); }))
    return true;
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
                    .words = command.before,
                    .host = std::string(kHost),
                    .port = ask.port,
                    .gpus = ask.gpus};
  made.folder = ask.folder;
  // The newest known stands in for one that nobody knows: that is no version to remember.
  if (launch.serve.version_origin != Origin::Default) made.version = launch.serve.version.text();
  for (const Word& word : command.words) {
    if (!word.complete)
      return fail(Error::Kind::Usage, "what " + word.text + " stands for is not known here",
                  "这里无法得知 " + word.text + " 的取值");
    made.words.push_back(word.text);
  }
  for (const auto& [name, value] : ask.environment) {
    if ((container && concerns_client(name)) || passed_on(made.engine, name))
      made.environment[name] = value;
  }
  if (container) {
    // Indices of the line are those of the edited front: flags inside were changed, nothing there.
    if (auto put = put_into_container(made, command, *run_line(command)); !put)
      return std::unexpected(put.error());
  }
  for (const Setting& setting : command.environment) made.environment[setting.name] = setting.value;
  if (launch.serve.served_name.known()) {
    made.model = launch.serve.served_name.value();
  } else if (launch.serve.model.known()) {
    made.model = launch.serve.model.value();
  }
  return made;
}

}  // namespace sx
