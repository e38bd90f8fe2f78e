// Rows of the commands around one address for several engines: gateway, route, keys.
#include "cli/gateway_flags.h"
#include "cli/table_parts.h"

namespace sx {
namespace {

CommandSpec gateway_row() {
  CommandSpec row{
      "gateway",
      "--backend URL… [--listen HOST:PORT]",
      {"one OpenAI address in front of engines that run already",
       "在已运行的引擎前提供一个 OpenAI 地址"},
      {"Turns of a conversation go to the engine that had those before, within its share of the "
       "work; other requests to the one with the least. One that fails before it answers is "
       "replaced by another. Ends by Ctrl-C or SIGTERM, after requests in "
       "flight. Example: sextant gateway --backend http://127.0.0.1:8001 --backend "
       "http://127.0.0.1:8002",
       "同一对话的请求在工作量份额之内发给之前的引擎，其他请求发给负载最小的引擎；引擎在回答之前出"
       "错时由另一个接手。按 Ctrl-C 或发送 "
       "SIGTERM 结束，会先等在途请求完成。例：sextant gateway --backend http://127.0.0.1:8001 "
       "--backend http://127.0.0.1:8002"},
      {{"--listen",
        "",
        "HOST:PORT",
        {"where clients come (default: 127.0.0.1:8000)",
         "客户端访问的地址（默认：127.0.0.1:8000）"}},
       {"--queue",
        "",
        "N",
        {"requests that may wait for a replica (default: 1000)",
         "最多允许多少个请求等待副本（默认：1000）"}},
       {"--queue-wait",
        "",
        "S",
        {"and for how long (default: 600)", "最长等待多少秒（默认：600）"}},
       {"--silence",
        "",
        "S",
        {"an engine may say nothing for so long (default: 3600)",
         "引擎最长多少秒没有输出（默认：3600）"}},
       {"--body-time",
        "",
        "S",
        {"a client has so long to send a whole body (default: 600)",
         "客户端须在多少秒内发完整个请求体（默认：600）"}},
       {"--total",
        "",
        "S",
        {"a request may take so long (default: no limit)", "单个请求最长多少秒（默认：不限）"}},
       {"--keys",
        "",
        "FILE",
        {"who may use it: a file made by `sextant keys add`",
         "谁可以使用：由 `sextant keys add` 生成的文件"}},
       {"--access-log",
        "",
        "FILE",
        {"one line of JSON a request; - is standard output", "每个请求一行 JSON；- 表示标准输出"}},
       {"--anyway",
        "",
        "REASON",
        {"listen for other machines without keys", "没有密钥也对其他机器开放"}}},
      false,
      0};
  const auto front = front_flags();
  row.flags.insert(row.flags.begin(), front.begin(), front.end());
  const auto outward = outward_flags();
  row.flags.insert(row.flags.end(), outward.begin(), outward.end());
  return row;
}

CommandSpec route_row() {
  CommandSpec row{
      "route",
      "--explain FILE [--name NAME | --backend URL…]",
      {"says where a request would go and why", "说明一个请求会发给哪个副本以及原因"},
      {"FILE holds the body of a request, - is standard input. Nothing is sent, and of its text "
       "only digests reach a gateway. Exit code 0: it would go to a replica; 1: it would not; 3: "
       "the deployment is not up; 4: there is none. Example: sextant route --explain chat.json "
       "--backend "
       "http://127.0.0.1:8001 --backend http://127.0.0.1:8002",
       "FILE 是请求体，- 表示标准输入。不会发送请求，网关只会收到其内容的摘要。退出码 "
       "0：会发给某个副本；1：不会；3：部署没有在运行；4：没有这个部署。例：sextant route "
       "--explain chat.json "
       "--backend http://127.0.0.1:8001 --backend http://127.0.0.1:8002"},
      {{"--explain", "", "FILE", {"the request's body", "请求体"}},
       name_flag(),
       {"--session", "", "ID", {"as if sent with x-session-id", "按请求带有 x-session-id 说明"}},
       {"--path",
        "",
        "PATH",
        {"as if sent to it (default: /v1/chat/completions)",
         "按发往该路径说明（默认：/v1/chat/completions）"}},
       format_flag()},
      false,
      0};
  const auto front = front_flags();
  row.flags.insert(row.flags.end(), front.begin(), front.end());
  return row;
}

CommandSpec keys_row() {
  return {
      "keys",
      "add NAME|list|revoke NAME [--file FILE]",
      {"who may use a gateway, and how much of it", "谁可以使用网关，用量上限是多少"},
      {"`add` makes a key and shows it once; the file holds its digest and its limits. A gateway "
       "that runs takes a changed file within a second. Example: sextant keys add alice --file "
       "keys.json",
       "`add` 生成一个密钥，只显示一次；文件里只有摘要和上限。运行中的网关会在一秒内采用改动。例："
       "sextant keys add alice --file keys.json"},
      {{"--file",
        "",
        "FILE",
        {"the file of keys (default: that of the deployment)",
         "密钥文件（默认：该部署的密钥文件）"}},
       name_flag(),
       {"--concurrency", "", "N", {"requests at a time", "同时进行的请求数上限"}},
       {"--tokens-per-minute",
        "",
        "N",
        {"tokens of prompts and answers within a minute", "一分钟内提示词与回答的 token 上限"}},
       {"--body-mib", "", "N", {"of one request's body", "单个请求体的上限（MiB）"}},
       {"--priority",
        "",
        "N",
        {"1 to 9: served before lower ones (default: 0) when requests wait",
         "1 到 9：排队时数值大的先服务（默认：0）"}},
       {"--format",
        "",
        "FORMAT",
        {"of list: text or json", "list 的格式：text 或 json"},
        "text|json"}},
      false,
      2,
      "add|list|revoke"};
}

}  // namespace

void add_gateway_commands(std::vector<CommandSpec>& table) {
  table.push_back(gateway_row());
  table.push_back(route_row());
  table.push_back(keys_row());
}

}  // namespace sx
