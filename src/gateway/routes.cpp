// Every field checked.
#include "gateway/routes.h"

#include <boost/json.hpp>
#include <set>

#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostListed = 1024;  // far more than one machine holds
constexpr std::size_t kMostName = 512;
constexpr RecordName kWhat{"the table of routes", "路由表"};
constexpr RecordName kLoads{"the line of loads", "负载信息"};

// They become parts of a request's head and body.
bool can_be_sent(std::string_view name) {
  return name.size() <= kMostName &&
         name.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

Result<Route> read_route(const json::object& object) {
  JsonFields fields(object, kWhat);
  Route route;
  route.replica = static_cast<int>(fields.number("replica", 0, 1 << 20));
  route.host = fields.text("host");
  route.port = static_cast<int>(fields.number("port", 1, 65535));
  route.model = fields.text("model");
  route.engine = fields.text_or("engine", "");
  route.key = fields.text_or("key", "");
  route.takes = fields.truth_or("takes", true);
  route.weight = static_cast<int>(fields.number_or("weight", 1, kMostWeight, 1));
  route.most = static_cast<int>(fields.number_or("most", 0, kMostRequests, 0));
  if (!can_be_sent(route.host) || !can_be_sent(route.key) || !can_be_sent(route.model))
    fields.wrong("replicas");
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return route;
}

// Names, each with a text.
void read_texts(JsonFields& whole, const json::object& object, std::string_view name,
                std::map<std::string, std::string>& into) {
  if (!object.contains(name)) return;
  const auto* texts = whole.object(name);
  if (texts == nullptr) return;
  if (texts->size() > kMostListed) whole.wrong(name);
  for (const auto& [key, text] : *texts) {
    const bool good = text.is_string() && !key.empty() && can_be_sent(key) &&
                      can_be_sent(text.get_string()) && into.size() < kMostListed;
    if (!good) return whole.wrong(name);
    into.emplace(key, text.get_string());
  }
}

void read_names(JsonFields& whole, const json::object& object, RouteTable& table) {
  if (object.contains("coming")) {
    table.coming = whole.texts("coming");
    for (const std::string& name : table.coming) {
      if (!can_be_sent(name)) whole.wrong("coming");
    }
    if (table.coming.size() > kMostListed) whole.wrong("coming");
  }
  table.default_model = whole.text_or("default_model", "");
  if (!can_be_sent(table.default_model)) whole.wrong("default_model");
  table.restarts = whole.truth_or("restarts", false);
  read_texts(whole, object, "down", table.down);
  read_texts(whole, object, "aliases", table.aliases);
}

void read_times(JsonFields& whole, RouteTimes& times) {
  const auto seconds = [&](std::string_view name) -> std::optional<std::chrono::seconds> {
    const auto number = whole.number_if(name, 0, kMostWait.count());
    return number ? std::optional(std::chrono::seconds(*number)) : std::nullopt;
  };
  if (const auto number = whole.number_if("queue", 0, kMostQueue))
    times.queue = static_cast<int>(*number);
  times.queue_wait = seconds("queue_wait_s");
  times.silence = seconds("silence_s");
  times.total = seconds("total_s");
  times.comment = seconds("comment_s");
  times.body = seconds("body_s");
}

}  // namespace

std::string routes_line(const RouteTable& table) {
  json::array replicas;
  for (const Route& route : table.routes) {
    replicas.push_back(json::object{{"replica", route.replica},
                                    {"host", route.host},
                                    {"port", route.port},
                                    {"model", route.model},
                                    {"engine", route.engine},
                                    {"key", route.key},
                                    {"takes", route.takes},
                                    {"weight", route.weight},
                                    {"most", route.most}});
  }
  json::object line{{"do", "routes"},
                    {"version", table.version},
                    {"model", table.model},
                    {"replicas", std::move(replicas)},
                    {"coming", json::value_from(table.coming)},
                    {"aliases", json::value_from(table.aliases)},
                    {"default_model", table.default_model},
                    {"down", json::value_from(table.down)},
                    {"restarts", table.restarts}};
  const RouteTimes& times = table.times;
  if (times.queue) line["queue"] = *times.queue;
  if (times.queue_wait) line["queue_wait_s"] = times.queue_wait->count();
  if (times.silence) line["silence_s"] = times.silence->count();
  if (times.total) line["total_s"] = times.total->count();
  if (times.comment) line["comment_s"] = times.comment->count();
  if (times.body) line["body_s"] = times.body->count();
  return json::serialize(line);
}

std::string loads_line(const std::vector<EngineLoad>& loads) {
  json::array replicas;
  for (const EngineLoad& load : loads)
    replicas.push_back(json::object{{"replica", load.replica}, {"waiting", load.waiting}});
  return json::serialize(json::object{{"do", "loads"}, {"replicas", std::move(replicas)}});
}

Result<std::vector<EngineLoad>> read_loads(const json::object& line) {
  JsonFields whole(line, kLoads);
  std::vector<EngineLoad> loads;
  const auto* replicas = whole.array("replicas", kMostListed);
  if (auto good = whole.error(); !good) return std::unexpected(good.error());
  for (const auto& value : *replicas) {
    if (!value.is_object()) continue;
    JsonFields fields(value.get_object(), kLoads);
    EngineLoad load;
    load.replica = static_cast<int>(fields.number("replica", 0, 1 << 20));
    load.waiting = static_cast<std::uint64_t>(fields.number("waiting", 0, kMostRequests));
    if (auto good = fields.error(); !good) return std::unexpected(good.error());
    loads.push_back(load);
  }
  return loads;
}

Result<RouteTable> read_routes(std::string_view text) {
  SX_TRY(const auto object, json_object(text, kWhat));
  JsonFields whole(object, kWhat);
  RouteTable table;
  table.version = whole.number_or("version", 0, std::int64_t{1} << 60U, 0);
  table.model = whole.text_or("model", "");
  const auto* replicas = whole.array("replicas", kMostListed);
  read_names(whole, object, table);
  read_times(whole, table.times);
  if (auto good = whole.error(); !good) return std::unexpected(good.error());
  std::set<int> seen;
  for (const auto& value : *replicas) {
    if (!value.is_object())
      return fail(Error::Kind::Damaged, "the table of routes: a replica is not an object",
                  "路由表：有一个副本不是对象");
    SX_TRY(auto route, read_route(value.get_object()));
    if (!seen.insert(route.replica).second)
      return fail(Error::Kind::Damaged,
                  "the table of routes has replica " + std::to_string(route.replica) + " twice",
                  "路由表里副本 " + std::to_string(route.replica) + " 出现了两次");
    table.routes.push_back(std::move(route));
  }
  return table;
}

}  // namespace sx
