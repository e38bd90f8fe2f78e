// Where a conversation belongs: the same key orders the replicas in the same way in every gateway
// and after every restart, and a replica that goes takes only its own share along.
#pragma once

#include <cstdint>
#include <string_view>

namespace sx {

// Good in every bit and fast over some KiB; not meant to withstand an attacker: whoever makes keys
// collide only makes them share a replica, and the bound on load moves the rest on.
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0);

// The place of a replica in the order of a key: the smallest comes first. Over many keys a replica
// is first as often as its weight says (at least 1).
double rendezvous_rank(std::uint64_t key, int replica, int weight);

}  // namespace sx
