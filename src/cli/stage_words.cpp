// English readers see the names that the deployment file takes ([patience] stages_s).
#include "cli/stage_words.h"

#include <array>

#include "base/strings.h"

namespace sx {
namespace {

struct Stage {
  std::string_view name, chinese;
};
// At most eight columns: they stand in one of the live view.
constexpr std::array kStages{
    Stage{"start", "启动"},   Stage{"dist", "建通信"},    Stage{"load", "加载"},
    Stage{"compile", "编译"}, Stage{"profile", "测显存"}, Stage{"kv", "KV 缓存"},
    Stage{"capture", "捕获"}, Stage{"sampler", "采样"},   Stage{"ready", "待就绪"},
    Stage{"serve", "服务"},   Stage{"shutdown", "退出"},
};

}  // namespace

std::string stage_name(std::string_view stage, Language language) {
  for (const Stage& one : kStages) {
    if (language == Language::Chinese && one.name == stage) return std::string(one.chinese);
  }
  return std::string(stage);
}

std::string layout_name(std::string_view label, Language language) {
  if (language == Language::English) return std::string(label);
  return replaced(label, "as given", "按原命令");
}

}  // namespace sx
