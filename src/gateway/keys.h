// The keys that the gateway knows, and what each uses: found by digest, kept over a new file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http_head.h"
#include "gateway/key_limits.h"

namespace sx {

// The key that a request carries: `Authorization: Bearer …`, or `x-api-key` as Anthropic's clients
// send it. Empty: none.
std::string_view key_in(const std::vector<HeadField>& fields);

class GatewayKeys {
 public:
  // Open: nobody is asked. Locked: keys are wanted and their file has not been readable yet, so
  // nobody gets in. Asked: one of the table.
  enum class State { Open, Locked, Asked };

  // The whole table; rows that are revoked let nobody in. What a name has used stays with it.
  void set(const std::vector<KeyRow>& rows);
  void lock();    // from Open
  void unlock();  // from Locked: it is known now that no keys are wanted
  State state() const { return state_; }
  // Null: nobody's key.
  std::shared_ptr<KeyUse> find(std::string_view key) const;
  // By name: those of the table, and others while requests of theirs are in flight.
  const std::map<std::string, std::shared_ptr<KeyUse>>& uses() const { return uses_; }
  std::size_t good() const { return found_.size(); }  // keys that let somebody in

 private:
  struct Found {
    std::uint64_t front = 0;  // of the digest: what is searched for
    Sha256 digest{};
    std::shared_ptr<KeyUse> use;  // shared: see KeyUse
  };
  State state_ = State::Open;
  std::vector<Found> found_;  // by `front`
  std::map<std::string, std::shared_ptr<KeyUse>> uses_;
};

}  // namespace sx
