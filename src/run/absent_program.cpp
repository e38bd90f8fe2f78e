// A command may begin with something else than the engine: a container program, an interpreter.
#include "run/absent_program.h"

#include "diag/message.h"
#include "knowledge/engine_life.h"

namespace sx {
namespace {

constexpr Text kInstall{
    "{program} is not found here: `{install}` installs it; where it is installed elsewhere, venv "
    "in a deployment file or its path in the command says so",
    "这里找不到 {program}：可用 `{install}` 安装；若已装在别处，在部署文件里写 "
    "venv，或在命令里写它的路径"};
constexpr Text kWhere{
    "{program} is not found here: where it is installed elsewhere, venv in a deployment file or "
    "its path in the command says so",
    "这里找不到 {program}：若已装在别处，在部署文件里写 venv，或在命令里写它的路径"};

}  // namespace

Both absent_program_words(const EngineLaunch& launch) {
  const std::string program = launch.words.empty() ? "" : launch.words.front();
  const std::string_view name = std::string_view(program).substr(program.rfind('/') + 1);
  const EngineLife* life = engine_life(launch.engine);
  if (life == nullptr || life->program != name) return in_both({kWhere, {{"program", program}}});
  return in_both({kInstall, {{"program", program}, {"install", life->install}}});
}

}  // namespace sx
