// The same as data: everything that was read, by rank.
#include <algorithm>

#include "cli/diagnose_beside.h"
#include "cli/rank_gpus.h"
#include "diag/json_parts.h"
#include "knowledge/xids.h"
#include "logs/flight_verdict.h"
#include "logs/nccl_verdict.h"
#include "logs/waits.h"

namespace sx {
namespace {

namespace json = boost::json;

json::array numbers(const std::vector<int>& list) {
  json::array out;
  for (const int one : list) out.push_back(one);
  return out;
}

json::value rank_or_null(int rank) { return rank < 0 ? json::value(nullptr) : json::value(rank); }

json::object nccl_json(const NcclLog& log, const HostSpec* host) {
  json::array groups;
  for (const NcclVerdict& verdict : verdicts_of(log)) {
    json::array ways;
    for (const NcclWay& way : verdict.ways) {
      json::array pairs;
      for (const auto& [a, b] : way.pairs) pairs.push_back(json::array{a, b});
      ways.push_back(json::object{{"how", json_text(way.how)}, {"pairs", std::move(pairs)}});
    }
    json::array ranks;
    for (const NcclRank& rank : verdict.group->ranks) {
      const Gpu* const gpu = gpu_at(host, rank.bus);
      ranks.push_back(
          json::object{{"rank", rank.rank},
                       {"process", json_text(rank.process)},
                       {"bus", json_text(rank.bus)},
                       {"gpu", gpu == nullptr ? json::value(nullptr) : json::value(gpu->index)},
                       {"joined", rank.completed}});
    }
    groups.push_back(json::object{{"size", verdict.group->size},
                                  {"joined", verdict.joined},
                                  {"unfinished", numbers(verdict.unfinished)},
                                  {"absent", numbers(verdict.absent)},
                                  {"ways", std::move(ways)},
                                  {"ranks", std::move(ranks)}});
  }
  json::object environment;
  for (const auto& [name, value] : log.settings) environment[json_text(name)] = json_text(value);
  return {{"version", json_text(log.version)},
          {"network", json_text(log.network)},
          {"groups", std::move(groups)},
          {"environment", std::move(environment)}};
}

json::array stacks_json(const Waits& waits) {
  json::array out;
  for (std::size_t i = 0; i < waits.all.size(); ++i) {
    const Wait& wait = waits.all[i];
    const int rank = wait.process->rank;
    json::object values;
    for (const auto& [name, value] : wait.frame->values) values[json_text(name)] = json_text(value);
    out.push_back(json::object{
        {"rank", rank_or_null(rank)},
        {"pid", wait.process->pid},
        {"waits", wait.row == nullptr ? json::value(nullptr)
                                      : json::value(json_text(wait.row->said.english))},
        {"function", json_text(wait.frame->name)},
        {"where", json_text(wait.frame->where)},
        {"line", wait.frame->at.line},
        {"values", std::move(values)},
        {"behind", std::ranges::find(waits.behind, i) != waits.behind.end()}});
  }
  return out;
}

json::array calls_json(const std::vector<FlightCall>& calls) {
  json::array out;
  for (const FlightCall& call : calls)
    out.push_back(json::object{{"rank", rank_or_null(call.dump->rank)},
                               {"file", json_text(call.dump->name)},
                               {"operation", json_text(call.entry->operation)},
                               {"sizes", json_text(call.entry->sizes)},
                               {"dtype", json_text(call.entry->dtype)},
                               {"caller", json_text(call.entry->caller)},
                               {"line", call.entry->line}});
  return out;
}

json::object flights_json(const Beside& beside) {
  json::array groups;
  for (const FlightVerdict& verdict : verdicts_of(beside.flights)) {
    json::array behind;
    for (const FlightBehind& one : verdict.behind)
      behind.push_back(
          json::object{{"rank", rank_or_null(one.dump->rank)},
                       {"file", json_text(one.dump->name)},
                       {"last", one.last < 0 ? json::value(nullptr) : json::value(one.last)}});
    groups.push_back(json::object{{"group", json_text(verdict.group)},
                                  {"description", json_text(verdict.description)},
                                  {"sequence", verdict.sequence},
                                  {"waiting", calls_json(verdict.waiting)},
                                  {"behind", std::move(behind)},
                                  {"absent", numbers(verdict.absent)},
                                  {"unlike", verdict.unlike}});
  }
  json::array unread;
  for (const UnreadDump& dump : beside.unread) unread.push_back(json_text(dump.name));
  return {{"dumps", beside.flights.size()},
          {"groups", std::move(groups)},
          {"unread", std::move(unread)}};
}

}  // namespace

void add_beside_json(json::object& document, const Beside& beside, const HostSpec* host) {
  if (beside.nccl.any()) document["nccl"] = nccl_json(beside.nccl, host);
  if (!beside.collectives.empty()) {
    const CollectiveVerdict verdict = verdict_of(beside.collectives, beside.nccl);
    document["collectives"] = json::object{{"waiting", numbers(verdict.waiting)},
                                           {"behind", numbers(verdict.behind)},
                                           {"silent", numbers(verdict.silent)}};
  }
  if (!beside.flights.empty() || !beside.unread.empty())
    document["flight_recorder"] = flights_json(beside);
  if (!beside.kernel.empty()) {
    json::array events;
    for (const KernelNote& note : beside.kernel) {
      const XidRow* const row =
          note.event.kind == KernelEvent::Kind::Xid ? find_xid(note.event.code) : nullptr;
      events.push_back(json::object{
          {"text", json_text(note.event.text)},
          {"xid", row == nullptr ? json::value(nullptr) : json::value(note.event.code)},
          {"pci", json_text(note.event.pci)},
          {"process", json_text(note.event.process)},
          {"times", note.event.times},
          {"action", json_text(row == nullptr ? "" : row->action)},
          {"line", note.at.line}});
    }
    document["kernel"] = std::move(events);
  }
  if (!beside.stacks.processes.empty()) document["stacks"] = stacks_json(waits_of(beside.stacks));
}

}  // namespace sx
