// Every field checked; a state that nobody here knows is no state.
#include "gateway/told_states.h"

#include <boost/json.hpp>
#include <set>

#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr RecordName kWhat{"the line of states", "状态信息"};
constexpr std::size_t kMostTold = 1024;  // as many as a table of routes holds
constexpr std::int64_t kMostWedges = std::int64_t{1} << 40U;

std::optional<ReplicaState> state_in(std::string_view word) {
  for (int i = 0; i < kReplicaStates; ++i) {
    const auto state = static_cast<ReplicaState>(i);
    if (word_of(state) == word) return state;
  }
  return std::nullopt;
}

}  // namespace

std::string states_line(const std::vector<ToldState>& states) {
  json::array replicas;
  for (const ToldState& one : states) {
    const std::string_view word = one.state ? word_of(*one.state) : std::string_view();
    replicas.push_back(json::object{{"replica", one.replica},
                                    {"engine", one.engine},
                                    {"state", json::string(word.data(), word.size())},
                                    {"wedges", one.wedges}});
  }
  return json::serialize(json::object{{"do", "states"}, {"replicas", std::move(replicas)}});
}

Result<std::vector<ToldState>> read_states(const json::object& line) {
  JsonFields whole(line, kWhat);
  const auto* replicas = whole.array("replicas", kMostTold);
  if (auto good = whole.error(); !good) return std::unexpected(good.error());
  std::vector<ToldState> states;
  std::set<int> numbers;
  for (const json::value& value : *replicas) {
    if (!value.is_object()) {
      whole.wrong("replicas");
      break;
    }
    JsonFields fields(value.get_object(), kWhat);
    ToldState one{.replica = static_cast<int>(fields.number("replica", 0, 1 << 20)),
                  .engine = fields.text("engine"),
                  .state = state_in(fields.text("state")),
                  .wedges = static_cast<std::uint64_t>(fields.number("wedges", 0, kMostWedges))};
    // The page may not say the same thing twice.
    if (!numbers.insert(one.replica).second) fields.wrong("replica");
    if (auto good = fields.error(); !good) return std::unexpected(good.error());
    states.push_back(std::move(one));
  }
  if (auto good = whole.error(); !good) return std::unexpected(good.error());
  return states;
}

}  // namespace sx
