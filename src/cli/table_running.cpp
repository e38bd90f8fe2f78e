// Rows of the commands for what runs: up, status, logs, restart, drain, down, daemon.
#include "cli/table_running.h"

namespace sx {
namespace {

FlagSpec name_flag() {
  return {
      "--name", "", "NAME", {"the deployment (default: default)", "部署的名称（默认：default）"}};
}

CommandSpec up_row() {
  return {
      "up",
      "[FILE.toml|MODEL|-] [options] [-- COMMAND…]",
      {"starts a deployment, keeps it up, serves one address",
       "启动一个部署，保持运行，对外只提供一个地址"},
      {"A model is planned for this machine, - is a plan as JSON from standard input, and words "
       "after "
       "-- are a launch. `check` is asked first. Stays beside it and says what changes; Ctrl-C "
       "takes "
       "it down. Example: sextant up --replicas 2 -- llama-server -m model.gguf",
       "给出模型时先为本机制定方案；- 表示从标准输入读取 JSON 方案；-- 之后是启动命令。启动前先由 "
       "`check` 检查。命令会留在前台并报告变化；按 Ctrl-C 停止部署。例：sextant up --replicas 2 -- "
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
       {"--ladder", "", "", {"prove smaller layouts first", "先验证较小的布局"}},
       {"--no-ladder", "", "", {"do not, whatever the file says", "不做验证，无论文件里怎么写"}},
       {"--anyway", "", "REASON", {"start in spite of errors", "尽管有错误仍然启动"}},
       {"--detach", "", "", {"leave it running and return", "让它在后台运行并返回"}},
       {"--wait",
        "",
        "",
        {"with --detach: return once it serves", "与 --detach 合用：开始服务后才返回"}}},
      true,
      1};
}

CommandSpec gateway_row() {
  return {
      "gateway",
      "--backend URL… [--listen HOST:PORT]",
      {"one OpenAI address in front of engines that run already",
       "在已运行的引擎前提供一个 OpenAI 地址"},
      {"Requests go to the engine with the least work that serves their model; one that fails "
       "before it answers is replaced by another. Ends by Ctrl-C or SIGTERM, after requests in "
       "flight. Example: sextant gateway --backend http://127.0.0.1:8001 --backend "
       "http://127.0.0.1:8002",
       "请求发给提供该模型、当前负载最小的引擎；引擎在回答之前出错时由另一个接手。按 Ctrl-C "
       "或发送 "
       "SIGTERM 结束，会先等在途请求完成。例：sextant gateway --backend http://127.0.0.1:8001 "
       "--backend http://127.0.0.1:8002"},
      {{"--backend",
        "",
        "URL",
        {"an engine: http://HOST:PORT; once for each", "一个引擎：http://HOST:PORT；每个写一次"},
        {},
        true},
       {"--listen",
        "",
        "HOST:PORT",
        {"where clients come (default: 127.0.0.1:8000)",
         "客户端访问的地址（默认：127.0.0.1:8000）"}}},
      false,
      0};
}

}  // namespace

void add_running_commands(std::vector<CommandSpec>& table) {
  table.push_back(up_row());
  table.push_back(
      {"status",
       "[--name NAME]",
       {"what runs, and how it does", "正在运行什么，状态如何"},
       {"Exit code 0: it serves; 3: it does not; 4: there is no such deployment.",
        "退出码 0：正在服务；3：没有在服务；4：没有这个部署。"},
       {name_flag(), {"--format", "", "FORMAT", {"text or json", "text 或 json"}, "text|json"}},
       false,
       0});
  table.push_back({"logs",
                   "[REPLICA] [-f]",
                   {"what a replica's engine printed", "某个副本的引擎输出"},
                   {"Without a number: of replica 0.", "不写编号时为副本 0。"},
                   {name_flag(), {"--follow", "-f", "", {"go on as it grows", "持续输出新内容"}}},
                   false,
                   1});
  table.push_back({"restart",
                   "REPLICA",
                   {"drains a replica and starts it anew", "排空一个副本，然后重新启动"},
                   {},
                   {name_flag()},
                   false,
                   1});
  table.push_back(
      {"drain",
       "REPLICA",
       {"lets a replica's requests end, then stops it", "等一个副本的请求结束，然后停止它"},
       {},
       {name_flag()},
       false,
       1});
  table.push_back({"down",
                   "[--name NAME]",
                   {"drains and stops everything of a deployment", "排空并停止整个部署"},
                   {},
                   {name_flag()},
                   false,
                   0});
  table.push_back({"smoke",
                   "[--name NAME]",
                   {"sends one chat through the address and says what is wrong",
                    "通过对外地址发送一次对话，并说明出了什么问题"},
                   {"A key is taken from SEXTANT_KEY. Exit code 0: it answered; 1: it did not; 3: "
                    "it is not up.",
                    "密钥取自 SEXTANT_KEY。退出码 0：有回答；1：没有；3：没有在运行。"},
                   {name_flag()},
                   false,
                   0});
  table.push_back(
      {"daemon",
       "[NAME]",
       {"runs a deployment: what `up --detach` starts", "运行一个部署：`up --detach` 启动的就是它"},
       {"Reads deployment.json in the state folder of NAME (default), takes over what an "
        "earlier daemon left running, and stays until it is asked to end. For service "
        "managers.",
        "读取 NAME（default）状态目录里的 deployment.json，接管先前的守护进程留下的副本，"
        "一直运行到被要求结束为止。供服务管理器使用。"},
       {{"--ladder", "", "", {"prove smaller layouts first", "先验证较小的布局"}}},
       false,
       1});
  table.push_back(gateway_row());
}

}  // namespace sx
