// sextant.learn/1.
#include <boost/json.hpp>

#include "base/utf8.h"
#include "cli/learn_answer.h"
#include "text/printable_json.h"

namespace sx {
namespace {

namespace json = boost::json;

json::value place_of(const Learned& learned, const MemoryReading* reading) {
  if (reading == nullptr) return nullptr;
  const auto file = static_cast<std::size_t>(reading->file);
  return json::object{{"file", file < learned.names.size() ? learned.names[file] : ""},
                      {"number", reading->line},
                      {"text", reading->text},
                      {"process", reading->process.name}};
}

json::value number(const std::optional<double>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::value bytes(const std::optional<Bytes>& value) {
  return value ? json::value(value->count()) : json::value(nullptr);
}

std::optional<double> real(const std::optional<Bytes>& value) {
  return value ? std::optional(static_cast<double>(value->count())) : std::nullopt;
}

json::object count_json(const Learned& learned, const ComparedCount& count) {
  return {{"predicted", number(count.predicted)},
          {"real", number(count.real)},
          {"over_percent", number(percent_over(count.predicted, count.real))},
          {"line", place_of(learned, count.reading)}};
}

}  // namespace

std::string learn_json(const Learned& learned) {
  json::array lines;
  for (const ComparedLine& line : learned.lines) {
    lines.push_back({{"gpu", line.gpu},
                     {"name", json::string(line.name)},
                     {"predicted", bytes(line.predicted)},
                     {"real", bytes(line.real)},
                     {"over_percent", number(percent_over(real(line.predicted), real(line.real)))},
                     {"line", place_of(learned, line.reading)}});
  }
  json::array readings;
  for (const MemoryReading& reading : learned.log.readings) {
    readings.push_back({{"name", json::string(reading.name)},
                        {"value", reading.value},
                        {"device", reading.device},
                        {"line", place_of(learned, &reading)}});
  }
  json::object answer{{"schema", "sextant.learn/1"},
                      {"tool", {{"name", "sextant"}, {"version", SEXTANT_VERSION}}},
                      {"engine", {{"name", learned.engine}, {"version", learned.version}}},
                      {"command", learned.command},
                      {"command_from", learned.command.empty() ? ""
                                       : learned.from_log      ? "log"
                                                               : "given"},
                      {"left_out", json::array(learned.left_out.begin(), learned.left_out.end())},
                      {"lines", std::move(lines)},
                      {"kv_tokens", count_json(learned, learned.kv_tokens)},
                      {"max_concurrency", count_json(learned, learned.max_concurrency)},
                      {"readings", std::move(readings)},
                      {"log_lines", learned.log.lines},
                      {"starts", learned.log.starts},
                      {"damaged", json::array(learned.damaged.begin(), learned.damaged.end())},
                      {"readings_left_out", learned.log.cut},
                      {"stored", learned.stored}};
  if (!learned.no_prediction.empty())
    answer["no_prediction"] = rendered(learned.no_prediction, Language::English);
  if (!learned.not_stored.empty()) answer["not_stored"] = learned.not_stored.english;
  return printable_json(valid_utf8(json::serialize(answer))) + '\n';
}

}  // namespace sx
