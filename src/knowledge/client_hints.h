// Fields of a request's head by which clients say what belongs together and how long they wait
// (data/client_hints.tsv).
#pragma once

#include <string_view>
#include <vector>

namespace sx {

enum class ClientHint {
  Session,   // requests with the same value go to the same replica
  Patience,  // seconds after which the client gives up
};

struct ClientHintName {
  std::string_view name;  // in small letters
  ClientHint hint = ClientHint::Session;
};

// In the order in which they count.
const std::vector<ClientHintName>& client_hints();

}  // namespace sx
