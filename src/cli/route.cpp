// `sextant route --explain FILE`: where a request would go, and why.
#include <boost/json.hpp>

#include "base/strings.h"
#include "cli/commands.h"
#include "cli/daemon_talk.h"
#include "cli/gateway_flags.h"
#include "cli/not_up.h"
#include "sys/files.h"
#include "text/columns.h"
#include "text/table.h"

namespace sx {
namespace {

constexpr Bytes kMostBody = mib(64);  // as the gateway takes them
constexpr std::string_view kDefaultPath = "/v1/chat/completions";

constexpr Text kWhat{"which request? --explain FILE with its body, - for standard input",
                     "说明哪个请求？用 --explain FILE 给出请求体，- 表示标准输入"};
constexpr Text kWithout{"--backend URL asks engines that run without it",
                        "用 --backend URL 可以询问不由它启动的引擎"};
constexpr Text kNoGateway{"no gateway answers", "没有网关应答"};  // never said as it stands
constexpr Text kEither{
    "--name asks the gateway of a deployment, --backend one that would begin now: one of them",
    "--name 询问部署的网关，--backend 询问若现在启动的网关：只能写其中一个"};
constexpr Text kOfBackends{"{flag} goes with --backend: a deployment has its own names",
                           "{flag} 与 --backend 一起使用：部署有自己的模型名"};

constexpr Text kGoes{"{model} → replica {replica} ({address}), why={why}: {means}",
                     "{model} → 副本 {replica}（{address}），why={why}：{means}"};
constexpr Text kWaits{"{model}: waits for a replica, {ahead} wait already",
                      "{model}：等待副本，前面已有 {ahead} 个请求"};
constexpr Text kNobody{"{model}: no replica takes requests", "{model}：没有可接收请求的副本"};
constexpr Text kFailed{"{model}: no replica is there, and none comes: {cause}",
                       "{model}：没有副本，也不会再启动：{cause}"};
constexpr Text kNotServed{"the model {model} is not served; served: {known}",
                          "不提供模型 {model}；可用的有：{known}"};
constexpr Text kNamesNone{"the request names no model; served: {known}",
                          "请求没有写明模型；可用的有：{known}"};
constexpr Text kAlias{"{asked} means {model}", "{asked} 是 {model} 的别名"};
constexpr Text kNothing{"none", "无"};

struct Why {
  std::string_view word;
  Text means;
};
constexpr std::array<Why, 9> kWhys{{
    {"only", {"no other one could take it", "只有它能接收"}},
    {"load", {"it has the least work in flight", "它的在途工作量最小"}},
    {"turn", {"several have equally little work: they take turns", "几个副本同样空闲，轮流接收"}},
    {"prefix",
     {"its cache most likely holds the front of this conversation",
      "这段对话的开头最可能在它的缓存里"}},
    {"session", {"requests that name the same session go there", "同名会话的请求都发给它"}},
    {"response", {"it gave the answer that this one goes on from", "请求接续的回答由它给出"}},
    {"spill", {"the one this belongs to has too much other work", "本应接收的副本其他工作太多"}},
    {"failover", {"another one had failed", "另一个副本刚出过错"}},
    {"resting", {"it failed a moment ago, and nobody else is there", "它刚出过错，但没有其他副本"}},
}};

// Of "prefix", where nothing of it has been anywhere.
constexpr Text kNew{"the first in the order of this conversation, which is new",
                    "这是新的对话，它在该对话的次序中排第一"};

constexpr std::array<Why, 5> kStates{{
    {"free", {"free", "可用"}},
    {"resting", {"resting", "休息"}},
    {"full", {"full", "已满"}},
    {"out", {"takes none", "不接收"}},
    {"other-model", {"other model", "其他模型"}},
}};

template <std::size_t N>
std::string meaning(const std::array<Why, N>& all, std::string_view word, Language language) {
  for (const Why& one : all) {
    if (one.word == word) return std::string(one.means.in(language));
  }
  return std::string(word);
}

std::string verdict(const ExplainedRoute& route, Language language) {
  const std::string known = route.known.empty()
                                ? std::string(kNothing.in(language))
                                : join(route.known, language == Language::Chinese ? "、" : ", ");
  if (route.model.empty() && route.asked.empty())
    return rendered({kNamesNone, {{"known", known}}}, language);
  if (route.model.empty())
    return rendered({kNotServed, {{"model", route.asked}, {"known", known}}}, language);
  if (!route.cause.empty())
    return rendered({kFailed, {{"model", route.model}, {"cause", route.cause}}}, language);
  if (route.replica < 0)
    return route.waits
               ? rendered({kWaits, {{"model", route.model}, {"ahead", route.ahead}}}, language)
               : rendered({kNobody, {{"model", route.model}}}, language);
  std::string address, means = meaning(kWhys, route.why, language);
  for (const ExplainedReplica& one : route.replicas) {
    if (one.replica != route.replica) continue;
    address = one.address;
    if (route.why == "prefix" && !one.had_it && !one.knows_it) means = kNew.in(language);
  }
  return rendered({kGoes,
                   {{"model", route.model},
                    {"replica", route.replica},
                    {"address", address},
                    {"why", route.why},
                    {"means", means}}},
                  language);
}

std::string replicas_table(const ExplainedRoute& route, Language language) {
  const auto head = [&](Text text) { return std::string(text.in(language)); };
  const bool affine = route.kind == "prefix" || route.kind == "session";
  std::vector<std::vector<std::string>> rows{
      {head({"replica", "副本"}), head({"address", "地址"}), head({"state", "状态"}),
       head({"requests", "请求"}), head({"weight", "权重"}),
       head({"work (tokens)", "工作量（token）"}), head({"may hold", "上限"}),
       head({"order", "次序"}), head({"known there", "已有"})}};
  for (const ExplainedReplica& one : route.replicas) {
    const std::string knows = one.had_it     ? head({"this very one", "本对话"})
                              : one.knows_it ? head({"its instructions", "相同的指令"})
                                             : "-";
    rows.push_back({(one.replica == route.replica ? "→ " : "  ") + std::to_string(one.replica),
                    one.address, meaning(kStates, one.state, language),
                    std::to_string(one.in_flight) +
                        (one.most > 0 ? " / " + std::to_string(one.most) : std::string()),
                    std::to_string(one.weight), std::to_string(one.work),
                    affine ? std::to_string(one.limit) : "-",
                    one.order > 0 ? std::to_string(one.order) : "-", knows});
  }
  using enum Align;
  return table(rows, {Left, Left, Left, Right, Right, Right, Right, Right, Left}, 2);
}

std::string page(const ExplainedRoute& route, Language language) {
  std::string text;
  if (!route.asked.empty() && !route.model.empty() && route.asked != route.model)
    text +=
        printable(rendered({kAlias, {{"asked", route.asked}, {"model", route.model}}}, language)) +
        '\n';
  text += printable(verdict(route, language)) + '\n';  // the names are a client's
  if (!route.replicas.empty()) text += replicas_table(route, language);
  return text;
}

Result<std::string> body_of(const Arguments& arguments, const Session& session) {
  const auto file = arguments.value("--explain");
  if (!file || file->empty()) return fail(Error::Kind::Usage, in_both({kWhat}));
  if (*file == "-") return session.outside.standard_input();
  auto body = real_files().read(*file, kMostBody);
  if (!body)  // a file that is not there says nothing of the deployment
    return fail(Error::Kind::Refused, body.error().what, body.error().chinese);
  return body;
}

Result<ExplainedRoute> explained(const Arguments& arguments, Session& session, Language language) {
  SX_TRY(const auto body, body_of(arguments, session));
  SX_TRY(const auto question,
         question_of(body, arguments.value("--path").value_or(std::string(kDefaultPath)),
                     arguments.value("--session").value_or("")));
  SX_TRY(auto ask, front_ask(arguments));
  ask.trouble = [&](const Error& error) { session.output.trouble(trouble_line(error, language)); };
  if (!ask.backends.empty()) {
    if (arguments.has("--name")) return fail(Error::Kind::Usage, in_both({kEither}));
    if (auto taken = take_backend_keys(session.outside, ask); !taken)
      return std::unexpected(taken.error());
    return explain_front(ask, question);
  }
  for (const char* flag : {"--alias", "--default-model"}) {
    if (arguments.has(flag))
      return fail(Error::Kind::Usage, in_both({kOfBackends, {{"flag", flag}}}));
  }
  const std::string name = deployment_name(arguments);
  SX_TRY(const auto folder, state_folder(session.outside.environment, name));
  auto told = ask_gateway(folder.gateway(), question);
  if (!told && told.error().kind == Error::Kind::Absent)
    return fail(Error::Kind::Absent, in_both({kNoGateway}));
  return told;
}

}  // namespace

int route_command(const Arguments& arguments, Session& session) {
  const Language language = decide_language(arguments.language(), session.outside.environment);
  const auto route = explained(arguments, session, language);
  if (!route && route.error().kind == Error::Kind::Absent && !arguments.has("--backend"))
    return said_not_up(deployment_name(arguments), kWithout, session, language);
  if (!route) {
    session.output.trouble(trouble_line(route.error(), language));
    return kCouldNot;
  }
  session.output.answer(arguments.value("--format") == "json" ? explained_json(*route) + '\n'
                                                              : page(*route, language));
  return route->replica >= 0 ? kDone : kFindings;
}

}  // namespace sx
