// The document `sextant.diagnose/1`: always English, numbers of the log under `facts`.
#include <boost/json.hpp>

#include "base/strings.h"
#include "cli/diagnose_answer.h"
#include "cli/diagnose_beside.h"
#include "diag/json_parts.h"
#include "text/printable_json.h"

namespace sx {
namespace {

namespace json = boost::json;

json::object line_of(const LogPlace& place, const RunLog& run) {
  json::object out;
  const auto file = static_cast<std::size_t>(place.file);
  out["file"] = json_text(file < run.files.size() ? run.files[file].name : "");
  out["number"] = place.line;
  out["column"] = place.column;
  out["text"] = json_text(place.text);
  out["process"] =
      place.process.empty() ? json::value(nullptr) : json::value(json_text(place.process));
  out["rank"] = place.rank < 0 ? json::value(nullptr) : json::value(place.rank);
  if (!place.stamp.empty()) out["time"] = json_text(place.stamp);
  return out;
}

json::object facts_of(const LogEvent& event) {
  json::object out;
  for (const auto& [name, value] : event.captures) {
    const std::string digits = replaced(value, ",", "");
    if (const auto whole = to_integer(digits)) {
      out[name] = *whole;
    } else if (const auto number = to_number(digits)) {
      out[name] = *number;
    } else {
      out[name] = json_text(value);
    }
  }
  return out;
}

std::string_view safety_word(Safety safety) {
  switch (safety) {
    case Safety::Safe:
      return "safe";
    case Safety::ChangesBehaviour:
      return "changes-behaviour";
    case Safety::Trades:
      return "trades";
  }
  return "changes-behaviour";
}

json::array fixes_of(const CauseAnswer& cause) {
  json::array out;
  for (const Fix& fix : cause.fixes)
    out.push_back(json::object{{"title", json_text(fix.title)},
                               {"command", json_text(fix.command)},
                               {"safety", safety_word(fix.safety)}});
  if (out.empty() && !cause.steps.empty())
    out.push_back(json::object{
        {"title", json_text(cause.steps.english)}, {"command", nullptr}, {"safety", nullptr}});
  return out;
}

json::object cause_of(const CauseAnswer& cause, const RunLog& run) {
  json::object out;
  out["code"] = json_text(cause.code);
  out["name"] = json_text(cause.found.name);
  out["confidence"] = word(cause.found.certainty);
  out["title"] = json_text(cause.title.english);
  out["because"] = json_text(cause.because.english);
  out["otherwise"] = json_text(cause.otherwise.english);
  out["line"] = line_of(cause.found.root.place, run);
  json::array evidence;
  for (const LogEvent& event : cause.found.evidence) evidence.push_back(line_of(event.place, run));
  out["evidence"] = std::move(evidence);
  out["echoes"] = cause.found.echoes;
  json::array ranks;
  for (const int rank : cause.found.ranks) ranks.push_back(rank);
  out["ranks"] = std::move(ranks);
  out["earlier"] = cause.found.earlier;
  out["facts"] = facts_of(cause.found.root);
  out["confirm"] = json_text(cause.sure.english);
  out["fixes"] = fixes_of(cause);
  out["explain"] = json_text("sextant explain " +
                             std::string(cause.code.empty() ? cause.found.name : cause.code));
  return out;
}

json::array timeline_of(const RunLog& run) {
  json::array out;
  for (const StageEvent& stage : run.stages) {
    json::object entry;
    entry["t"] = stage.place.stamp.empty() ? json::value(nullptr)
                                           : json::value(json_text(stage.place.stamp));
    entry["process"] = stage.place.process.empty() ? json::value(nullptr)
                                                   : json::value(json_text(stage.place.process));
    entry["event"] = json_text(stage.event);
    entry["phase"] = word(stage.phase);
    entry["line"] = stage.place.line;
    out.push_back(std::move(entry));
  }
  return out;
}

json::object next_of(const NextSteps& next) {
  json::array collect;
  for (const NextSteps::Item& item : next.collect)
    collect.push_back(
        json::object{{"what", json_text(item.what.english)}, {"command", json_text(item.command)}});
  return {
      {"here", json_text(next.here.english)},
      {"next", json_text(next.next.english)},
      {"collect", std::move(collect)},
      {"again", next.again.empty() ? json::value(nullptr) : json::value(json_text(next.again))}};
}

}  // namespace

std::string diagnose_json(const DiagnoseAnswer& answer) {
  const RunLog& run = answer.run;
  json::object out;
  out["schema"] = "sextant.diagnose/1";
  out["tool"] = json::object{{"name", "sextant"}, {"version", SEXTANT_VERSION}};
  out["engine"] =
      json::object{{"name", json_text(run.engine)}, {"version", json_text(run.version)}};
  out["phase"] = word(run.phase);
  json::array causes;
  for (const CauseAnswer& cause : answer.causes) causes.push_back(cause_of(cause, run));
  out["causes"] = std::move(causes);
  out["healthy"] = answer.healthy;
  out["timeline"] = timeline_of(run);
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  json::array cut;
  for (const LogFile& file : run.files) {
    lines += file.lines;
    bytes += file.bytes;
    if (file.cut_lines > 0)
      cut.push_back(json::object{{"file", json_text(file.name)}, {"lines", file.cut_lines}});
  }
  add_beside_json(out, answer.beside, answer.host ? &*answer.host : nullptr);
  json::array notes;
  for (const BesideNote& note : answer.notes) {
    json::object one{{"topic", note.topic}, {"text", json_text(note.said.english)}};
    if (note.at.line > 0) {
      const auto file = static_cast<std::size_t>(note.at.file);
      one["file"] = json_text(file < run.files.size() ? run.files[file].name : "");
      one["line"] = note.at.line;
    }
    if (!note.command.empty()) one["command"] = json_text(note.command);
    notes.push_back(std::move(one));
  }
  if (!notes.empty()) out["beside"] = std::move(notes);
  out["lines"] = lines;
  out["bytes"] = bytes;
  if (!cut.empty()) out["cut"] = std::move(cut);
  if (answer.all) {
    json::array harmless;
    for (const Harmless& one : harmless_of(answer)) {
      json::object entry = line_of(one.event->place, run);
      entry["signature"] = json_text(one.event->row->id);
      entry["count"] = one.count;
      harmless.push_back(std::move(entry));
    }
    out["harmless"] = std::move(harmless);
  }
  if (answer.causes.empty() && !run.files.empty() && run.files.front().last.line > 0)
    out["last_event"] = line_of(run.files.front().last, run);
  if (answer.next) out["next"] = next_of(*answer.next);
  return printable_json(json::serialize(out)) + "\n";
}

}  // namespace sx
