// Keepers are known by their command line, which no damaged file can hide.
#include "run/left_behind.h"

#include <unistd.h>

#include <boost/json.hpp>
#include <csignal>

#include "run/aftermath.h"
#include "run/json_fields.h"
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

std::string mark_of(const ReplicaFiles& files) {
  const auto text = real_files().read(files.spec(), kMostRecord);
  const auto spec = text ? read_spec(*text) : Result<KeeperSpec>(std::unexpected(text.error()));
  return spec ? spec->mark : "";
}

}  // namespace

std::optional<KeeperRecord> left_behind(const ReplicaFiles& files) {
  auto told = told_by_keeper(files);
  return told ? told : read_back(real_files().read(files.keeper(), kMostRecord));
}

bool end_left_behind(const ReplicaFiles& files) {
  const auto record = left_behind(files);
  bool any = record && send_signal(record->keeper, SIGKILL);
  for (const ProcessIdentity& keeper : processes_called("keeper", files.folder))
    any = send_signal(keeper, SIGKILL) || any;
  for (const std::string& mark : {record ? record->mark : "", mark_of(files)}) {
    if (mark.empty()) continue;
    any = see_released({.mark = mark, .host = ""}).ended > 0 || any;
  }
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
