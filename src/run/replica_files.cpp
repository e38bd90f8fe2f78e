// The records of a replica's folder as JSON.
#include "run/replica_files.h"

#include <boost/json.hpp>
#include <limits>

#include "run/deployment_json.h"
#include "run/json_fields.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();
constexpr std::size_t kMostFamily = 65536;
constexpr std::int64_t kMostStarts = 1'000'000'000;  // counted on from, so not the last there is

void put(json::object& object, Attempt of) {
  object["replica"] = of.replica;
  object["start"] = of.start;
}

Attempt attempt(JsonFields& fields) {
  return {.replica = static_cast<int>(fields.number("replica", 0, kMostInt)),
          .start = static_cast<int>(fields.number("start", 0, kMostStarts))};
}

json::object identity_json(const ProcessIdentity& process) {
  return {{"pid", process.pid}, {"start_ticks", process.start_ticks}};
}

std::optional<ProcessIdentity> identity_in(const json::object& object, std::string_view name) {
  JsonFields inner(object, name);
  ProcessIdentity process{
      .pid = static_cast<pid_t>(inner.number("pid", 1, kMostInt)),
      .start_ticks = static_cast<std::uint64_t>(inner.number("start_ticks", 0, kMost))};
  if (!inner.error()) return std::nullopt;
  return process;
}

ProcessIdentity identity(JsonFields& fields, std::string_view name) {
  const auto* object = fields.object(name);
  if (object == nullptr) return {};
  const auto process = identity_in(*object, name);
  if (!process) fields.wrong(name);
  return process.value_or(ProcessIdentity{});
}

std::vector<ProcessIdentity> family(JsonFields& fields) {
  std::vector<ProcessIdentity> all;
  const auto* array = fields.array("family", kMostFamily);
  if (array == nullptr) return all;
  for (const json::value& one : *array) {
    const auto process = one.is_object() ? identity_in(one.get_object(), "family") : std::nullopt;
    if (process) {
      all.push_back(*process);
    } else {
      fields.wrong("family");
    }
  }
  return all;
}

}  // namespace

std::string spec_json(const KeeperSpec& spec) {
  json::object object{{"mark", spec.mark},
                      {"launch", launch_json(spec.launch)},
                      {"log_file_bytes", spec.log.file_bytes},
                      {"log_files", spec.log.files},
                      {"group", spec.group}};
  put(object, spec.of);
  return json::serialize(object);
}

Result<KeeperSpec> read_spec(std::string_view text) {
  SX_TRY(const auto object, json_object(text, "spec.json"));
  JsonFields fields(object, "spec.json");
  KeeperSpec spec;
  spec.of = attempt(fields);
  spec.mark = fields.text("mark");
  spec.log.file_bytes = fields.number("log_file_bytes", 1, kMost);
  spec.log.files = static_cast<int>(fields.number("log_files", 1, 100));
  spec.group = fields.text_or("group", "");
  const auto* launch = object.if_contains("launch");
  if (launch == nullptr) fields.wrong("launch");
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  SX_TRY(spec.launch, read_launch(*launch));
  return spec;
}

std::string record_json(const KeeperRecord& record) {
  json::array family;
  for (const ProcessIdentity& process : record.family) family.push_back(identity_json(process));
  json::object object{{"mark", record.mark},
                      {"keeper", identity_json(record.keeper)},
                      {"engine", identity_json(record.engine)},
                      {"group", record.group},
                      {"family", std::move(family)}};
  put(object, record.of);
  return json::serialize(object);
}

Result<KeeperRecord> read_record(std::string_view text) {
  SX_TRY(const auto object, json_object(text, "keeper.json"));
  JsonFields fields(object, "keeper.json");
  KeeperRecord record;
  record.of = attempt(fields);
  record.mark = fields.text("mark");
  record.keeper = identity(fields, "keeper");
  record.engine = identity(fields, "engine");
  record.group = fields.text_or("group", "");
  if (object.contains("family")) record.family = family(fields);
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return record;
}

std::string exit_json(const ExitRecord& record) {
  json::object object{
      {"asked", record.asked}, {"killed", record.killed},          {"swept", record.swept},
      {"error", record.error}, {"error_zh", record.error_chinese}, {"absent", record.absent}};
  put(object, record.of);
  if (record.code) object["code"] = *record.code;
  if (record.signal) object["signal"] = *record.signal;
  if (record.oom_kills.count) object["oom_kills"] = *record.oom_kills.count;
  if (record.oom_kills.of_others) object["oom_kills_of_others"] = true;
  return json::serialize(object);
}

Result<ExitRecord> read_exit(std::string_view text) {
  SX_TRY(const auto object, json_object(text, "exit.json"));
  JsonFields fields(object, "exit.json");
  ExitRecord record;
  record.of = attempt(fields);
  if (const auto code = fields.number_if("code", 0, 255)) record.code = static_cast<int>(*code);
  if (const auto signal = fields.number_if("signal", 1, 255))
    record.signal = static_cast<int>(*signal);
  record.asked = fields.truth_or("asked", false);
  record.killed = fields.truth_or("killed", false);
  record.swept = static_cast<int>(fields.number_or("swept", 0, kMostInt, 0));
  record.error = fields.text_or("error", "");
  record.error_chinese = fields.text_or("error_zh", "");
  record.absent = fields.truth_or("absent", false);
  if (const auto kills = fields.number_if("oom_kills", 0, kMostInt))
    record.oom_kills.count = static_cast<int>(*kills);
  record.oom_kills.of_others = fields.truth_or("oom_kills_of_others", false);
  if (auto good = fields.error(); !good) return std::unexpected(good.error());
  return record;
}

}  // namespace sx
