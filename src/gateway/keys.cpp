// One digest of what came, one search, one comparison that takes as long for every answer.
#include "gateway/keys.h"

#include <algorithm>
#include <cstring>

#include "base/strings.h"

namespace sx {
namespace {

constexpr std::size_t kMostKey = 512;  // longer ones are nobody's

std::uint64_t front_of(const Sha256& digest) {
  std::uint64_t front = 0;
  std::memcpy(&front, digest.data(), sizeof front);
  return front;
}

// The search above it may tell by its time how a digest begins; what it is compared with is a
// digest too, and leads to no key. Whether all of it agrees is not told by time at all.
bool same(const Sha256& a, const Sha256& b) {
  unsigned differs = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differs |= static_cast<unsigned>(a[i] ^ b[i]);
  return differs == 0;
}

}  // namespace

std::string_view key_in(const std::vector<HeadField>& fields) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view said = field_value(fields, HeadName::Authorization);
  if (same_name(said.substr(0, kBearer.size()), kBearer))
    return trimmed(said.substr(kBearer.size()));
  return field_value(fields, HeadName::ApiKey);
}

void GatewayKeys::set(const std::vector<KeyRow>& rows) {
  std::map<std::string, std::shared_ptr<KeyUse>> next;
  found_.clear();
  for (const KeyRow& row : rows) {
    const auto known = uses_.find(row.name);
    auto use = known == uses_.end() ? std::make_shared<KeyUse>() : known->second;
    use->name = row.name;
    use->limits = row.limits;
    if (row.revoked.empty()) found_.push_back({front_of(row.digest), row.digest, use});
    next.emplace(row.name, std::move(use));
  }
  for (auto& [name, use] : uses_) {
    if (use->in_flight > 0) next.emplace(name, std::move(use));
  }
  uses_.swap(next);
  std::ranges::sort(found_, {}, &Found::front);
  state_ = State::Asked;
}

void GatewayKeys::lock() {
  if (state_ == State::Open) state_ = State::Locked;
}

void GatewayKeys::unlock() {
  if (state_ == State::Locked) state_ = State::Open;
}

std::shared_ptr<KeyUse> GatewayKeys::find(std::string_view key) const {
  if (key.empty() || key.size() > kMostKey) return nullptr;
  const Sha256 digest = sha256_digest(key);
  const auto [begin, end] = std::ranges::equal_range(found_, front_of(digest), {}, &Found::front);
  for (auto at = begin; at != end; ++at) {
    if (same(at->digest, digest)) return at->use;
  }
  return nullptr;
}

}  // namespace sx
