// Every field checked.
#include "gateway/routes.h"

#include <boost/json.hpp>
#include <set>

#include "run/json_fields.h"

namespace sx {
namespace {

constexpr std::size_t kMostListed = 1024;  // far more than one machine holds
constexpr std::size_t kMostName = 512;

}  // namespace

Result<RouteTable> read_routes(std::string_view text) {
  SX_TRY(const auto object, json_object(text, "the table of routes"));
  JsonFields whole(object, "the table of routes");
  RouteTable table;
  table.version = whole.number_or("version", 0, std::int64_t{1} << 60U, 0);
  table.model = whole.text_or("model", "");
  const auto* replicas = whole.array("replicas", kMostListed);
  if (auto good = whole.error(); !good) return std::unexpected(good.error());
  std::set<int> seen;
  for (const auto& value : *replicas) {
    if (!value.is_object())
      return fail(Error::Kind::Damaged, "the table of routes: a replica is not an object",
                  "路由表：有一个副本不是对象");
    JsonFields fields(value.get_object(), "the table of routes");
    Route route;
    route.replica = static_cast<int>(fields.number("replica", 0, 1 << 20));
    route.host = fields.text("host");
    route.port = static_cast<int>(fields.number("port", 1, 65535));
    route.model = fields.text("model");
    route.engine = fields.text_or("engine", "");
    route.key = fields.text_or("key", "");
    route.takes = fields.truth_or("takes", true);
    // They become lines of a request's head.
    for (const std::string* name : {&route.host, &route.key, &route.model}) {
      const bool control = name->find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos;
      if (name->size() > kMostName || control) fields.wrong("replicas");
    }
    if (auto good = fields.error(); !good) return std::unexpected(good.error());
    if (!seen.insert(route.replica).second)
      return fail(Error::Kind::Damaged,
                  "the table of routes has replica " + std::to_string(route.replica) + " twice",
                  "路由表里副本 " + std::to_string(route.replica) + " 出现了两次");
    table.routes.push_back(std::move(route));
  }
  return table;
}

}  // namespace sx
