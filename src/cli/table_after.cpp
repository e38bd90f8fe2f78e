// Rows of the commands for a run that is over or goes wrong: diagnose, explain, learn.
#include "cli/table_parts.h"

namespace sx {
namespace {

std::vector<FlagSpec> diagnose_flags() {
  std::vector<FlagSpec> flags{
      format_flag(),
      {"--engine",
       "",
       "ENGINE",
       {"whose log it is (default: as the log tells)", "日志属于哪个引擎（默认由日志判断）"},
       "vllm|sglang|llamacpp|any"},
      {"--all",
       "",
       "",
       {"also name refused requests and harmless noise", "同时列出被拒绝的请求和无害的噪声"}},
      {"--engine-version",
       "",
       "VERSION",
       {"the engine's version (default: as the log tells)", "引擎版本（默认由日志判断）"}},
      {"--pid",
       "",
       "PID",
       {"a launch that runs: its processes, logs, stacks", "正在运行的进程：子进程、日志与堆栈"}},
      {"--container",
       "",
       "NAME",
       {"the same for a container of docker or podman", "同上，针对 docker 或 podman 的容器"}},
      {"--follow",
       "",
       "FILE",
       {"watches a log and speaks when a cause appears", "持续观察一个日志，出现根因就报告"}},
      {"--oom-kills",
       "",
       "COUNT",
       {"processes of it that the kernel ended for lack of memory (oom_kill of memory.events)",
        "内核因内存不足终止了它的几个进程（memory.events 的 oom_kill）"}},
      {"--bundle",
       "",
       "FILE",
       {"also writes a report for an issue, secrets removed",
        "另存一份可附到 issue 的报告，已去除密钥"}},
      {"--hide-hosts",
       "",
       "",
       {"no host names and addresses in that report", "该报告里隐去主机名和地址"}}};
  for (const FlagSpec& flag : machine_flags()) flags.push_back(flag);
  return flags;
}

CommandSpec learn_row() {
  std::vector<FlagSpec> flags = machine_flags();
  flags.push_back(
      {"--engine",
       "",
       "ENGINE",
       {"whose log it is (default: by its lines)", "日志属于哪个引擎（默认按内容判断）"},
       "vllm|sglang|llamacpp"});
  flags.push_back({"--engine-version",
                   "",
                   "VERSION",
                   {"the engine's version (default: the log's own)", "引擎版本（默认取自日志）"}});
  flags.push_back({"--no-save", "", "", {"keep nothing for later checks", "只显示，不保存"}});
  flags.push_back(format_flag());
  return {"learn",
          "[options] LOG… [-- COMMAND…]",
          {"holds an engine's own memory lines against the predicted ones, and keeps them",
           "把引擎日志里的显存数字与预测对照，并保存下来"},
          {"Example: sextant learn --on 4xL40S vllm.log. The launch is read from the log; where it "
           "is not there, it comes after --.",
           "例：sextant learn --on 4xL40S vllm.log。启动命令取自日志；日志里没有时写在 -- 之后。"},
          flags,
          true,
          -1};
}

}  // namespace

void add_commands_after(std::vector<CommandSpec>& table) {
  table.push_back(
      {"diagnose",
       "[options] FILE…|- [-- COMMAND…]",
       {"says what a run failed of, from its logs", "根据日志指出一次运行失败的根因"},
       {"Several files are one run: logs of ranks, a kernel log, stacks. Example: kubectl logs POD "
        "| "
        "sextant diagnose - -- vllm serve MODEL",
        "多个文件视为同一次运行：各 rank 的日志、内核日志、堆栈。例：kubectl logs POD | sextant "
        "diagnose - -- vllm serve MODEL"},
       diagnose_flags(),
       true,
       -1});
  table.push_back(
      {"explain",
       "WORD…",
       {"explains a rule, a flag, a variable, a GPU, an Xid, a model, a log line; lists them",
        "解释规则、参数、环境变量、GPU、Xid、模型或一行日志，也可列出全部"},
       {"Example: sextant explain SX2103 --max-model-len H100; sextant explain symptoms hang",
        "例：sextant explain SX2103 --max-model-len H100；sextant explain symptoms 卡住"},
       {format_flag()},
       false,
       -1});
  table.push_back(learn_row());
}

}  // namespace sx
