// SARIF 2.1.0 (OASIS standard), as code scanning of a forge takes it. Boost.JSON escapes and
// prints.
#include "diag/render_sarif.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "base/utf8.h"
#include "diag/excerpt.h"
#include "diag/fingerprint.h"
#include "diag/json_parts.h"
#include "text/printable_json.h"

namespace sx {
namespace {

namespace json = boost::json;

constexpr std::string_view kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

std::string_view level(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Advice:
      return "note";
  }
  return "note";
}

bool plain_in_uri(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || c == '/' || c == '.' || c == '-' || c == '_' || c == '~';
}

// A path as a relative URI reference, or file:// for an absolute one (RFC 3986).
std::string uri_of(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain_in_uri(c)) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
  return out;
}

json::object text_of(std::string_view text) { return {{"text", json_text(text)}}; }

// Files are named by their path; other texts are carried in `artifacts`.
json::object artifact_location(const Source& source, int index) {
  if (source.kind == SourceKind::File && !source.name.empty())
    return {{"uri", uri_of(source.name)}, {"index", index}};
  return {{"index", index}};
}

json::object region_of(const Span& span, const Sources& sources) {
  const Source& source = sources.at(span.source);
  const Place begin = place_of(source, span.begin);
  const Place end = place_of(source, span.end);
  return {{"startLine", begin.line},
          {"startColumn", begin.column},
          {"endLine", end.line},
          {"endColumn", end.column},
          {"byteOffset", span.begin},
          {"byteLength", span.end - span.begin},
          {"snippet", text_of(sources.text(span))}};
}

json::object location_of(const Label& label, const Sources& sources) {
  const Span span = inside(label.span, sources);
  json::object location{
      {"physicalLocation",
       json::object{{"artifactLocation", artifact_location(sources.at(span.source), span.source)},
                    {"region", region_of(span, sources)}}}};
  if (!label.text.empty()) {
    location["message"] = text_of(rendered(label.text, Language::English));
  }
  return location;
}

json::object replacement_of(const Edit& edit, const Sources& sources) {
  const Span span = inside(edit.span, sources);
  json::object replacement{{"deletedRegion", region_of(span, sources)}};
  replacement["deletedRegion"].as_object().erase("snippet");
  if (!edit.text.empty()) replacement["insertedContent"] = text_of(edit.text);
  return replacement;
}

// A fix whose text cannot be edited in place has no change to show, and SARIF wants one.
json::array fixes_of(const Diagnostic& diagnostic, const Sources& sources) {
  json::array out;
  for (const Fix& fix : diagnostic.fixes) {
    std::map<int, json::array> by_source;
    for (const Edit& edit : fix.edits)
      by_source[edit.span.source].push_back(replacement_of(edit, sources));
    if (by_source.empty()) continue;
    json::array changes;
    for (auto& [source, replacements] : by_source) {
      changes.push_back(
          json::object{{"artifactLocation", artifact_location(sources.at(source), source)},
                       {"replacements", std::move(replacements)}});
    }
    out.push_back(json::object{{"description", text_of(rendered(fix.title, Language::English))},
                               {"artifactChanges", std::move(changes)}});
  }
  return out;
}

// The whole story in one text: a forge shows nothing else.
std::string message_of(const Diagnostic& diagnostic) {
  std::string text = rendered(diagnostic.title, Language::English);
  const auto add = [&text](std::string_view head, const Message& message) {
    if (!message.empty()) text += "\n" + std::string(head) + rendered(message, Language::English);
  };
  add("because ", diagnostic.because);
  add("otherwise ", diagnostic.otherwise);
  if (diagnostic.fixes.empty()) {
    add("", diagnostic.no_fix);
    return text;
  }
  const Fix& fix = diagnostic.fixes.front();
  return text + "\nfix: " + rendered(fix.title, Language::English) + "\n" + fix.command;
}

struct Rules {
  std::vector<const SarifRule*> used;

  int index_of(std::string_view code) const {
    const auto found = std::ranges::find(used, code, [](const SarifRule* r) { return r->code; });
    return found == used.end() ? -1 : static_cast<int>(found - used.begin());
  }
};

json::object result_of(const Diagnostic& diagnostic, const Sources& sources, const Rules& rules,
                       bool several) {
  json::object result{{"ruleId", diagnostic.code},
                      {"level", level(diagnostic.severity)},
                      {"message", text_of(message_of(diagnostic))}};
  if (const int index = rules.index_of(diagnostic.code); index >= 0) result["ruleIndex"] = index;
  json::array related;
  const Label* primary = primary_label(diagnostic, sources);
  for (const Label& label : diagnostic.labels) {
    if (!has_place(label, sources) || &label == primary) continue;
    related.push_back(location_of(label, sources));
  }
  if (primary != nullptr) result["locations"] = json::array{location_of(*primary, sources)};
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  if (auto fixes = fixes_of(diagnostic, sources); !fixes.empty())
    result["fixes"] = std::move(fixes);
  result["partialFingerprints"] =
      json::object{{"sextant/1", json_text(fingerprint(diagnostic, several))}};
  json::object properties = json_arguments(diagnostic.title);
  properties["launch"] = diagnostic.launch;
  result["properties"] = std::move(properties);
  return result;
}

json::object rule_of(const SarifRule& rule) {
  return {
      {"id", rule.code},
      {"name", rule.name},
      {"shortDescription", text_of(rule.name)},
      {"fullDescription", text_of(rule.summary)},
      {"help", json::object{{"text", json_text(rule.page)}, {"markdown", json_text(rule.page)}}},
      {"defaultConfiguration", json::object{{"level", level(rule.severity)}}},
      {"properties", json::object{{"tags", json::array{json_text(rule.family)}}}}};
}

json::array artifacts_of(const Sources& sources) {
  json::array out;
  int index = 0;
  for (const Source& source : sources.all()) {
    json::object artifact{{"location", artifact_location(source, index)}};
    artifact["location"].as_object().erase("index");
    if (source.kind != SourceKind::File) {
      artifact["contents"] = text_of(source.text);
      artifact.erase("location");
    }
    out.push_back(std::move(artifact));
    ++index;
  }
  return out;
}

json::array notifications_of(const std::vector<LaunchAnswer>& answers) {
  json::array out;
  for (const LaunchAnswer& answer : answers) {
    for (const NotChecked& skipped : answer.outcome.not_checked) {
      out.push_back(json::object{
          {"level", "note"},
          {"message", text_of("not checked: " + rendered(skipped.reason, Language::English))},
          {"associatedRule", json::object{{"id", skipped.code}}}});
    }
  }
  return out;
}

json::object driver_of(const Rules& rules, std::string_view version) {
  json::array list;
  for (const SarifRule* rule : rules.used) list.push_back(rule_of(*rule));
  return {{"name", "sextant"}, {"semanticVersion", json_text(version)}, {"rules", std::move(list)}};
}

}  // namespace

std::string render_sarif(const std::vector<LaunchAnswer>& answers, const Sources& sources,
                         std::span<const SarifRule> rules, std::string_view tool_version) {
  Rules used;
  for (const SarifRule& rule : rules) {
    const bool said = std::ranges::any_of(answers, [&rule](const LaunchAnswer& answer) {
      const auto same = [&rule](const auto& entry) { return entry.code == rule.code; };
      return std::ranges::any_of(answer.outcome.diagnostics, same) ||
             std::ranges::any_of(answer.outcome.not_checked, same) ||
             std::ranges::any_of(answer.outcome.allowed, [&rule](const Allowed& allowed) {
               return allowed.diagnostic.code == rule.code;
             });
    });
    if (said) used.used.push_back(&rule);
  }
  const bool several = answers.size() > 1;
  json::array results;
  for (const LaunchAnswer& answer : answers) {
    for (const Diagnostic& diagnostic : answer.outcome.diagnostics)
      results.push_back(result_of(diagnostic, sources, used, several));
    for (const Allowed& allowed : answer.outcome.allowed) {
      json::object result = result_of(allowed.diagnostic, sources, used, several);
      result["suppressions"] = json::array{
          json::object{{"kind", "external"}, {"justification", json_text(allowed.because)}}};
      results.push_back(std::move(result));
    }
  }
  json::object invocation{{"executionSuccessful", true},
                          {"toolExecutionNotifications", notifications_of(answers)}};
  if (answers.size() == 1) invocation["commandLine"] = json_text(answers.front().asked.command);
  json::object run{{"tool", json::object{{"driver", driver_of(used, tool_version)}}},
                   {"columnKind", "unicodeCodePoints"},
                   {"invocations", json::array{std::move(invocation)}},
                   {"artifacts", artifacts_of(sources)},
                   {"results", std::move(results)}};
  const json::object out{
      {"$schema", kSchema}, {"version", "2.1.0"}, {"runs", json::array{std::move(run)}}};
  return printable_json(json::serialize(out)) + "\n";
}

}  // namespace sx
