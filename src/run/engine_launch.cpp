// The command with its listening place set, and an environment of its own.
#include "run/engine_launch.h"

#include <algorithm>
#include <array>

#include "facts/edit_command.h"
#include "knowledge/library_variables.h"
#include "knowledge/variables.h"

namespace sx {
namespace {

constexpr std::string_view kHost = "127.0.0.1";

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

}  // namespace

bool passed_on(std::string_view engine, std::string_view variable) {
  if (is_named(kBasic, variable) || is_named(kProxies, variable)) return true;
  if (std::ranges::any_of(kFamilies, [&](auto front) { return variable.starts_with(front); }))
    return true;
  return find_variable(engine, variable) != nullptr || find_library_variable(variable) != nullptr;
}

Result<EngineLaunch> engine_launch(const Launch& launch, const EngineLaunchAsk& ask) {
  const std::array changes{set_flag("--host", std::string(kHost)),
                           set_flag("--port", std::to_string(ask.port))};
  const EditedCommand edited = edit_command(launch.command, launch.serve, changes);
  const Command& command = edited.command;
  if (!edited.possible)
    return fail(Error::Kind::Unsupported, launch.serve.engine + " has no flag for its port",
                launch.serve.engine + " 没有设置端口的参数");
  if (!command.front.empty())
    return fail(Error::Kind::Unsupported, "a launch in a container is not started from here yet",
                "暂不支持从这里启动容器里的命令");
  EngineLaunch made{.engine = launch.serve.engine,
                    .words = command.before,
                    .host = std::string(kHost),
                    .port = ask.port,
                    .gpus = ask.gpus};
  made.folder = ask.folder;
  for (const Word& word : command.words) {
    if (!word.complete)
      return fail(Error::Kind::Usage, "what " + word.text + " stands for is not known here",
                  "这里无法得知 " + word.text + " 的取值");
    made.words.push_back(word.text);
  }
  for (const auto& [name, value] : ask.environment) {
    if (passed_on(made.engine, name)) made.environment[name] = value;
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
