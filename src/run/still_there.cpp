// Keepers are not asked: one that stands still must not hold up the answer.
#include "run/still_there.h"

#include <algorithm>
#include <charconv>

#include "run/free_ports.h"
#include "run/left_behind.h"
#include "sys/files.h"

namespace sx {
namespace {

constexpr Bytes kMostRecord = mib(16);
constexpr std::size_t kMostReplicas = 1024;  // that are looked at

std::optional<int> number_in(const std::string& name) {
  int number = -1;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool all = read.ec == std::errc() && read.ptr == name.data() + name.size();
  return all && number >= 0 ? std::optional(number) : std::nullopt;
}

std::optional<StillThere::Replica> replica_in(const ReplicaFiles& files, int number) {
  const auto text = is_own_folder(files.folder) ? real_files().read(files.keeper(), kMostRecord)
                                                : Result<std::string>(std::string());
  const auto record = text ? read_record(*text) : Result<KeeperRecord>(KeeperRecord{});
  if (!record || !runs(record->engine)) return std::nullopt;
  StillThere::Replica replica{
      .number = number, .engine = record->engine, .keeper = {}, .launch = {}};
  if (runs(record->keeper)) replica.keeper = record->keeper;
  replica.launch = launch_in(files);
  replica.listens =
      replica.launch.port > 0 && !port_is_free(replica.launch.host, replica.launch.port);
  return replica;
}

}  // namespace

StillThere still_there(const StateFolder& folder) {
  StillThere there;
  const bool own = is_own_folder(folder.path) && is_own_folder(folder.replicas());
  const auto names = own ? real_files().list(folder.replicas())
                         : Result<std::vector<std::string>>(std::vector<std::string>());
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const auto number = number_in(name);
    if (!number || there.replicas.size() >= kMostReplicas) continue;
    if (auto replica = replica_in(folder.replica(*number), *number))
      there.replicas.push_back(std::move(*replica));
  }
  std::ranges::sort(there.replicas, {}, &StillThere::Replica::number);
  const auto relays = processes_called("relay", folder.path);
  if (!relays.empty()) there.gateway = relays.front();
  return there;
}

}  // namespace sx
