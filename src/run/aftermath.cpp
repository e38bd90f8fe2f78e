// `diagnose` runs as a program of its own: whatever a log holds, the daemon's memory stays small.
#include "run/aftermath.h"

#include <algorithm>
#include <boost/json.hpp>
#include <csignal>
#include <thread>

#include "knowledge/again.h"
#include "knowledge/causes.h"
#include "run/free_ports.h"
#include "sys/child_program.h"
#include "sys/save_file.h"

namespace sx {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr milliseconds kPause{50};
constexpr std::size_t kMostReport = std::size_t{4} << 20U;

std::string text_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

CauseFound::Again again_word(AgainRow::Again again) {
  switch (again) {
    case AgainRow::Again::Never:
      return CauseFound::Again::Never;
    case AgainRow::Again::AfterRelease:
      return CauseFound::Again::AfterRelease;
    default:
      return CauseFound::Again::Maybe;
  }
}

}  // namespace

namespace {

CauseFound diagnosed(const CauseAsk& ask) {
  CauseFound found{.of = ask.of, .name = "", .code = "", .title = "", .again = {}, .report = ""};
  ChildAsk child{.words = {ask.program, "diagnose", "--format", "json"}};
  if (ask.still_runs > 0) {
    child.words.push_back("--pid");
    child.words.push_back(std::to_string(ask.still_runs));
  }
  child.words.push_back(ask.files.log());
  if (!ask.words.empty()) {
    child.words.emplace_back("--");
    child.words.insert(child.words.end(), ask.words.begin(), ask.words.end());
  }
  child.limit = ask.limit;
  child.most_bytes = kMostReport;
  const auto answer = run_child_program(child);
  if (!answer || answer->timed_out || answer->cut) return found;
  json::error_code error;
  const json::value value = json::parse(answer->out, error);
  if (error || !value.is_object()) return found;
  if (save_file(ask.report, answer->out)) found.report = ask.report;
  const auto* causes = value.get_object().if_contains("causes");
  if (causes == nullptr || !causes->is_array() || causes->get_array().empty()) return found;
  const json::value& first = causes->get_array().front();
  if (!first.is_object()) return found;
  found.name = text_in(first.get_object(), "name");
  found.code = text_in(first.get_object(), "code");
  found.title = text_in(first.get_object(), "title");
  const AgainRow row = again_after(found.name);
  found.of_layout = row.other_layout;
  // What is only possible must not keep a deployment down.
  const bool sure = text_in(first.get_object(), "confidence") != "possible";
  found.again = sure ? again_word(row.again) : CauseFound::Again::Maybe;
  return found;
}

// The log is silent about it: how it ended is all that is known.
void name_the_end(CauseFound& found, const CauseAsk& ask) {
  constexpr std::string_view kDied = "process-died";
  const CauseRow* row = find_cause(kDied);
  if (!found.name.empty() || row == nullptr || ask.still_runs > 0) return;
  found.name = kDied;
  found.code = row->code;
  found.title = ask.signal ? "ended by signal " + std::to_string(*ask.signal)
                : ask.code ? "ended with exit code " + std::to_string(*ask.code)
                           : "ended together with its keeper";
}

}  // namespace

CauseFound find_cause(const CauseAsk& ask) {
  CauseFound found = diagnosed(ask);
  name_the_end(found, ask);
  return found;
}

ReleaseTold see_released(const ReleaseAsk& ask) {
  ReleaseTold told;
  const auto until = std::chrono::steady_clock::now() + ask.limit;
  while (true) {
    const auto left = ask.mark.empty() ? std::vector<ProcessIdentity>{}
                                       : processes_marked(kMarkVariable, ask.mark);
    told.ended = std::max(told.ended, static_cast<int>(left.size()));
    for (const ProcessIdentity& process : left) send_signal(process, SIGKILL);
    told.port_taken = ask.port > 0 && !port_is_free(ask.host, ask.port);
    told.clean = left.empty() && !told.port_taken;
    if (told.clean || std::chrono::steady_clock::now() >= until) return told;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace sx
