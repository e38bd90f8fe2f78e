// The document `sextant.check/1`. Boost.JSON escapes and prints; what goes in is made valid UTF-8
// here.
#include <boost/json.hpp>
#include <cmath>

#include "base/check.h"
#include "base/utf8.h"
#include "diag/excerpt.h"
#include "diag/finding_text.h"
#include "diag/fingerprint.h"
#include "diag/render.h"
#include "text/printable_json.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr Language kEnglish = Language::English;

json::string utf8(std::string_view text) {
  const std::string valid = valid_utf8(text);
  return json::string(valid.data(), valid.size());
}

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

json::string said(const Message& message) { return utf8(rendered(message, kEnglish)); }

struct Typed {
  json::value operator()(std::int64_t number) const { return number; }
  json::value operator()(double number) const {
    return std::isfinite(number) ? json::value(number) : json::value(nullptr);
  }
  json::value operator()(const std::string& text) const { return utf8(text); }
  json::value operator()(Bytes bytes) const { return bytes.count(); }
  json::value operator()(Tokens tokens) const { return tokens.count(); }
  json::value operator()(Text text) const { return utf8(text.in(kEnglish)); }
  json::value operator()(const Both& words) const { return utf8(words.english); }
};

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Advice:
      return "advice";
  }
  return "error";
}

std::string_view word(Confidence confidence) {
  switch (confidence) {
    case Confidence::Certain:
      return "certain";
    case Confidence::Computed:
      return "computed";
    case Confidence::Likely:
      return "likely";
  }
  return "certain";
}

std::string_view word(Safety safety) {
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

json::array sources_of(const Sources& sources) {
  json::array out;
  int id = 0;
  for (const Source& source : sources.all()) {
    json::object entry;
    entry["id"] = id++;
    entry["name"] =
        utf8(source.kind == SourceKind::File ? source.name : source_name(source, kEnglish));
    if (!source.uri.empty()) entry["uri"] = utf8(source.uri);
    if (source.kind != SourceKind::File) entry["text"] = same_length(source.text);
    out.push_back(std::move(entry));
  }
  return out;
}

json::array labels_of(const Diagnostic& diagnostic, const Sources& sources) {
  json::array out;
  for (const Label& label : diagnostic.labels) {
    if (!has_place(label, sources)) continue;
    const Span span = inside(label.span, sources);
    const Place place = place_of(sources.at(span.source), span.begin);
    out.push_back(json::object{{"source", span.source},
                               {"begin", span.begin},
                               {"end", span.end},
                               {"line", place.line},
                               {"column", place.column},
                               {"primary", label.primary},
                               {"text", said(label.text)}});
  }
  return out;
}

json::object fix_of(const Fix& fix) {
  json::array edits;
  for (const Edit& edit : fix.edits) {
    edits.push_back(json::object{{"source", edit.span.source},
                                 {"begin", edit.span.begin},
                                 {"end", edit.span.end},
                                 {"text", utf8(edit.text)}});
  }
  return {{"title", said(fix.title)},
          {"safety", word(fix.safety)},
          {"command", utf8(fix.command)},
          {"edits", std::move(edits)}};
}

json::object diagnostic_of(Diagnostic diagnostic, const Sources& sources, int launch,
                           bool several) {
  diagnostic.launch = launch;
  json::object arguments;
  for (const Argument& argument : diagnostic.title.arguments) {
    arguments[argument.name] = std::visit(Typed{}, argument.value);
  }
  json::array basis;
  for (const Message& message : diagnostic.basis) basis.push_back(said(message));
  json::array fixes;
  for (const Fix& fix : diagnostic.fixes) fixes.push_back(fix_of(fix));
  json::object out{{"code", diagnostic.code},
                   {"name", diagnostic.name},
                   {"severity", word(diagnostic.severity)},
                   {"confidence", word(diagnostic.confidence)},
                   {"title", said(diagnostic.title)},
                   {"arguments", std::move(arguments)},
                   {"labels", labels_of(diagnostic, sources)},
                   {"basis", std::move(basis)},
                   {"because", said(diagnostic.because)},
                   {"otherwise", said(diagnostic.otherwise)},
                   {"fixes", std::move(fixes)}};
  if (!diagnostic.no_fix.empty()) out["no_fix"] = said(diagnostic.no_fix);
  out["explain"] = explain_command(diagnostic);
  out["fingerprint"] = utf8(fingerprint(diagnostic, several));
  out["rendered"] = utf8(render_text(diagnostic, sources, Style{}));
  out["launch"] = launch;
  return out;
}

// What is known of one launch apart from its findings: at the top of the document when it is the
// only one.
void put_answer(json::object& out, const LaunchAnswer& answer) {
  json::array assumptions;
  for (const Message& assumption : answer.asked.assumptions)
    assumptions.push_back(said(assumption));
  out["engine"] = json::object{{"name", utf8(answer.asked.engine)},
                               {"version", utf8(answer.asked.version)},
                               {"version_from", utf8(answer.asked.version_from)}};
  out["assumptions"] = std::move(assumptions);
  if (!answer.outcome.combined.command.empty()) {
    out["combined"] = utf8(answer.outcome.combined.command);
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
    launch["command"] = utf8(answer.asked.command);
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
      for (const std::string_view need : skipped.missing) missing.push_back(utf8(need));
      out.push_back(json::object{{"code", skipped.code},
                                 {"name", skipped.name},
                                 {"missing", std::move(missing)},
                                 {"reason", said(skipped.reason)},
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
      diagnostics.push_back(diagnostic_of(diagnostic, sources, static_cast<int>(launch), several));
    }
  }
  json::object out{{"schema", "sextant.check/1"},
                   {"tool", json::object{{"name", "sextant"}, {"version", utf8(tool_version)}}}};
  if (answers.size() == 1) put_answer(out, answers.front());
  out["sources"] = sources_of(sources);
  out["diagnostics"] = std::move(diagnostics);
  out["not_checked"] = not_checked_of(answers);
  out["held_back"] = held_back_of(answers);
  out["launches"] = launches_of(answers);
  out["summary"] = summary_of(answers);
  return printable_json(json::serialize(out)) + "\n";
}

}  // namespace sx
