// The supervisor's own reasons; tests/unit/run/supervisor_walk_test.cpp holds that none is
// missing.
#include "run/reason_words.h"

#include "diag/message.h"

namespace sx {
namespace {

struct Reason {
  std::string_view word;
  Text text;
};
constexpr Reason kReasons[] = {
    {"start", {"start", "开始启动"}},
    {"again", {"again", "再次启动"}},
    {"adopted", {"adopted", "接管"}},
    {"healthy", {"healthy", "健康检查通过"}},
    {"health", {"not healthy", "健康检查未通过"}},
    {"warmed-up", {"warmed up", "预热完成"}},
    {"frozen", {"no progress", "没有进展"}},
    {"silent", {"no output", "没有输出"}},
    {"ended", {"ended", "已退出"}},
    {"keeper-lost", {"its keeper is gone", "看护进程已消失"}},
    {"stalled", {"start-up stands still", "启动停滞"}},
    {"warm-up", {"no answer to the warm-up", "预热请求未成功"}},
    {"wedged", {"wedged", "假死"}},
    {"asked", {"asked", "按要求"}},
    {"down", {"down", "停止部署"}},
    {"restart", {"restart asked for", "按要求重启"}},
    {"drain", {"drain asked for", "按要求排空"}},
    {"replaced", {"replaced", "被替换"}},
    {"rung-proven", {"this rung is proven", "该台阶已验证"}},
    {"layout-left", {"another layout instead", "改用其他布局"}},
    {"program-absent", {"its program is not there", "找不到它的程序"}},
    {"program-refused", {"its program does not start", "程序无法启动"}},
};

}  // namespace

std::optional<Both> reason_words(std::string_view word) {
  for (const Reason& one : kReasons) {
    if (one.word == word) return in_both(Message{one.text});
  }
  return std::nullopt;
}

}  // namespace sx
