// SX1138. The long explanation and the scenes are in exit_code_hidden.md.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "check/rule.h"
#include "check/speak.h"
#include "rules/command/script_text.h"

namespace sx::rules {
namespace {

constexpr Text kTitle{"{program} behind the pipe hides the exit status of the engine",
                      "管道后的 {program} 掩盖了引擎的退出码"};
constexpr Text kLabel{"its status is lost", "它的退出码丢失了"};
constexpr Text kBecause{"the status of a pipeline is that of its last program",
                        "管道的退出码是最后一个程序的"};
constexpr Text kManaged{
    "when the engine fails, the manager sees success: `on-failure` restarts nothing, and the "
    "signal to stop reaches the shell, not the engine",
    "引擎失败时，管理程序看到的是成功：`on-failure` 不会重启，停止信号也到不了引擎"};
constexpr Text kScript{"when the engine fails, the script goes on as if all were well",
                       "引擎失败时，脚本会当作一切正常继续执行"};
constexpr Text kPipefail{"set -o pipefail in front of it (bash), or write the log with > and 2>&1",
                         "在前面写 set -o pipefail（bash），或用 > 和 2>&1 写日志"};

// What reads on the other side of the pipe; empty: no pipe.
std::string program_behind(const Case& c) {
  const auto& after = c.command.after;
  const auto pipe = std::ranges::find(after, "|");
  if (pipe == after.end() || pipe + 1 == after.end()) return {};
  return *(pipe + 1);
}

// Somebody looks at the status: a manager, or the script itself.
bool managed(const Case& c) {
  using enum Surroundings::Kind;
  return c.around.kind == Compose || c.around.kind == Kubernetes || c.around.kind == Systemd ||
         c.around.kind == Docker;
}

bool script_looks(std::string_view text) {
  for (const auto line : lines_of(text)) {
    const auto word = trimmed(line);
    const bool stops = word.starts_with("set -") && word.substr(5, 4).contains('e');
    const bool shebang = word.starts_with("#!") && word.contains(" -e");
    if (stops || shebang) return true;
  }
  return text.contains("$?");
}

std::vector<Complaint> check(const Case& c) {
  const std::string program = program_behind(c);
  if (program.empty() || c.command.source < 0 || c.command.words.empty()) return {};
  const std::string_view text = c.sources->at(c.command.source).text;
  if (text.contains("pipefail") || text.contains("PIPESTATUS")) return {};
  const bool by_manager = managed(c);
  if (!by_manager && !script_looks(text)) return {};

  Complaint complaint;
  Diagnostic& d = complaint.diagnostic;
  d.title = {kTitle, {{"program", program}}};
  const auto& words = c.command.words;
  const auto own =
      std::ranges::find_if(words, [](const Word& word) { return word.span.end > word.span.begin; });
  if (own != words.end()) mark(d, own->span, kLabel);
  d.because = kBecause;
  d.otherwise = by_manager ? kManaged : kScript;
  d.subject = "|";
  d.no_fix = kPipefail;
  return {complaint};
}

}  // namespace

extern const Rule exit_code_hidden{
    .code = "SX1138",
    .name = "exit-code-hidden",
    .severity = Severity::Advice,
    .check = check,
};

}  // namespace sx::rules
