// Rows of the commands for a launch that does not run yet: check, fix, plan, inspect, host.
#include "cli/table_parts.h"

namespace sx {
namespace {

std::vector<FlagSpec> check_flags(bool with_format) {
  std::vector<FlagSpec> flags = {
      {"--file",
       "-f",
       "FILE",
       {"a file with the launch: a shell script, compose or Kubernetes YAML, a systemd unit, JSON, "
        "ps output, a deployment file of `up`; - is standard input",
        "含启动命令的文件：shell 脚本、compose 或 Kubernetes YAML、systemd 单元、JSON、ps "
        "的输出、`up` 的部署文件；- 表示标准输入"}},
      {"--pid",
       "",
       "PID",
       {"a process that runs already, or one that started it", "正在运行的进程，或启动它的进程"}},
  };
  for (const FlagSpec& flag : machine_flags()) flags.push_back(flag);
  flags.push_back({"--engine-version",
                   "",
                   "VERSION",
                   {"the engine's version (default: the installed one, else the newest known)",
                    "引擎版本（默认：已安装的版本，否则为已知的最新版本）"}});
  flags.push_back({"--online",
                   "",
                   "",
                   {"ask the hub for configs and headers of models that do not lie here",
                    "本机没有的模型，向模型站点查询其配置和权重文件头"}});
  flags.push_back(no_learned_flag());
  flags.push_back({"--allow",
                   "",
                   "CODE=REASON",
                   {"leave a finding out, with the reason; also as a comment in the file: "
                    "# sextant: allow CODE REASON",
                    "放行某个问题并写明理由；也可写成文件里的注释：# sextant: allow 代码 理由"},
                   {},
                   true});
  if (!with_format) return flags;
  flags.push_back(
      {"--format",
       "",
       "FORMAT",
       {"text, short (one line a finding), json, json-lines (one finding a line), sarif or "
        "markdown",
        "text、short（每个问题一行）、json、json-lines（每行一个问题）、sarif 或 markdown"},
       "text|short|json|json-lines|sarif|markdown"});
  flags.push_back(
      {"--why",
       "",
       "",
       {"also show how each GPU's memory would be spent", "同时显示每张 GPU 的显存如何分配"}});
  flags.push_back({"--all", "", "", {"show everything, advice too", "显示全部内容，包括建议"}});
  flags.push_back({"--fail-on",
                   "",
                   "SEVERITY",
                   {"exit 1 from this severity on: error (default), warning or advice",
                    "有此级别或更严重的问题时退出码为 1：error（默认）、warning 或 advice"},
                   "error|warning|advice"});
  return flags;
}

CommandSpec inspect_row() {
  return {
      "inspect",
      "[options] PATH|MODEL",
      {"says what a checkpoint is, whether its files are whole, how it splits",
       "查看检查点：是什么模型、文件是否完整、如何切分"},
      {"Example: sextant inspect --tp 2 --pp 3 /models/Qwen2.5-72B-Instruct. Exit 1 when something "
       "is damaged.",
       "例：sextant inspect --tp 2 --pp 3 /models/Qwen2.5-72B-Instruct。有损坏时退出码为 1。"},
      {{"--tp",
        "",
        "N",
        {"weights of each GPU with N tensor-parallel ranks", "张量并行为 N 时每张 GPU 的权重"}},
       {"--pp", "", "N", {"and with N pipeline stages", "流水级为 N 时每张 GPU 的权重"}},
       {"--verify",
        "",
        "HOW",
        {"quick: lengths and headers (default); full: SHA-256 of every file too",
         "quick：长度与文件头（默认）；full：另外核对每个文件的 SHA-256"},
        "quick|full"},
       {"--sums",
        "",
        "FILE",
        {"sums to compare with, as sha256sum writes them (default: what the hub's cache notes)",
         "用来比对的校验和，sha256sum 格式（默认：模型站点缓存里的记录）"}},
       {"--online",
        "",
        "",
        {"ask the hub for a model that does not lie here", "本机没有的模型，向模型站点查询"}},
       {"--why",
        "",
        "",
        {"also show where each fact comes from, and what is not known",
         "同时显示每项信息的出处，以及未知项"}},
       format_flag()},
      false,
      1};
}

std::vector<FlagSpec> load_flags() {
  return {
      {"--gpus", "", "N", {"use at most N of the machine's GPUs", "最多使用机器上的 N 张 GPU"}},
      {"--users", "", "N", {"requests at a time (default: 16)", "同时处理的请求数（默认：16）"}},
      {"--input",
       "",
       "N",
       {"tokens of a usual prompt (default: 2000)", "一般提示词的 token 数（默认：2000）"}},
      {"--output",
       "",
       "N",
       {"tokens of a usual answer (default: 500)", "一般回答的 token 数（默认：500）"}},
      {"--context",
       "",
       "N",
       {"the longest request, in tokens (default: as long as fits)",
        "最长请求的 token 数（默认：放得下多长就多长）"}},
      {"--goal",
       "",
       "GOAL",
       {"what counts most: balanced (default), throughput, latency, context or safest",
        "最看重什么：balanced（均衡，默认）、throughput（吞吐）、latency（延迟）、context（上下文）"
        "或 safest（最稳妥）"},
       "balanced|throughput|latency|context|safest"},
      {"--engine",
       "",
       "ENGINE",
       {"vllm (default), sglang, llamacpp (default for GGUF files) or any",
        "vllm（默认）、sglang、llamacpp（GGUF 文件默认）或 any（全部）"},
       "vllm|sglang|llamacpp|any"},
      {"--kv-dtype",
       "",
       "TYPE",
       {"auto (default: as the checkpoint says; where that has too little room, FP8 is offered "
        "beside it) or fp8, half the bytes a token",
        "auto（默认，按检查点；放不下时另外给出 FP8 的方案）或 fp8（每个 token 只占一半）"},
       "auto|fp8"},
  };
}

CommandSpec plan_row() {
  std::vector<FlagSpec> flags = machine_flags();
  for (const FlagSpec& flag : load_flags()) flags.push_back(flag);
  flags.push_back({"--engine-version",
                   "",
                   "VERSION",
                   {"the engine's version (default: the installed one, else the newest known)",
                    "引擎版本（默认：已安装的版本，否则为已知的最新版本）"}});
  flags.push_back(no_learned_flag());
  flags.push_back(
      {"--splits",
       "",
       "",
       {"only a table of the tensor sizes that each model splits into; takes several models",
        "只列出每个模型可用的张量并行数；可给出多个模型"}});
  flags.push_back(
      {"--online",
       "",
       "",
       {"ask the hub for a model that does not lie here", "本机没有的模型，向模型站点查询"}});
  flags.push_back({"--all",
                   "",
                   "",
                   {"every layout that fits, also those beaten everywhere",
                    "列出所有放得下的布局，包括各方面都不占优的"}});
  flags.push_back(
      {"--why",
       "",
       "",
       {"also show how each GPU's memory would be spent", "同时显示每张 GPU 的显存如何分配"}});
  flags.push_back({"--format",
                   "",
                   "FORMAT",
                   {"text, json or markdown", "text、json 或 markdown"},
                   "text|json|markdown"});
  return {"plan",
          "[options] MODEL",
          {"finds the layouts that fit, the best one, and why not the others",
           "找出放得下的布局、最合适的一个，以及其他布局不行的原因"},
          {"Example: sextant plan Qwen/Qwen2.5-72B-Instruct --on 6xA100-PCIE-40GB --users 32 "
           "--context 32768. Exit 1 when nothing fits.",
           "例：sextant plan Qwen/Qwen2.5-72B-Instruct --on 6xA100-PCIE-40GB --users 32 --context "
           "32768。没有放得下的布局时退出码为 1。"},
          flags,
          false,
          -1};
}

CommandSpec host_row() {
  std::vector<FlagSpec> host = machine_flags();
  host.push_back(format_flag());
  host.push_back(
      {"--save",
       "",
       "FILE",
       {"also write the machine to a file for --on", "同时把机器信息写入文件，供 --on 使用"}});
  host.push_back({"--pick",
                  "",
                  "K",
                  {"also show the K GPUs that are linked best", "同时给出互联最好的 K 张 GPU"}});
  return {"host",
          "[options]",
          {"shows the machine: GPUs, links, memory, limits", "显示机器的 GPU、链路、内存与限制"},
          {},
          host,
          false,
          0};
}

}  // namespace

void add_commands_before(std::vector<CommandSpec>& table) {
  table.push_back(
      {"check",
       "[options] [-f FILE] [-- COMMAND…]",
       {"says everything that is wrong with a launch, before it runs",
        "在启动之前指出启动命令的全部问题"},
       {"Example: sextant check --on 6xA100-PCIE-40GB -- vllm serve Qwen/Qwen2.5-72B-Instruct -tp "
        "6",
        "例：sextant check --on 6xA100-PCIE-40GB -- vllm serve Qwen/Qwen2.5-72B-Instruct -tp 6"},
       check_flags(true),
       true,
       0});
  table.push_back(
      {"fix",
       "[options] [-f FILE] [-- COMMAND…]",
       {"prints the corrected command alone", "只输出修正后的命令"},
       {"Exit 1 when nothing can be corrected. A command without errors is printed as it is. Of "
        "several launches in a file each is printed, below a comment that names its line.",
        "无法修正时退出码为 1；没有错误的命令原样输出。文件里有多个启动命令时逐个输出，"
        "每个命令前有一行注释，写明它的行号。"},
       check_flags(false),
       true,
       0});
  table.push_back(plan_row());
  table.push_back(inspect_row());
  table.push_back(host_row());
}

}  // namespace sx
