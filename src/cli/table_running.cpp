// Rows of the commands for what runs: up, status, logs, restart, drain, down, daemon.
#include "cli/table_parts.h"

namespace sx {
namespace {

CommandSpec up_row() {
  return {
      "up",
      "[FILE.toml|MODEL|-] [options] [-- COMMAND…]",
      {"starts a deployment, keeps it up, serves one address",
       "启动一个部署，保持运行，对外只提供一个地址"},
      {"A model is planned for this machine, - is a plan as JSON from standard input, and words "
       "after "
       "-- are a launch. `check` is asked first. Stays beside it and says what changes; Ctrl-C "
       "or SIGTERM takes it down. Example: sextant up --replicas 2 -- llama-server -m model.gguf",
       "给出模型时先为本机制定方案；- 表示从标准输入读取 JSON 方案；-- 之后是启动命令。启动前先由 "
       "`check` 检查。命令会留在前台并报告变化；按 Ctrl-C 或发送 SIGTERM 停止部署。例：sextant up "
       "--replicas 2 -- "
       "llama-server -m model.gguf"},
      {name_flag(),
       {"--port",
        "",
        "PORT",
        {"of the one address (default: 8000)", "对外地址的端口（默认：8000）"}},
       {"--replicas",
        "",
        "N",
        {"so many of the command (default: 1)", "同一命令启动几个副本（默认：1）"}},
       {"--plan",
        "",
        "LABEL",
        {"which layout of the plan: TP2 x PP3, B", "用方案里的哪个布局：TP2 x PP3、B"}},
       {"--on",
        "",
        "MACHINE",
        {"plan for this machine in place of the real one", "按这台机器制定方案"}},
       {"--users", "", "N", {"requests at a time to plan for", "方案按多少并发请求制定"}},
       {"--context", "", "N", {"tokens of a request to plan for", "方案按多长的请求制定（token）"}},
       {"--goal",
        "",
        "GOAL",
        {"what the plan is to be good at", "方案的目标"},
        "balanced|throughput|latency|context|safest"},
       {"--engine",
        "",
        "ENGINE",
        {"which engine the plan may use", "方案可用的引擎"},
        "vllm|sglang|llamacpp|any"},
       {"--online",
        "",
        "",
        {"ask the hub for the config of a model that does not lie here",
         "本机没有的模型，向模型站点查询其配置"}},
       {"--ladder",
        "",
        "",
        {"prove smaller layouts first, also where this one worked before (a plan's layout that has "
         "not worked here yet is proven anyway)",
         "先验证较小的布局，即使该布局以前成功过（方案中尚未在本机成功过的布局总会先验证）"}},
       {"--no-ladder", "", "", {"do not, whatever the file says", "不做验证，无论文件里怎么写"}},
       {"--retry-known-bad",
        "",
        "",
        {"try layouts that failed here before", "重试以前在本机失败过的布局"}},
       {"--anyway", "", "REASON", {"start in spite of errors", "尽管有错误仍然启动"}},
       {"--detach", "", "", {"leave it running and return", "让它在后台运行并返回"}},
       {"--wait",
        "",
        "",
        {"with --detach: return once it serves", "与 --detach 合用：开始服务后才返回"}}},
      true,
      1};
}

CommandSpec bench_row() {
  return {
      "bench",
      "serve [--users N] [--seconds S] [options]",
      {"measures what users of an address see: first token, further tokens, throughput",
       "测量用户访问一个地址时的体验：首 token、后续 token、吞吐"},
      {"So many users ask one chat after another, each a different one, and read its stream. What "
       "begins in the warm-up does not count. Percentiles are of requests, the spread is of five "
       "parts of the window. A key is taken from SEXTANT_KEY. Exit code 0: measured; 1: no request "
       "was answered; 3: it is not up; 4: there is no such deployment. Example: sextant bench "
       "serve --users 16 --save before.json",
       "若干并发用户依次发送内容各不相同的对话，并读取流式回答。预热期间开始的请求不计入。百分位按"
       "请求"
       "统计，波动取自测量时段的五个部分。密钥取自 SEXTANT_KEY。退出码 "
       "0：已测得；1：没有请求得到回答；"
       "3：没有在运行；4：没有这个部署。例：sextant bench serve --users 16 --save before.json"},
      {name_flag(),
       {"--url",
        "",
        "URL",
        {"another address: http://HOST:PORT or https://HOST:PORT",
         "其他地址：http://HOST:PORT 或 https://HOST:PORT"}},
       {"--ca",
        "",
        "FILE",
        {"trusts who vouches for it (PEM), not whom the system trusts",
         "信任此文件中的签发者（PEM），而不是系统信任的"}},
       {"--model",
        "",
        "MODEL",
        {"the name in requests (default: the first that is served)",
         "请求里的模型名（默认：对方提供的第一个）"}},
       {"--users", "", "N", {"requests at a time (default: 8)", "并发请求数（默认：8）"}},
       {"--seconds", "", "S", {"to measure (default: 30)", "测量多少秒（默认：30）"}},
       {"--warm-up", "", "S", {"before that (default: 5)", "测量前预热多少秒（默认：5）"}},
       {"--prompt-tokens",
        "",
        "N",
        {"of a question, about (default: 256)", "每个问题大约多少 token（默认：256）"}},
       {"--output-tokens",
        "",
        "N",
        {"of an answer (default: 128)", "每个回答多少 token（默认：128）"}},
       {"--seed",
        "",
        "N",
        {"the same seed asks the same questions (default: 1)", "种子相同则问题相同（默认：1）"}},
       {"--save", "", "FILE", {"write the result as JSON", "把结果写成 JSON"}},
       {"--compare",
        "",
        "FILE",
        {"an earlier result: better, worse or no difference",
         "与以前的结果对比：更好、更差或没有差别"}},
       format_flag()},
      false,
      1,
      "serve"};
}

CommandSpec daemon_row() {
  return {
      "daemon",
      "[NAME]",
      {"runs a deployment: what `up --detach` starts", "运行一个部署：`up --detach` 启动的就是它"},
      {"Reads deployment.json in the state folder of NAME (default), takes over what an "
       "earlier daemon left running, and stays until it is asked to end. For service "
       "managers.",
       "读取 NAME（default）状态目录里的 deployment.json，接管先前的守护进程留下的副本，"
       "一直运行到被要求结束为止。供服务管理器使用。"},
      {{"--ladder", "", "", {"prove smaller layouts first", "先验证较小的布局"}},
       {"--retry-known-bad",
        "",
        "",
        {"try layouts that failed here before", "重试以前在本机失败过的布局"}},
       {"--deployment",
        "",
        "FILE",
        {"becomes deployment.json once no other daemon works in the folder",
         "确认没有其他守护进程使用该目录后，用它取代 deployment.json"}}},
      false,
      1};
}

CommandSpec reload_row() {
  return {
      "reload",
      "[FILE.toml]",
      {"reads the deployment file anew and changes what runs while it serves",
       "重新读取部署文件，在服务不中断的情况下更改运行的内容"},
      {"Replicas whose launch stays the same are not touched. Others are replaced one at a time: "
       "the new one starts beside the old one where the GPUs allow, and the old one serves until "
       "it is ready. When a new one does not become ready, everything goes back to how it was. "
       "Without FILE: the file that `up` was given. Exit code 1: it went back, or `check` finds "
       "errors.",
       "启动方式没有变化的副本不受影响，其余逐个替换：GPU 够用时先启动新副本，旧副本一直服务到"
       "新副本就绪。新副本没有就绪时，一切恢复原状。不写 FILE 时用 `up` 当初读取的文件。退出码 "
       "1：已恢复原状，或 `check` 发现错误。"},
      {name_flag(),
       {"--anyway", "", "REASON", {"change in spite of errors", "尽管有错误仍然更改"}},
       {"--detach", "", "", {"return at once; it goes on by itself", "立即返回，更改继续进行"}}},
      false,
      1};
}

CommandSpec config_row() {
  return {"config",
          "[FILE.toml] [--name NAME] [--origin]",
          {"the settings of a deployment file", "部署文件的各项设置"},
          {"Without FILE: the file that the deployment NAME was started from, and without NAME "
           "sextant.toml here. --schema prints the JSON schema that editors of TOML understand.",
           "不写 FILE 时读取部署 NAME 启动时所用的文件；也不写 NAME 时读取当前目录的 "
           "sextant.toml。--schema 输出 TOML 编辑器可用的 JSON schema。"},
          {{"--name",
            "",
            "NAME",
            {"the deployment; with FILE: the name that it would get",
             "部署的名称；与 FILE 合用时：文件启动后的部署名称"}},
           {"--origin", "", "", {"where each comes from", "每项设置的来源"}},
           {"--schema", "", "", {"the JSON schema of the file", "该文件的 JSON schema"}},
           format_flag()},
          false,
          1};
}

}  // namespace

void add_running_commands(std::vector<CommandSpec>& table) {
  table.push_back(up_row());
  table.push_back({"status",
                   "[--name NAME]",
                   {"what runs, and how it does", "正在运行什么，状态如何"},
                   {"Exit code 0: it serves; 3: it does not; 4: there is no such deployment.",
                    "退出码 0：正在服务；3：没有在服务；4：没有这个部署。"},
                   {name_flag(), format_flag()},
                   false,
                   0});
  table.push_back({"logs",
                   "[REPLICA] [-f]",
                   {"what a replica's engine printed", "某个副本的引擎输出"},
                   {"Of its latest start. Without a number: of the first replica.",
                    "内容为最近一次启动的输出。不写编号时为第一个副本。"},
                   {name_flag(), {"--follow", "-f", "", {"go on as it grows", "持续输出新内容"}}},
                   false,
                   1,
                   "REPLICA"});
  table.push_back({"restart",
                   "REPLICA",
                   {"starts a replica anew, without a gap where there is room for both",
                    "重新启动一个副本；资源允许时不中断服务"},
                   {},
                   {name_flag()},
                   false,
                   1,
                   "REPLICA"});
  table.push_back(
      {"drain",
       "REPLICA",
       {"lets a replica's requests end, then stops it", "等一个副本的请求结束，然后停止它"},
       {},
       {name_flag()},
       false,
       1,
       "REPLICA"});
  table.push_back(reload_row());
  table.push_back(config_row());
  table.push_back({"down",
                   "[--name NAME]",
                   {"drains and stops everything of a deployment", "排空并停止整个部署"},
                   {},
                   {name_flag()},
                   false,
                   0});
  table.push_back(
      {"smoke",
       "[--name NAME]",
       {"sends one chat through the address and says what is wrong",
        "通过对外地址发送一次对话，并说明出了什么问题"},
       {"A key is taken from SEXTANT_KEY. Exit code 0: it answered; 1: it did not; 3: "
        "it is not up; 4: there is no such deployment.",
        "密钥取自 SEXTANT_KEY。退出码 0：有回答；1：没有；3：没有在运行；4：没有这个部署。"},
       {name_flag()},
       false,
       0});
  table.push_back(bench_row());
  table.push_back(daemon_row());
}

}  // namespace sx
