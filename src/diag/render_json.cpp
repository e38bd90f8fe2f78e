// The document `sextant.check/1`, and its findings one a line. Boost.JSON escapes and prints.
#include <boost/json.hpp>
#include <cmath>

#include "base/check.h"
#include "base/utf8.h"
#include "diag/fingerprint.h"
#include "diag/json_parts.h"
#include "diag/render.h"
#include "text/printable_json.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr Language kEnglish = Language::English;

// Each byte that is no UTF-8 becomes one byte, so that places in the text stay what they are.
json::string same_length(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    valid += point.valid ? text.substr(0, point.length) : std::string_view("?");
    text.remove_prefix(point.length);
  }
  return json::string(valid.data(), valid.size());
}

json::string name_of(const Source& source) {
  return json_text(source.kind == SourceKind::File ? source.name : source_name(source, kEnglish));
}

json::array sources_of(const Sources& sources) {
  json::array out;
  int id = 0;
  for (const Source& source : sources.all()) {
    json::object entry;
    entry["id"] = id++;
    entry["name"] = name_of(source);
    if (!source.uri.empty()) entry["uri"] = json_text(source.uri);
    if (source.kind != SourceKind::File) entry["text"] = same_length(source.text);
    out.push_back(std::move(entry));
  }
  return out;
}

// What is known of one launch apart from its findings: at the top of the document when it is the
// only one.
void put_answer(json::object& out, const LaunchAnswer& answer) {
  json::array assumptions;
  for (const Message& assumption : answer.asked.assumptions)
    assumptions.push_back(json_text(assumption));
  out["engine"] = json::object{{"name", json_text(answer.asked.engine)},
                               {"version", json_text(answer.asked.version)},
                               {"version_from", json_text(answer.asked.version_from)}};
  if (answer.asked.translated.recognised_only) out["engine"].as_object()["checked"] = "recognised";
  for (const Message& said : answer.asked.translated.said) assumptions.push_back(json_text(said));
  out["assumptions"] = std::move(assumptions);
  if (!answer.asked.translated.command.empty())
    out["translated"] = json_text(answer.asked.translated.command);
  if (!answer.outcome.combined.command.empty()) {
    out["combined"] = json_text(answer.outcome.combined.command);
  }
  if (!answer.budget_json.empty()) {
    boost::system::error_code error;
    json::value budget = json::parse(answer.budget_json, error);
    SX_ASSERT(!error);  // made by us
    out["budget"] = std::move(budget);
  }
  if (answer.kv_tokens < 0) return;
  out["kv_tokens"] = answer.kv_tokens;
  if (std::isfinite(answer.max_concurrency)) out["max_concurrency"] = answer.max_concurrency;
}

json::array launches_of(const std::vector<LaunchAnswer>& answers) {
  json::array out;
  for (const LaunchAnswer& answer : answers) {
    json::object launch;
    put_answer(launch, answer);
    launch["command"] = json_text(answer.asked.command);
    launch["line"] = answer.asked.line;
    out.push_back(std::move(launch));
  }
  return out;
}

json::array not_checked_of(const std::vector<LaunchAnswer>& answers) {
  json::array out;
  for (std::size_t launch = 0; launch < answers.size(); ++launch) {
    for (const NotChecked& skipped : answers[launch].outcome.not_checked) {
      json::array missing;
      for (const std::string_view need : skipped.missing) missing.push_back(json_text(need));
      out.push_back(json::object{{"code", skipped.code},
                                 {"name", skipped.name},
                                 {"missing", std::move(missing)},
                                 {"reason", json_text(skipped.reason)},
                                 {"launch", launch}});
    }
  }
  return out;
}

json::array held_back_of(const std::vector<LaunchAnswer>& answers) {
  json::array out;
  for (std::size_t launch = 0; launch < answers.size(); ++launch) {
    for (const HeldBack& held : answers[launch].outcome.held_back) {
      out.push_back(json::object{{"code", held.code}, {"until", held.until}, {"launch", launch}});
    }
  }
  return out;
}

json::array allowed_of(const std::vector<LaunchAnswer>& answers, bool several) {
  json::array out;
  for (const LaunchAnswer& answer : answers) {
    for (const Allowed& allowed : answer.outcome.allowed) {
      const Diagnostic& d = allowed.diagnostic;
      out.push_back(json::object{{"code", d.code},
                                 {"name", d.name},
                                 {"because", json_text(allowed.because)},
                                 {"title", json_text(d.title)},
                                 {"fingerprint", json_text(fingerprint(d, several))},
                                 {"launch", d.launch}});
    }
  }
  return out;
}

json::array unused_allowances_of(const std::vector<LaunchAnswer>& answers) {
  json::array out;
  for (const LaunchAnswer& answer : answers) {
    for (const std::string& code : answer.outcome.unused_allowances) out.push_back(json_text(code));
  }
  return out;
}

json::object summary_of(const std::vector<LaunchAnswer>& answers) {
  int counts[3] = {};
  int checked = 0;
  std::size_t not_checked = 0;
  for (const LaunchAnswer& answer : answers) {
    for (const Diagnostic& diagnostic : answer.outcome.diagnostics) {
      ++counts[static_cast<std::size_t>(diagnostic.severity)];
    }
    checked += answer.outcome.checked;
    not_checked += answer.outcome.not_checked.size();
  }
  return {{"errors", counts[0]},
          {"warnings", counts[1]},
          {"advice", counts[2]},
          {"checked", checked},
          {"not_checked", not_checked}};
}

}  // namespace

std::string render_json(const std::vector<LaunchAnswer>& answers, const Sources& sources,
                        std::string_view tool_version) {
  const bool several = answers.size() > 1;
  json::array diagnostics;
  for (std::size_t launch = 0; launch < answers.size(); ++launch) {
    for (const Diagnostic& diagnostic : answers[launch].outcome.diagnostics) {
      diagnostics.push_back(json_finding(diagnostic, sources, static_cast<int>(launch), several));
    }
  }
  json::object out{
      {"schema", "sextant.check/1"},
      {"tool", json::object{{"name", "sextant"}, {"version", json_text(tool_version)}}}};
  if (answers.size() == 1) put_answer(out, answers.front());
  out["sources"] = sources_of(sources);
  out["diagnostics"] = std::move(diagnostics);
  out["not_checked"] = not_checked_of(answers);
  out["held_back"] = held_back_of(answers);
  out["allowed"] = allowed_of(answers, several);
  out["unused_allowances"] = unused_allowances_of(answers);
  out["launches"] = launches_of(answers);
  out["summary"] = summary_of(answers);
  return printable_json(json::serialize(out)) + "\n";
}

std::string render_json_lines(const std::vector<LaunchAnswer>& answers, const Sources& sources) {
  const bool several = answers.size() > 1;
  std::string out;
  for (std::size_t launch = 0; launch < answers.size(); ++launch) {
    for (const Diagnostic& diagnostic : answers[launch].outcome.diagnostics) {
      json::object finding = json_finding(diagnostic, sources, static_cast<int>(launch), several);
      // A line stands alone, so its places name their file.
      for (json::value& label : finding["labels"].as_array()) {
        const auto source = static_cast<int>(label.as_object()["source"].as_int64());
        label.as_object()["source_name"] = name_of(sources.at(source));
      }
      out += printable_json(json::serialize(finding)) + "\n";
    }
  }
  return out;
}

}  // namespace sx
