// Keepers are known by their command line, which no damaged file can hide.
#include "run/left_behind.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <csignal>

#include "run/aftermath.h"
#include "run/json_fields.h"
#include "run/keeper_container.h"
#include "run/keeper_talk.h"
#include "sys/files.h"
#include "sys/process_identity.h"

namespace sx {
namespace {

constexpr Bytes kMostRecord = mib(16);  // a specification holds a whole environment

std::optional<KeeperRecord> read_back(const Result<std::string>& text) {
  if (!text) return std::nullopt;
  auto record = read_record(*text);
  if (!record) return std::nullopt;
  return std::move(*record);
}

std::optional<KeeperRecord> told_by_keeper(const ReplicaFiles& files) {
  const auto answer = ask_keeper(files.socket(), {.does = KeeperRequest::Does::Status});
  if (!answer) return std::nullopt;
  const auto object = json_object(*answer, "the keeper's answer");
  const auto* record = object ? object->if_contains("record") : nullptr;
  if (record == nullptr) return std::nullopt;
  return read_back(boost::json::serialize(*record));
}

std::optional<KeeperSpec> spec_in(const ReplicaFiles& files) {
  const auto text = real_files().read(files.spec(), kMostRecord);
  if (!text) return std::nullopt;
  auto spec = read_spec(*text);
  if (!spec) return std::nullopt;
  return std::move(*spec);
}

ReleaseAsk specified(const std::optional<KeeperSpec>& spec) {
  if (!spec) return {};
  return {.mark = spec->mark, .group = spec->group, .family = {}, .host = ""};
}

ReleaseAsk recorded(const KeeperRecord& record) {
  return {.mark = record.mark, .group = record.group, .family = record.family, .host = ""};
}

}  // namespace

bool is_own_folder(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

std::optional<KeeperRecord> left_behind(const ReplicaFiles& files) {
  auto told = told_by_keeper(files);
  return told ? told : read_back(real_files().read(files.keeper(), kMostRecord));
}

EngineLaunch launch_in(const ReplicaFiles& files) {
  auto spec = spec_in(files);
  return spec ? std::move(spec->launch) : EngineLaunch{};
}

ReleaseAsk with_family(ReleaseAsk ask, Attempt of, const ReplicaFiles& files) {
  const auto record = read_back(real_files().read(files.keeper(), kMostRecord));
  if (record && record->of == of && record->mark == ask.mark) ask.family = record->family;
  return ask;
}

bool end_left_behind(const ReplicaFiles& files) {
  const bool own = is_own_folder(files.folder);
  const auto record = own ? left_behind(files) : std::nullopt;
  bool any = record && send_signal(record->keeper, SIGKILL);
  for (const ProcessIdentity& keeper : processes_called("keeper", files.folder))
    any = send_signal(keeper, SIGKILL) || any;
  if (!own) return any;
  for (const ReleaseAsk& traces :
       {record ? recorded(*record) : ReleaseAsk{}, specified(spec_in(files))}) {
    if (traces.mark.empty()) continue;
    any = see_released(traces).ended > 0 || any;
  }
  any = remove_containers_of(launch_in(files), files.folder) || any;
  for (const std::string& path : {files.keeper(), files.ending(), files.spec(), files.socket()})
    ::unlink(path.c_str());
  return any;
}

bool end_all_left_behind(const std::string& folder) {
  bool any = false;
  const std::string above = folder + "/replicas";
  const auto names = real_files().list(above);
  for (const std::string& name : names ? *names : std::vector<std::string>{})
    any = end_left_behind(ReplicaFiles(above + '/' + name)) || any;
  for (const ProcessIdentity& relay : processes_called("relay", folder))
    any = send_signal(relay, SIGTERM) || any;
  return any;
}

}  // namespace sx
