// Questions and answers of `route --explain` as lines of JSON (schema sextant.route/1).
#include <boost/json.hpp>
#include <charconv>

#include "gateway/explain.h"
#include "gateway/routes.h"
#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr RecordName kQuestion{"the question about a route", "路由查询"};
constexpr RecordName kAnswer{"the gateway's answer about a route", "网关的路由说明"};
constexpr std::size_t kMostListed = 1024;
constexpr std::int64_t kMost = std::int64_t{1} << 60U;

// Numbers of 64 bits are no numbers of JSON.
std::string in_hex(std::uint64_t number) {
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr;
  return {text.data(), end};
}

std::uint64_t from_hex(JsonFields& fields, std::string_view name) {
  const std::string text = fields.text_or(name, "0");
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) fields.wrong(name);
  return number;
}

Result<ExplainedReplica> read_replica(const json::object& object) {
  JsonFields fields(object, kAnswer);
  ExplainedReplica one;
  one.replica = static_cast<int>(fields.number("replica", 0, 1 << 20));
  one.address = fields.text("address");
  one.state = fields.text("state");
  one.work = static_cast<std::uint64_t>(fields.number("work_tokens", 0, kMost));
  one.limit = static_cast<std::uint64_t>(fields.number("limit_tokens", 0, kMost));
  one.in_flight = static_cast<std::uint64_t>(fields.number("in_flight", 0, kMost));
  one.waiting = static_cast<std::uint64_t>(fields.number("waiting", 0, kMost));
  one.weight = static_cast<int>(fields.number_or("weight", 1, kMostWeight, 1));
  one.most = static_cast<std::uint64_t>(fields.number_or("concurrency_limit", 0, kMostRequests, 0));
  one.order = static_cast<int>(fields.number("order", 0, 1 << 20));
  one.had_it = fields.truth_or("had_it", false);
  one.knows_it = fields.truth_or("knows_it", false);
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return one;
}

}  // namespace

std::string question_line(const RouteQuestion& question) {
  const RouteHashes& hashes = question.hashes;
  return json::serialize(json::object{{"do", "explain"},
                                      {"model", question.model},
                                      {"previous", in_hex(hashes.previous)},
                                      {"session", in_hex(hashes.session)},
                                      {"conversation", in_hex(hashes.conversation)},
                                      {"instructions", in_hex(hashes.instructions)},
                                      {"tokens", in_hex(hashes.tokens)}});
}

Result<RouteQuestion> read_question(const json::object& line) {
  JsonFields fields(line, kQuestion);
  RouteQuestion question;
  question.model = fields.text_or("model", "");
  question.hashes = {.previous = from_hex(fields, "previous"),
                     .session = from_hex(fields, "session"),
                     .conversation = from_hex(fields, "conversation"),
                     .instructions = from_hex(fields, "instructions"),
                     .tokens = from_hex(fields, "tokens")};
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return question;
}

json::object explained_object(const ExplainedRoute& route) {
  json::array replicas;
  for (const ExplainedReplica& one : route.replicas) {
    replicas.push_back(json::object{{"replica", one.replica},
                                    {"address", one.address},
                                    {"state", one.state},
                                    {"work_tokens", one.work},
                                    {"limit_tokens", one.limit},
                                    {"in_flight", one.in_flight},
                                    {"waiting", one.waiting},
                                    {"weight", one.weight},
                                    {"concurrency_limit", one.most},
                                    {"order", one.order},
                                    {"had_it", one.had_it},
                                    {"knows_it", one.knows_it}});
  }
  json::object object{{"schema", "sextant.route/1"},
                      {"asked", route.asked},
                      {"model", route.model},
                      {"key", route.kind},
                      {"replica", nullptr},
                      {"why", route.why},
                      {"waits", route.waits},
                      {"ahead", route.ahead},
                      {"cause", route.cause},
                      {"replicas", std::move(replicas)},
                      {"known", json::value_from(route.known)}};
  if (route.replica >= 0) object["replica"] = route.replica;
  return object;
}

std::string explained_json(const ExplainedRoute& route) {
  return json::serialize(explained_object(route));
}

Result<ExplainedRoute> read_explained(std::string_view line) {
  SX_TRY(const auto object, json_object(line, kAnswer));
  JsonFields fields(object, kAnswer);
  ExplainedRoute route;
  const std::string schema = fields.text("schema");
  route.asked = fields.text("asked");
  route.model = fields.text("model");
  route.kind = fields.text("key");
  route.replica = static_cast<int>(fields.number_if("replica", 0, 1 << 20).value_or(-1));
  route.why = fields.text("why");
  route.waits = fields.truth_or("waits", false);
  route.ahead = static_cast<std::size_t>(fields.number("ahead", 0, kMost));
  route.cause = fields.text_or("cause", "");
  route.known = fields.texts("known");
  const auto* replicas = fields.array("replicas", kMostListed);
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  for (const auto& value : *replicas) {
    if (!value.is_object()) continue;
    SX_TRY(auto one, read_replica(value.get_object()));
    route.replicas.push_back(std::move(one));
  }
  return route;
}

}  // namespace sx
