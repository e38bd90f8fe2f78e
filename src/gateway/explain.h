// Where a request would go, and why: what `sextant route --explain` asks a gateway.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gateway/routing.h"

namespace sx {

class Relay;

// A request without its text: nothing of a prompt goes to a gateway to be explained.
struct RouteQuestion {
  std::string model;  // as the body says it; empty: it names none
  RouteHashes hashes;
};
// Of a body, as if sent to that path with that session in its head. Usage: no JSON object, or its
// model is no string.
Result<RouteQuestion> question_of(std::string_view body, std::string_view path,
                                  std::string_view session);
std::string question_line(const RouteQuestion& question);
Result<RouteQuestion> read_question(const boost::json::object& line);

struct ExplainedReplica {
  int replica = 0;
  std::string address;
  std::string state;                  // "free", "resting", "full", "out", "other-model"
  std::uint64_t work = 0, limit = 0;  // tokens as guessed; what it may hold for this request
  std::uint64_t in_flight = 0, waiting = 0;
  int weight = 1;          // its share of the work beside that of the others
  std::uint64_t most = 0;  // requests it is given at a time; 0: no limit
  int order = 0;           // in the order of the key, from 1; 0: no key
  bool had_it = false;     // was this conversation's, session's or answer's last one
  bool knows_it = false;   // had its instructions before
};
struct ExplainedRoute {
  std::string asked, model;  // as asked for, and what is meant; model empty: not served
  std::string kind;          // "none", "prefix", "session", "response"
  int replica = -1;          // -1: none
  std::string why;
  bool waits = false;     // with -1: it would wait
  std::size_t ahead = 0;  // of those that wait
  std::string cause;  // with -1 and nothing to wait for: what the model failed of; empty: not known
  std::vector<ExplainedReplica> replicas;
  std::vector<std::string> known;
};
ExplainedRoute explain_route(Relay& relay, const RouteQuestion& question);

// Put to a gateway that runs. Absent: none does.
Result<ExplainedRoute> ask_gateway(const std::string& socket, const RouteQuestion& question);

boost::json::object explained_object(const ExplainedRoute& route);
std::string explained_json(const ExplainedRoute& route);  // one line
Result<ExplainedRoute> read_explained(std::string_view line);

}  // namespace sx
