// Keys of different kinds are hashed apart, so that nobody's session is somebody's conversation.
#include "gateway/routing.h"

#include "base/strings.h"
#include "gateway/affinity.h"
#include "gateway/key_file.h"
#include "knowledge/client_hints.h"

namespace sx {
namespace {

// Conversations, sessions and answers of some hours: 32 bytes each.
constexpr std::size_t kPlaces = std::size_t{1} << 15U;
constexpr std::size_t kInstructions = std::size_t{1} << 12U;

constexpr std::uint64_t kOfSession = 1, kOfAnswer = 2;
constexpr long long kHighest = kMostPriority;
constexpr long long kMostSeconds = 86'400;

std::optional<long long> number_within(std::string_view value, long long most) {
  const auto number = to_integer(value);
  return number && *number >= 0 && *number <= most ? number : std::nullopt;
}

// Two numbers of replicas in one of the memory's, each one higher, so that 0 is nobody twice.
std::uint64_t packed(const Holders& holders) {
  return static_cast<std::uint64_t>(holders[0] + 1) | static_cast<std::uint64_t>(holders[1] + 1)
                                                          << 32U;
}
Holders unpacked(std::uint64_t value) {
  return {static_cast<int>(value & 0xffff'ffffU) - 1, static_cast<int>(value >> 32U) - 1};
}

// Written as "600" or "600.0".
std::optional<std::chrono::seconds> seconds_of(std::string_view value) {
  const auto number = to_number(value);
  if (!number || !(*number >= 0) || *number > static_cast<double>(kMostSeconds))
    return std::nullopt;
  return std::chrono::seconds(static_cast<long long>(*number));
}

}  // namespace

RequestHints hints_of(const RequestHead& head) {
  RequestHints hints;
  const auto& names = client_hints();
  std::size_t best = names.size();
  for (const HeadField& field : head.fields) {
    if (field.known != HeadName::Other || field.value.empty()) continue;
    if (same_name(field.name, "x-sextant-priority")) {
      if (const auto number = number_within(field.value, kHighest))
        hints.priority = static_cast<int>(*number);
    } else if (same_name(field.name, "x-sextant-wait")) {
      hints.wait = seconds_of(field.value);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ClientHintName& row = names[i];
      if (!same_name(field.name, row.name)) continue;
      if (row.hint == ClientHint::Patience) {
        hints.patience = seconds_of(field.value);
      } else if (i < best) {
        best = i;
        hints.session = field.value;
      }
    }
  }
  return hints;
}

Routing::Routing() : places_(kPlaces), holders_(kInstructions) {}

RouteHashes hashes_of(const RequestHints& hints, std::string_view body, const BodyKeys& keys,
                      Surface surface) {
  RouteHashes hashes{.tokens = prompt_tokens(body.size())};
  const std::string_view id = previous_answer(body, keys);
  if (!id.empty() && surface == Surface::Responses) hashes.previous = hash_bytes(id, kOfAnswer);
  const std::string_view session = hints.session.empty() ? keys.cache_key.of(body) : hints.session;
  if (!session.empty()) {
    hashes.session = hash_bytes(session, kOfSession);
    return hashes;
  }
  const ConversationKey conversation = conversation_key(body, keys, surface);
  hashes.conversation = conversation.whole;
  hashes.instructions = conversation.order;
  return hashes;
}

RouteKey Routing::key_of(const RouteHashes& hashes) {
  if (hashes.previous != 0 && places_.find(hashes.previous))
    return {KeyKind::Response, hashes.previous, hashes.previous, hashes.tokens};
  if (hashes.session != 0) return {KeyKind::Session, hashes.session, hashes.session, hashes.tokens};
  if (hashes.conversation == 0) return {};
  return {KeyKind::Prefix, hashes.conversation, hashes.instructions, hashes.tokens};
}

RouteKey Routing::key_of(const RequestHints& hints, std::string_view body, const BodyKeys& keys,
                         Surface surface) {
  return key_of(hashes_of(hints, body, keys, surface));
}

RouteAsk Routing::ask_for(const RouteKey& key, GatewayClock::time_point now) {
  RouteAsk ask{.key = key, .remembered = -1, .holders = {-1, -1}, .turn = turn_, .now = now};
  if (key.kind == KeyKind::None) return ask;
  if (const auto place = places_.find(key.hash)) ask.remembered = static_cast<int>(*place);
  if (key.order != key.hash) ask.holders = unpacked(holders_.find(key.order).value_or(0));
  return ask;
}

void Routing::went_to(const RouteKey& key, int replica) {
  turn_ = static_cast<std::size_t>(replica) + 1;
  if (key.kind != KeyKind::Prefix && key.kind != KeyKind::Session) return;
  places_.put(key.hash, static_cast<std::uint64_t>(replica));
  if (key.order == key.hash) return;
  const Holders before = unpacked(holders_.find(key.order).value_or(0));
  const int other = before[0] == replica ? before[1] : before[0];
  holders_.put(key.order, packed({replica, other}));
}

void Routing::answered(std::string_view front, int replica) {
  const std::string_view id = answer_id(front);
  if (!id.empty()) places_.put(hash_bytes(id, kOfAnswer), static_cast<std::uint64_t>(replica));
}

}  // namespace sx
