// The gateway's own choice, asked without being made.
#include "gateway/explain.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "gateway/affinity.h"
#include "gateway/relay.h"
#include "knowledge/gateway_paths.h"

namespace sx {
namespace {

std::string_view word_of(KeyKind kind) {
  switch (kind) {
    case KeyKind::None:
      return "none";
    case KeyKind::Prefix:
      return "prefix";
    case KeyKind::Session:
      return "session";
    case KeyKind::Response:
      return "response";
  }
  return "none";
}

std::string_view word_of(const RouteCandidate& one, GatewayClock::time_point now) {
  if (!one.serves) return "other-model";
  switch (state_of(one, now)) {
    case CandidateState::Out:
      return "out";
    case CandidateState::Full:
      return "full";
    case CandidateState::Resting:
      return "resting";
    case CandidateState::Fresh:
      return "free";
  }
  return "out";
}

void put_in_order(std::vector<ExplainedReplica>& replicas, std::span<const RouteCandidate> all,
                  std::uint64_t order) {
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t i = 0; i < all.size(); ++i)
    ranked.emplace_back(rendezvous_rank(order, all[i].replica, all[i].weight), i);
  std::ranges::sort(ranked);
  for (std::size_t place = 0; place < ranked.size(); ++place)
    replicas[ranked[place].second].order = static_cast<int>(place) + 1;
}

}  // namespace

Result<RouteQuestion> question_of(std::string_view body, std::string_view path,
                                  std::string_view session) {
  const GatewayPath* row = gateway_path(path);
  if (row == nullptr || !row->relayed)
    return fail(Error::Kind::Usage, std::string(path) + " is not relayed",
                std::string(path) + " 不在转发之列");
  const BodyKeys keys = find_body_keys(body);
  if (!keys.object)
    return fail(Error::Kind::Usage, "the request's body is not a JSON object",
                "请求体不是 JSON 对象");
  if (!keys.model_is_text)
    return fail(Error::Kind::Usage, "the request's model is no string of at most 512 bytes",
                "请求里的 model 不是 512 字节以内的字符串");
  RequestHints hints;
  hints.session = session;
  return RouteQuestion{.model = keys.model.value_or(""),
                       .hashes = hashes_of(hints, body, keys, row->surface)};
}

ExplainedRoute explain_route(Relay& relay, const RouteQuestion& question) {
  ExplainedRoute route{.asked = question.model};
  const std::string wanted = question.model.empty() ? relay.default_model() : question.model;
  route.model = relay.meant_by(wanted);
  route.known = relay.models();
  if (route.model.empty() && route.known.size() == 1) route.model = route.known.front();
  const RouteKey key = relay.routing.key_of(question.hashes);
  route.kind = word_of(key.kind);
  if (route.model.empty() || !relay.knows(route.model)) {
    route.model.clear();
    return route;
  }
  const auto& candidates = relay.candidates(route.model);
  const RouteAsk ask = relay.routing.ask_for(key, relay.now());
  const bool affine = key.kind == KeyKind::Prefix || key.kind == KeyKind::Session;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const RouteCandidate& one = candidates[i];
    const GatewayReplica& replica = *relay.replicas()[i];
    const bool six = replica.route.host.find(':') != std::string::npos;
    const std::string host = six ? '[' + replica.route.host + ']' : replica.route.host;
    route.replicas.push_back({.replica = one.replica,
                              .address = host + ':' + std::to_string(replica.route.port),
                              .state = std::string(word_of(one, relay.now())),
                              .work = one.load,
                              .limit = affine ? load_limit(candidates, one, ask) : 0,
                              .in_flight = one.in_flight,
                              .waiting = replica.elsewhere,
                              .weight = one.weight,
                              .most = one.most,
                              .order = 0,
                              .had_it = key.kind != KeyKind::None && one.replica == ask.remembered,
                              .knows_it = holds(ask.holders, one.replica)});
  }
  if (affine) put_in_order(route.replicas, candidates, key.order);
  const RouteChoice choice = choose(candidates, ask);
  route.ahead = relay.waiting.waiting_for(route.model);
  if (choice.index >= 0 && route.ahead == 0) {
    route.replica = candidates[static_cast<std::size_t>(choice.index)].replica;
    route.why = choice.why;
  } else {
    route.waits = choice.index >= 0 || choice.full || relay.comes(route.model);
    if (!route.waits) route.cause = relay.cause_of(route.model);
  }
  return route;
}

}  // namespace sx
